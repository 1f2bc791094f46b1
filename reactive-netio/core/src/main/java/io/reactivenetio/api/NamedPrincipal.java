// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.security.Principal;

/** Somebody of whom no more is known than the name. */
public record NamedPrincipal(String name) implements Principal {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}

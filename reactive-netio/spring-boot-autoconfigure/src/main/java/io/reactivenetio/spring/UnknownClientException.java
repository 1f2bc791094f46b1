// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import java.util.Set;

/** Nobody has configured a client of the name that was asked for. */
public final class UnknownClientException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String name;
    private final transient Set<String> known;

    /** {@code known} are the names that are configured. */
    public UnknownClientException(String name, Set<String> known) {
        super((name.isEmpty() ? "which client? a name is needed unless exactly one is configured" : "no client '" + name + "'")
                + ": configured under netio.clients are " + (known.isEmpty() ? "none" : String.join(", ", known)));
        this.name = name;
        this.known = known;
    }

    /** The name that was asked for; empty if none was given. */
    public String name() {
        return name;
    }

    /** The names that are configured. */
    public Set<String> known() {
        return known;
    }
}

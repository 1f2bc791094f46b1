// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioLoops;

/** A bean that changes how the loops are made, after {@code netio.loops.*}. Several are called in their order. */
@FunctionalInterface
public interface NetioLoopsCustomizer {

    /** Returns {@code builder}, or what its settings make of it. */
    NetioLoops.Builder customize(NetioLoops.Builder builder);
}

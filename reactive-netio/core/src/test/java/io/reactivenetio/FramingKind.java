// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.EndSignal;

/** The framings, for tests that are about several of them. */
public enum FramingKind {
    RAW,
    PAGE,
    STREAM;

    /** With its defaults. */
    public Framing framing() {
        return switch (this) {
            case RAW -> Framing.raw();
            case PAGE -> Framing.page();
            case STREAM -> Framing.stream();
        };
    }

    /** For RAW and PAGE. */
    Framing framing(EndSignal end) {
        return this == RAW ? Framing.raw().endSignal(end) : Framing.page().endSignal(end);
    }
}

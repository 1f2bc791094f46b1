// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.VirtualMachine;
import java.io.IOException;

/** What the code of a user throws. */
enum Throwing {
    NOTHING, RUNTIME, ASSERTION, CHECKED, LINKAGE, NO_TEXT, TEXT_THROWS;

    private static final String PLANNED = "as planned";

    /** As the text of an exception that has none. */
    @SuppressWarnings("serial")
    private static final class Silent extends RuntimeException {
        @Override
        public String toString() {
            return getMessage();
        }
    }

    @SuppressWarnings("serial")
    private static final class Broken extends RuntimeException {
        @Override
        public String toString() {
            throw new IllegalStateException(PLANNED + ", in toString()");
        }
    }

    static Throwing of(int number) {
        return values()[number];
    }

    Throwable make() {
        return switch (this) {
            case ASSERTION -> new AssertionError(PLANNED);
            case CHECKED -> new IOException(PLANNED);
            case LINKAGE -> new NoClassDefFoundError(PLANNED);
            case NO_TEXT -> new Silent();
            case TEXT_THROWS -> new Broken();
            default -> new IllegalArgumentException(PLANNED);
        };
    }

    /** Throws it, declared or not. */
    void go() {
        if (this != NOTHING) {
            throw Throwing.<RuntimeException>sneak(make());
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneak(Throwable what) throws E {
        throw (E) what;
    }

    /** Whether this, or what it is about, was thrown here. */
    static boolean isPlanned(Throwable failure) {
        return failure instanceof Silent || failure instanceof Broken || VirtualMachine.text(failure).contains(PLANNED)
                || failure.getCause() != null && isPlanned(failure.getCause());
    }
}

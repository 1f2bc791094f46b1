// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

/** What the system's errors that mean a limit do not say: how to raise it. */
public final class SystemLimits {
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;

    private SystemLimits() {
    }

    /** What to do about an errno, positive or negated, after {@code "; "}. The result is empty if it is no such limit. */
    public static String hint(long errno) {
        return switch ((int) Math.abs(errno)) {
            case EMFILE -> "; the process may have no more open files: raise ulimit -n";
            case ENFILE -> "; the system may have no more open files: raise fs.file-max";
            default -> "";
        };
    }
}

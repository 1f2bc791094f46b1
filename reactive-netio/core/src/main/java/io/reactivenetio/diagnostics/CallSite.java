// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

import java.util.List;

/** Finds the place in the user's program that a call came from. */
public final class CallSite {
    /** Classes whose frames are not the user's. */
    private static final List<String> OURS = List.of("io.reactivenetio.diagnostics.", "io.reactivenetio.lease.",
            "io.reactivenetio.receive.", "io.reactivenetio.send.", "io.reactivenetio.framing.", "io.reactivenetio.connection.",
            "io.reactivenetio.lifecycle.", "io.reactivenetio.api.", "reactor.", "java.");

    private CallSite() {
    }

    /** Finds where the calling thread is now in the user's program. */
    public static String find() {
        return StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::toStackTraceElement)
                .filter(CallSite::isUsers).findFirst().map(StackTraceElement::toString).orElse("a place unknown"));
    }

    /** Where a stack was recorded. */
    public static String of(Throwable recorded) {
        for (StackTraceElement frame : recorded.getStackTrace()) {
            if (isUsers(frame)) {
                return frame.toString();
            }
        }
        return "a place unknown";
    }

    private static boolean isUsers(StackTraceElement frame) {
        String name = frame.getClassName();
        return OURS.stream().noneMatch(own -> own.endsWith(".") ? name.startsWith(own) : name.equals(own));
    }
}

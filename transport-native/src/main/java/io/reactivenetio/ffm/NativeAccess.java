// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.MemorySegment;

/** Whether the JVM lets this module call native functions, JEP 472. */
public final class NativeAccess {
    private NativeAccess() {
    }

    /**
     * Checks the access. Has to be called before anything else of this package: what its classes would throw says nothing.
     *
     * @throws IllegalCallerException if the JVM refuses; it says which option to use
     */
    @SuppressWarnings("restricted")
    public static void require() {
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            Module module = NativeAccess.class.getModule();
            throw new IllegalCallerException("the JVM denies native access to reactive-netio: start it with"
                    + " --enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED"), e);
        }
    }
}

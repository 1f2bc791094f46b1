// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.MemorySegment;

/** Whether native functions can be called: on Linux only, and if the JVM lets this module, JEP 472. */
public final class NativeAccess {
    private NativeAccess() {
    }

    /**
     * Checks the access. Has to be called before anything else of this package: what its classes would throw says nothing.
     *
     * @throws UnsupportedOperationException on another system than Linux; it says where to run instead
     * @throws IllegalCallerException if the JVM refuses; it says which option to use
     */
    @SuppressWarnings("restricted")
    public static void require() {
        requireLinux(System.getProperty("os.name"));
        try {
            MemorySegment.NULL.reinterpret(0);
        } catch (IllegalCallerException e) {
            Module module = NativeAccess.class.getModule();
            throw new IllegalCallerException("the JVM denies native access to reactive-netio: start it with"
                    + " --enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED"), e);
        }
    }

    static void requireLinux(String system) {
        if (!system.equals("Linux")) {
            throw new UnsupportedOperationException("reactive-netio needs Linux, and this is " + system
                    + ": run it in a container or a virtual machine with Linux");
        }
    }
}

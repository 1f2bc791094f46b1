// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

/** Lets a test hear what is said once in the life of a process, also if other tests in this JVM have heard it before. */
public final class SaidOnce {

    private SaidOnce() {
    }

    public static void beginAnew() {
        UnflippedBuffers.beginAnew();
        ForgottenSends.beginAnew();
        KeptBuffers.beginAnew();
    }
}

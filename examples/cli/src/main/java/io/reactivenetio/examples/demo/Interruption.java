// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

/** What is to be done if the process is ended, by Ctrl-C for one, before this is called off. */
final class Interruption {
    private final Thread hook;

    Interruption(Runnable action) {
        hook = new Thread(action, "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    void callOff() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // it is being ended
        }
    }
}

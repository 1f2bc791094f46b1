// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ChildJvm;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A JVM that refuses native access, as later ones will unless told otherwise, and one of a laptop. */
@Timeout(60)
class NativeAccessTest {
    private static final String DENY = "--illegal-native-access=deny --enable-native-access=java.base";

    @Test
    void shouldSayWhichOptionIsMissing() throws IOException {
        try (ChildJvm child = new ChildJvm("true", DENY, Denied.class)) {
            String said = "the JVM denies native access to reactive-netio: start it with --enable-native-access=ALL-UNNAMED";
            assertThat(child.hear()).isEqualTo(said);
            assertThat(child.hear()).isEqualTo(said);
        }
    }

    @Test
    void shouldSayThatItNeedsLinux() throws IOException {
        try (ChildJvm child = new ChildJvm("true", "-Dos.name=macOS", Denied.class)) {
            String said = "reactive-netio needs Linux, and this is macOS: run it in a container or a virtual machine with Linux";
            assertThat(child.hear()).isEqualTo(said);
            assertThat(child.hear()).isEqualTo(said);
        }
    }

    /** The child. */
    static final class Denied {
        private Denied() {
        }

        public static void main(String[] arguments) {
            say(() -> EventLoop.create("denied"));
            say(LibFabric::load);
        }

        private static void say(Runnable refused) {
            try {
                refused.run();
                System.out.println("not refused");
            } catch (IllegalCallerException | UnsupportedOperationException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A source puts messages that wait, while the loop takes them. */
public class WaitingMessagesStress {

    /**
     * The first message has a piece of memory to itself, and the others begin new ones or use that again. Each is larger than the
     * one before it.
     */
    @JCStressTest
    @Outcome(id = "5, 1, 1", expect = ACCEPTABLE, desc = "all were taken, in order, and as they were put")
    @Outcome(expect = FORBIDDEN, desc = "lost, or taken out of order, twice or before all of it was there")
    @State
    public static class PutAndTake {
        private static final int MESSAGES = 5;

        private final RequestWindow window = new RequestWindow();
        private final WaitingMessages waiting = new WaitingMessages(window);
        private int taken;
        private boolean isWrong;

        @Actor
        public void source() {
            for (int i = 1; i <= MESSAGES; i++) {
                ByteBuffer message = ByteBuffer.allocate(Long.BYTES + i).putLong(0, -i);
                window.seen(message.remaining());
                waiting.put(i, i, message);
            }
        }

        @Actor
        public void loop() {
            for (int i = 0; i < MESSAGES; i++) {
                take();
            }
        }

        private boolean take() {
            boolean isEmpty = waiting.isEmpty();
            ByteBuffer payload = waiting.peek();
            if (payload == null) {
                isWrong |= !isEmpty;
                return false;
            }
            taken++;
            isWrong |= waiting.tag() != taken || waiting.status() != taken || payload.remaining() != Long.BYTES + taken
                    || payload.getLong(payload.position()) != -taken;
            waiting.take();
            return true;
        }

        @Arbiter
        public void after(III_Result r) {
            while (take()) {
                // the rest
            }
            r.r1 = taken;
            r.r2 = isWrong ? 0 : 1;
            r.r3 = waiting.isEmpty() && waiting.count() == 0 ? 1 : 0;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionTurnsTest {
    private final SimulatedLoop loop = new SimulatedLoop(EventLoopConfig.defaults(), () -> 1);
    private final List<String> ran = new ArrayList<>();

    @Test
    void shouldRunOneTaskOfEachConnectionInATurn() {
        ConnectionTurns many = new ConnectionTurns(loop.loop());
        ConnectionTurns one = new ConnectionTurns(loop.loop());
        for (int i = 0; i < 3; i++) {
            int task = i;
            many.execute(() -> {
                ran.add("many " + task);
                if (task == 0) {
                    many.execute(() -> ran.add("many again"));
                    throw new IllegalStateException("the next ones run all the same");
                }
            });
        }
        one.execute(() -> ran.add("one"));
        loop.turn();
        assertThat(ran).containsExactly("many 0", "one");
        loop.turn();
        assertThat(ran).endsWith("one", "many 1");
        loop.turn();
        loop.turn();
        assertThat(ran).endsWith("many 1", "many 2", "many again");
        loop.loop().close();
        loop.turn();
        one.execute(() -> ran.add("too late"));
        assertThat(ran).hasSize(5);
    }
}

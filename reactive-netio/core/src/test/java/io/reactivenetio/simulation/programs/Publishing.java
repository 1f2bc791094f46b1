// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.PublisherStatistics;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import reactor.core.publisher.Flux;
import reactor.util.concurrent.Queues;

/** What a program publishes. */
final class Publishing {
    private final ProgramWorld world;
    private final Set<Node> done = new HashSet<>();
    final Given given;

    Publishing(ProgramWorld world) {
        this.world = world;
        boolean far = world.program.all().stream().anyMatch(each -> each.word() == Word.SHARE
                || each.word().isOperator() && each.numbers().contains(Queues.SMALL_BUFFER_SIZE));
        int ahead = far ? Queues.SMALL_BUFFER_SIZE : Queues.XS_BUFFER_SIZE; // as operators ask by themselves
        this.given = new Given(world.machine, world.setup.queue() + world.setup.prefetch() + ahead, () -> {
            PublisherStatistics counted = world.publisher.statistics();
            return world.setup.policy() != SlowPolicy.BACKPRESSURE ? Integer.MAX_VALUE // without subscribers they count none
                    : counted.dropped() + counted.undelivered();
        });
    }

    boolean isDone(Node statement) {
        return done.contains(statement);
    }

    /** Does nothing if it is no statement that publishes something, or its tag is another's. */
    void perform(Node statement) {
        try {
            switch (statement.word()) {
                case PUBLISH, REPUBLISH -> {
                    done.add(statement);
                    world.publisher.publish(statement.number(1), given(statement, true));
                }
                case ENCODE -> {
                    done.add(statement);
                    world.publisher.publish(statement.number(1), given(statement, true), encoder(statement));
                }
                case PUBLISH_EACH -> {
                    done.add(statement);
                    world.publisher.publishEach(Tags.of(statement.number(1)), tag -> given(statement, false));
                }
                default -> {
                }
            }
        } catch (IllegalArgumentException e) {
            // the tag has a source
        }
    }

    private Flux<ByteBuffer> given(Node statement, boolean shared) {
        UserSource source = new UserSource(world.machine, statement.kids().getFirst());
        return given.tap(statement.number(1), shared, source.messages(), source);
    }

    NetioEncoder<ByteBuffer> encoder(Node statement) {
        return new NetioEncoder<>() {
            @Override
            public int size(ByteBuffer value) {
                return value.remaining();
            }

            @Override
            public void encode(ByteBuffer value, ByteBuffer target) {
                if (Given.number(value) >= statement.number(3) && statement.number(2) > 0) {
                    given.refused(value);
                    Throwing.of(statement.number(2)).go();
                }
                target.put(value.duplicate());
            }
        };
    }
}

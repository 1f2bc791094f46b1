// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The place of the event queue in a loop, over a real queue nothing ever arrives in. */
@Timeout(60)
class EventQueueTest {
    private static final int UNKNOWN = Fi.FI_EOTHER;

    private final List<Throwable> reported = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private EventLoop loop;
    private FiInfo info;
    private FiFabric fabric;

    @BeforeEach
    void start() throws Exception {
        LibFabric library = LibFabric.load();
        info = new AddressSelection(library, "tcp").local(new InetSocketAddress("127.0.0.1", 0));
        fabric = library.openFabric(info);
        loop = EventLoop.create("events");
        loop.onError(reported::add);
        loop.start();
    }

    @AfterEach
    void stop() {
        loop.close();
        fabric.close();
        info.close();
    }

    private <T> T on(Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    private void run(Runnable code) {
        on(() -> {
            code.run();
            return true;
        });
    }

    private final class EventOwner implements ConnectionEvents.Owner {
        @Override
        public void onRequest(FiInfo request) {
            told.add("request");
        }

        @Override
        public void onConnected(byte[] data) {
            told.add("connected");
        }

        @Override
        public void onShutdown() {
            told.add("shutdown");
        }

        @Override
        public void onFailure(int code, String text) {
            told.add("failure");
        }

        @Override
        public void onQueueFailed(int code) {
            told.add("broken " + code);
        }
    }

    private void pause(long millis) {
        CompletableFuture<Boolean> later = new CompletableFuture<>();
        loop.schedule(() -> later.complete(true), millis, TimeUnit.MILLISECONDS);
        later.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void shouldTellOnceThatAnEventQueueCannotBeRead() {
        failing(-UNKNOWN, 0);
    }

    @Test
    void shouldTellOnceThatAnEventQueueCannotBeWaitedFor() {
        failing(-Fi.FI_EAGAIN, -UNKNOWN);
    }

    /** With verbs it may be about one connection that cannot be made, and does not say which. */
    @Test
    void shouldSurviveAFailureThatDoesNotLast() {
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                private int reads;

                @Override
                int readEvent() {
                    return ++reads % 2 == 1 && reads < 100 ? -UNKNOWN : super.readEvent();
                }
            };
            created.add(1, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).isEmpty();
        assertThat(on(() -> List.copyOf(reported))).isEmpty();
        run(() -> {
            events.stop();
            events.close();
        });
    }

    /** Whatever it tells, it costs neither memory nor a CPU, and the log says it once. */
    @Test
    void shouldNotFollowAnEventThatRepeats() {
        repeating(Fi.FI_SHUTDOWN);
        repeating(-Fi.FI_EAVAIL);
    }

    private void repeating(int event) {
        reported.clear();
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                @Override
                int readEvent() {
                    return event; // of an object that is not there
                }

                @Override
                int tryWait() {
                    return -Fi.FI_EAGAIN;
                }
            };
            created.add(1, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).isEmpty();
        assertThat(on(() -> List.copyOf(reported))).singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("event " + event));
        run(() -> {
            events.stop();
            events.close();
        });
    }

    private void failing(int read, int tryWait) {
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                private boolean failed;
                private int reads;

                @Override
                int readEvent() {
                    if (read != -Fi.FI_EAGAIN) {
                        assertThat(++reads).as("read again and again").isLessThanOrEqualTo(8);
                    }
                    return read;
                }

                @Override
                int tryWait() {
                    assertThat(failed).as("waited for again").isFalse();
                    failed = tryWait != 0;
                    return tryWait;
                }
            };
            created.add(1, new EventOwner());
            created.add(2, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).containsExactly("broken " + UNKNOWN, "broken " + UNKNOWN);
        assertThat(on(() -> List.copyOf(reported))).singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining(String.valueOf(UNKNOWN)));
        run(() -> {
            assertThatIllegalStateException().isThrownBy(() -> events.add(3, new EventOwner()));
            events.remove(1);
            events.stop();
            events.close();
        });
    }

    /** A loop that spins makes hundreds of thousands of turns in this time. */
    private void shouldBeQuiet() {
        run(() -> { });
        long before = loop.statistics().turns();
        pause(100);
        assertThat(loop.statistics().turns() - before).isLessThan(100);
    }
}

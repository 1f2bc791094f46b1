// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static io.reactivenetio.connection.StreamUnderTest.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;

/** A send buffer is the backend's again after every turn but for the one that waits to be filled, whatever happens in it. */
@Timeout(60)
class SendBufferOwnershipTest {
    private final StreamUnderTest connection = new StreamUnderTest(8, 100);

    @AfterEach
    void close() {
        connection.close();
    }

    /** Numbers its messages, and has some or none. */
    private static final class Numbered implements StreamSource {
        private int left;

        Numbered(int messages) {
            left = messages;
        }

        @Override
        public void open(StreamSourcePort port) {
            port.numbered(1000, 0);
        }

        @Override
        public void requested(long n) {
            // they are there
        }

        @Override
        public @Nullable SharedMessage poll() {
            return left-- > 0 ? new SharedMessage(0, 0, ByteBuffer.allocate(5)) : null;
        }

        @Override
        public void closed() {
            // holds nothing
        }
    }

    /** Of the buffers that are not under way one may wait for the next page. */
    private void assertNoBufferIsLost() {
        connection.complete();
        assertThat(connection.freeBuffers()).isGreaterThanOrEqualTo(StreamUnderTest.BUFFERS - 1);
        assertThat(connection.failures).isEmpty();
    }

    /** The peer returns no control credit, so that from the fourth on the number cannot be said. */
    @Test
    void shouldSayTheNumberOfASubscriptionWhenThereIsACreditForIt() {
        connection.session().serve((tags, policy) -> new Numbered(tags.first() <= 4 ? 0 : 2));
        for (int stream = 1; stream <= 6; stream++) {
            int opened = stream;
            connection.receive(0, 0, page -> subscribe(page, opened, opened, 10));
            List<String> said = stream <= StreamUnderTest.CONTROLS ? List.of("SUBSCRIBED " + stream + " 1000") : List.of();
            assertThat(connection.sent()).as("stream %d", stream).isEqualTo(said);
            assertNoBufferIsLost();
        }
        connection.receive(0, 3, page -> { });
        assertThat(connection.sent()).contains("SUBSCRIBED 4 1000").containsSubsequence("SUBSCRIBED 5 1000", "DATA 5 5",
                "DATA 5 5")
                .containsSubsequence("SUBSCRIBED 6 1000", "DATA 6 5", "DATA 6 5").hasSize(7);
        assertNoBufferIsLost();
    }

    private static void emitNothingAndThrow(Subscriber<? super ByteBuffer> subscriber) {
        subscriber.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                throw new IllegalStateException("a request that throws");
            }

            @Override
            public void cancel() {
                throw new IllegalStateException("a cancel that throws");
            }
        });
    }

    @Test
    void shouldFailOnlyTheSendWhoseUpstreamThrows() {
        CompletableFuture<Void> throwing = connection.session().send(1, SendBufferOwnershipTest::emitNothingAndThrow,
                SendCompletion.DELIVERED).toFuture();
        connection.session().send(2, Flux.just(ByteBuffer.allocate(7)), SendCompletion.DELIVERED).subscribe();
        for (int stream = 1; stream <= 2; stream++) {
            int opened = stream;
            connection.receive(0, 0, page -> subscribe(page, opened, opened, 10));
        }
        assertThat(connection.sent()).contains("DATA 2 7");
        assertThat(throwing).isCompletedExceptionally();
        assertThat(throwing.exceptionNow()).hasMessage("a request that throws");
        assertNoBufferIsLost();
        connection.receive(0, 0, page -> page.cancel(1));
        assertThat(connection.sent()).contains("ERROR 1 1 cancelled");
    }

    /** What was in the page is lost, so the connection is. */
    @Test
    void shouldEndTheConnectionWithAPageThatCannotBeWritten() {
        CompletableFuture<Void> received = connection.engine().receive(connection.session().inbound()).then().toFuture();
        connection.turn();
        connection.complete();
        OutOfMemoryError error = new OutOfMemoryError("of a test");
        StreamProbe.whenWriting(connection.engine(), () -> {
            throw error;
        });
        connection.turn();
        assertThat(connection.failures).containsExactly(error);
        assertThat(connection.isClosed()).isTrue();
        connection.end();
        assertThat(connection.freeBuffers()).isEqualTo(StreamUnderTest.BUFFERS);
        assertThat(received).isCompletedExceptionally();
        assertThat(received.exceptionNow()).isInstanceOf(NetioAbortedException.class).hasMessageContaining("of a test");
    }
}

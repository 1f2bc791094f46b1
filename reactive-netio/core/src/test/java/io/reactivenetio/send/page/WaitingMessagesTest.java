// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingMessagesTest {
    private static final int MOST = RequestWindow.MOST;

    private final RequestWindow window = new RequestWindow();
    private final WaitingMessages waiting = new WaitingMessages(window);

    WaitingMessagesTest() {
        window.seen(Integer.MAX_VALUE);
    }

    private @Nullable ByteBuffer peek() {
        return waiting.peek();
    }

    private static ByteBuffer message(int number, int bytes) {
        ByteBuffer message = ByteBuffer.allocate(bytes);
        for (int i = 0; i < bytes; i += Math.max(1, bytes / 50)) {
            message.put(i, (byte) (number + i));
        }
        return message;
    }

    private void put(int number, int bytes) {
        assertThat(waiting.put(number * 3L, number & 0xff, message(number, bytes))).isNull();
    }

    private void take(int number, int bytes) {
        ByteBuffer payload = Objects.requireNonNull(peek());
        assertThat(waiting.tag()).isEqualTo(number * 3L);
        assertThat(waiting.status()).isEqualTo(number & 0xff);
        assertThat(payload.remaining()).isEqualTo(bytes);
        ByteBuffer expected = message(number, bytes);
        while (payload.hasRemaining()) { // as whoever sends it in parts
            int part = Math.min(payload.remaining(), 1000);
            assertThat(payload.slice(payload.position(), part)).isEqualTo(expected.slice(expected.position(), part));
            payload.position(payload.position() + part);
            expected.position(expected.position() + part);
        }
        waiting.take();
    }

    @Test
    void shouldBeEmptyAtFirst() {
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(peek()).isNull();
        assertThat(waiting.count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 1000, WaitingMessages.PIECE - 16, WaitingMessages.PIECE - 15, 1 << 20})
    void shouldKeepOrderAndContents(int bytes) {
        for (int i = 0; i < 20; i++) {
            put(i, bytes);
            assertThat(waiting.count()).isEqualTo(i + 1);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(waiting.isEmpty()).isFalse();
            take(i, bytes);
        }
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(peek()).isNull();
        assertThat(waiting.count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldKeepAnyMixture(long seed) {
        Random random = new Random(seed);
        Queue<Integer> sizes = new ArrayDeque<>();
        int put = 0;
        int taken = 0;
        for (int i = 0; i < 5000; i++) {
            if (random.nextInt(100) < 52 && sizes.size() < 100) {
                int bytes = random.nextInt(20) > 0 ? random.nextInt(200) : random.nextInt(100_000);
                put(put++, bytes);
                sizes.add(bytes);
            } else if (!sizes.isEmpty()) {
                take(taken++, sizes.remove());
            }
            assertThat(waiting.count()).isEqualTo(sizes.size());
            assertThat(waiting.isEmpty()).isEqualTo(sizes.isEmpty());
        }
    }

    @Test
    void shouldTakeNoMoreThanItsBound() {
        for (int i = 0; i < MOST; i++) {
            put(i, 8);
        }
        assertThat(waiting.put(1, 0, message(1, 8))).startsWith("§1.1");
        take(0, 8);
        put(MOST, 8);
        assertThat(waiting.put(1, 0, message(1, 8))).startsWith("§1.1");
        assertThat(waiting.count()).isEqualTo(MOST);
    }

    /** One that cannot be copied begins a piece, and those behind it come to its beginning. */
    @Test
    void shouldGoOnBehindAMessageWhoseMemoryIsClosed() {
        ByteBuffer closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(500).asByteBuffer();
        }
        put(0, 100);
        put(1, 100);
        assertThatThrownBy(() -> waiting.put(7, 0, closed)).isInstanceOf(IllegalStateException.class);
        put(2, 100);
        for (int i = 0; i < 3; i++) {
            take(i, 100);
        }
        assertThat(waiting.isEmpty()).isTrue();
    }

    @Test
    void shouldForgetAll() {
        for (int i = 0; i < 1000; i++) {
            put(i, 100);
        }
        waiting.clear();
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(waiting.count()).isZero();
    }

    /** A page that has room for some messages. */
    private static final class Page implements RunTarget {
        private int room;
        private int last = -1;

        private Page(int room) {
            this.room = room;
        }

        @Override
        public boolean follow(ByteBuffer payload, int from, int bytes) {
            if (room == 0) {
                return false;
            }
            room--;
            assertThat(payload.slice(from, bytes)).isEqualTo(message(++last, bytes));
            return true;
        }
    }

    private void putPlain(int from, int to, long tag) {
        for (int i = from; i < to; i++) {
            assertThat(waiting.put(tag, 0, message(i, 100))).isNull();
        }
    }

    @Test
    void shouldLetThoseOfOneTagFollowWhileThereIsRoom() {
        putPlain(0, 50, 7);
        Page page = new Page(30);
        assertThat(peek()).isNotNull();
        assertThat(waiting.follow(page, 7, 1)).isEqualTo(1);
        assertThat(waiting.followedBytes()).isEqualTo(100);
        int followed = 1;
        int now;
        while (peek() != null && (now = waiting.follow(page, 7, 1000)) > 0) { // one piece after the other
            followed += now;
            assertThat(waiting.followedBytes()).isEqualTo(now * 100L);
        }
        assertThat(followed).isEqualTo(30);
        assertThat(waiting.follow(page, 7, 1000)).isZero();
        assertThat(waiting.followedBytes()).isZero();
        assertThat(waiting.count()).isEqualTo(20);
    }

    @Test
    void shouldLetOnlyThoseOfThisTagWithoutAStatusFollow() {
        Page page = new Page(1000);
        put(0, 0); // the piece of the first is its own
        waiting.put(0, 0, message(0, 10));
        take(0, 0);
        waiting.put(1, 0, message(1, 10));
        waiting.put(1, 3, message(2, 10));
        assertThat(peek()).isNotNull();
        assertThat(waiting.follow(page, 0, 1000)).isEqualTo(1);
        assertThat(waiting.follow(page, 0, 1000)).isZero();
        assertThat(peek()).isNotNull();
        assertThat(waiting.follow(page, 1, 1000)).isEqualTo(1);
        assertThat(peek()).isNotNull();
        assertThat(waiting.follow(page, 1, 1000)).isZero();
        assertThat(waiting.status()).isEqualTo(3);
    }

    /** Puts so many messages and takes them, again and again. Returns the memory that they were in. */
    private Set<byte[]> used(int times, int messages, int bytes) {
        Set<byte[]> used = Collections.newSetFromMap(new IdentityHashMap<>());
        ByteBuffer message = message(0, bytes);
        for (int i = 0; i < times; i++) {
            for (int j = 0; j < messages; j++) {
                waiting.put(1, 0, message);
            }
            ByteBuffer payload;
            while ((payload = peek()) != null) {
                used.add(payload.array());
                waiting.take();
            }
        }
        return used;
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1000, 20_000, 300_000})
    void shouldUseItsMemoryAgain(int bytes) {
        int messages = Math.clamp(RequestWindow.BYTES / bytes, 1, MOST - 1);
        used(10, messages, bytes);
        Set<byte[]> few = used(10, messages, bytes);
        assertThat(few.stream().mapToInt(array -> array.length).sum()).isLessThan(3 * Math.max(bytes, RequestWindow.BYTES));
        few.addAll(used(100, messages, bytes));
        assertThat(few).hasSizeLessThan(5 * RequestWindow.BYTES / WaitingMessages.PIECE / 2);
    }

    @ParameterizedTest
    @CsvSource({"600000, 10", "8388608, 10", "8388608, 16384"})
    void shouldNotHoldALotOfMemoryForSmallMessages(int bytes, int small) {
        Set<byte[]> large = used(5, 1, bytes);
        used(5, small, 64);
        assertThat(used(5, 1, bytes).stream().noneMatch(large::contains)).isTrue();
    }

    /** As of a source on another thread that says something now and then. */
    @Test
    void shouldNotHoldALotOfMemoryForOneMessageAtATime() {
        assertThat(used(100, 1, 64)).hasSizeLessThan(4);
    }

    /** Against §1.3. What comes out is not defined, but the loop must neither go astray nor stay. */
    @Test
    void shouldBearTwoThreadsThatPut() {
        int largest = 3000;
        int[] sizes = new Random(1).ints(64, 0, largest).toArray();
        RequestWindow window = new RequestWindow();
        window.seen(largest);
        WaitingMessages waiting = new WaitingMessages(window);
        Set<String> told = ConcurrentHashMap.newKeySet();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
        List<CompletableFuture<Void>> sources = Stream.of(0, 1).map(number -> CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 300_000 || told.isEmpty() && System.nanoTime() < until; i++) {
                String refused = waiting.put(number, 0, message(-1 - i, sizes[(i + number) % sizes.length]));
                if (refused != null) {
                    told.add(refused);
                }
            }
        }, task -> Thread.ofPlatform().daemon().start(task))).toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(sources.toArray(CompletableFuture<?>[]::new));
        Page page = new Page(0);
        for (long i = 0; !all.isDone(); i++) {
            ByteBuffer payload = waiting.peek();
            if (payload != null) {
                assertThat(payload.remaining()).isBetween(0, largest);
                waiting.follow(page, waiting.tag(), 10);
                waiting.take();
            } else if (waiting.isTorn()) {
                assertThat(waiting.isEmpty()).isTrue();
            }
        }
        all.orTimeout(10, TimeUnit.SECONDS).join();
        waiting.clear();
        assertThat(waiting.isEmpty()).isTrue();
        assertThat(told).isNotEmpty();
    }

    /** What one thread puts, another takes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 40, 3000})
    void shouldHandThemToAnotherThread(int sizes) {
        int all = 200_000 / Math.max(1, sizes / 40);
        Semaphore requested = new Semaphore(MOST);
        CompletableFuture<Void> source = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < all; i++) {
                requested.acquireUninterruptibly();
                put(i, i % sizes);
            }
        });
        for (int i = 0; i < all; i++) {
            while (waiting.isEmpty()) {
                Thread.onSpinWait();
                if (source.isCompletedExceptionally()) {
                    source.orTimeout(1, TimeUnit.SECONDS).join();
                }
            }
            take(i, i % sizes);
            requested.release();
        }
        source.orTimeout(10, TimeUnit.SECONDS).join();
        assertThat(waiting.isEmpty()).isTrue();
    }

    /** A message that comes while the loop looks is no torn one because it is the largest so far. */
    @Test
    void shouldTakeMessagesThatGrow() {
        int all = 50;
        for (int round = 0; round < 2_000; round++) {
            RequestWindow growing = new RequestWindow();
            WaitingMessages handed = new WaitingMessages(growing);
            CompletableFuture<Void> source = CompletableFuture.runAsync(() -> {
                for (int bytes = 1; bytes <= all; bytes++) {
                    growing.seen(bytes);
                    assertThat(handed.put(1, 0, ByteBuffer.allocate(bytes))).isNull();
                }
            });
            for (int bytes = 1; bytes <= all;) {
                ByteBuffer payload = handed.peek();
                assertThat(handed.isTorn()).as("after %d messages", bytes - 1).isFalse();
                if (payload != null) {
                    assertThat(payload.remaining()).isEqualTo(bytes++);
                    handed.take();
                } else {
                    assertThat(source.isCompletedExceptionally()).isFalse();
                }
            }
            source.orTimeout(10, TimeUnit.SECONDS).join();
        }
    }
}

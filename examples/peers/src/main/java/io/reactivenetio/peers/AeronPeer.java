// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/** A stream through Aeron, over shared memory or UDP. */
record AeronPeer(AeronMedia media) implements Peer {
    static final int STREAM = 10;
    private static final int FRAGMENTS = 64;

    @Override
    public String title() {
        return "Aeron " + media;
    }

    @Override
    public String settings() {
        return media.settings() + ", exclusive publication, offer(), FragmentAssembler";
    }

    @Override
    public int largest() {
        return media == AeronMedia.IPC ? Integer.MAX_VALUE : 2 << 20; // an eighth of a term, 16 MiB over UDP by default
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        int number = Loopback.freeUdpPort();
        try (AeronMedia.Client client = media.open(number, true);
                Subscription subscription = client.aeron().addSubscription(media.channel(number), STREAM)) {
            port.accept(number);
            Receiver receiver = new Receiver(new Numbers(work));
            FragmentHandler whole = new FragmentAssembler(receiver);
            IdleStrategy idle = new BackoffIdleStrategy();
            long until = System.nanoTime() + Loopback.patience(work).toNanos();
            while (!receiver.over) {
                idle.idle(poll(subscription, whole, until));
            }
            return receiver.numbers.end();
        }
    }

    static int poll(Subscription subscription, FragmentHandler handler, long until) {
        int count = subscription.poll(handler, FRAGMENTS);
        if (count == 0 && System.nanoTime() - until > 0) {
            throw new IllegalStateException("nothing more arrives");
        }
        return count;
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        try (AeronMedia.Client client = media.open(port, false);
                ExclusivePublication publication = client.aeron().addExclusivePublication(media.channel(port), STREAM)) {
            UnsafeBuffer message = message(work);
            IdleStrategy idle = new BackoffIdleStrategy();
            long until = System.nanoTime() + Loopback.patience(work).toNanos();
            while (!publication.isConnected()) {
                idle.idle(check(Publication.NOT_CONNECTED, until));
            }
            Numbers numbers = new Numbers(work);
            long number;
            do {
                number = numbers.next();
                message.putLong(0, number, ByteOrder.LITTLE_ENDIAN);
                offer(publication, message, idle, until);
            } while (number != Numbers.LAST);
            Outcome outcome = numbers.end();
            awaitEnd(publication, idle, until);
            return outcome;
        }
    }

    static UnsafeBuffer message(Work work) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(work.size()));
    }

    static void offer(ExclusivePublication publication, UnsafeBuffer message, IdleStrategy idle, long until) {
        long position;
        while ((position = publication.offer(message, 0, message.capacity())) < 0) {
            idle.idle(check(position, until));
        }
        idle.reset();
    }

    /** The other side closes when it has all. */
    static void awaitEnd(ExclusivePublication publication, IdleStrategy idle, long until) {
        while (publication.isConnected()) {
            idle.idle(check(Publication.BACK_PRESSURED, until));
        }
    }

    /** No work done, which is for ever if the time is over. */
    private static int check(long position, long until) {
        if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED || System.nanoTime() - until > 0) {
            throw new IllegalStateException("Aeron takes no more: " + position);
        }
        return 0;
    }

    /** Checks what arrives. */
    private static final class Receiver implements FragmentHandler {
        private final Numbers numbers;
        private boolean over;

        Receiver(Numbers numbers) {
            this.numbers = numbers;
        }

        @Override
        public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
            long number = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
            if (number == Numbers.LAST) {
                over = true;
            } else {
                numbers.check(number);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/** Round trips through Aeron, with a stream in each direction. */
record AeronTrips(AeronMedia media) implements Peer {
    private static final int ANSWERS = AeronPeer.STREAM + 1;

    @Override
    public String title() {
        return "Aeron " + media;
    }

    @Override
    public String settings() {
        return media.settings() + "; the ends themselves spin where it says so";
    }

    @Override
    public boolean spins() {
        return media == AeronMedia.IPC; // the driver's threads need processors, too
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        int number = Loopback.freeUdpPort();
        try (AeronMedia.Client client = media.open(number, true);
                Subscription requests = client.aeron().addSubscription(media.channel(number), AeronPeer.STREAM);
                ExclusivePublication answers = client.aeron().addExclusivePublication(back(number), ANSWERS)) {
            port.accept(number);
            Numbers numbers = new Numbers(work);
            UnsafeBuffer message = AeronPeer.message(work);
            IdleStrategy idle = idle(work);
            long until = until(work);
            AtomicBoolean over = new AtomicBoolean();
            FragmentAssembler each = new FragmentAssembler((buffer, offset, length, header) -> {
                long asked = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                if (asked == Numbers.LAST) {
                    over.set(true);
                    return;
                }
                numbers.check(asked);
                message.putBytes(0, buffer, offset, length);
                AeronPeer.offer(answers, message, idle, until);
            });
            while (!over.get()) {
                idle.idle(AeronPeer.poll(requests, each, until));
            }
            return numbers.end();
        }
    }

    /** Where the answers go. */
    private String back(int port) {
        return media.channel(port == (1 << 16) - 1 ? port - 1 : port + 1);
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        try (AeronMedia.Client client = media.open(port, false);
                Subscription answers = client.aeron().addSubscription(back(port), ANSWERS);
                ExclusivePublication requests = client.aeron().addExclusivePublication(media.channel(port), AeronPeer.STREAM)) {
            IdleStrategy idle = idle(work);
            long until = until(work);
            while (!answers.isConnected() || !requests.isConnected()) {
                idle.idle(AeronPeer.poll(answers, (buffer, offset, length, header) -> { }, until));
            }
            UnsafeBuffer message = AeronPeer.message(work);
            Trips trips = new Trips(work);
            for (int lane = 0; lane < trips.lanes(); lane++) {
                message.putLong(0, trips.first(lane), ByteOrder.LITTLE_ENDIAN);
                AeronPeer.offer(requests, message, idle, until);
            }
            FragmentAssembler each = new FragmentAssembler((buffer, offset, length, header) -> {
                long next = trips.answered(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN));
                if (next != Numbers.LAST) {
                    message.putLong(0, next, ByteOrder.LITTLE_ENDIAN);
                    AeronPeer.offer(requests, message, idle, until);
                }
            });
            while (!trips.isOver()) {
                idle.idle(AeronPeer.poll(answers, each, until));
            }
            message.putLong(0, Numbers.LAST, ByteOrder.LITTLE_ENDIAN);
            AeronPeer.offer(requests, message, idle, until);
            AeronPeer.awaitEnd(requests, idle, until);
            return trips.end();
        }
    }

    private static IdleStrategy idle(Work work) {
        return work.waiting() == Waiting.SPIN ? BusySpinIdleStrategy.INSTANCE : new BackoffIdleStrategy();
    }

    private static long until(Work work) {
        return System.nanoTime() + Loopback.patience(work).toNanos();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioInbound;
import java.nio.ByteBuffer;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** The snippets of docs/guide.md about receiving. */
final class Receiving {

    private Receiving() {
    }

    // guide
    static Flux<Long> sums(NetioInbound in) {
        return in.receive(buffer -> {
            long sum = 0;
            while (buffer.remaining() >= Long.BYTES) {
                sum += buffer.getLong();
            }
            return sum; // and not the buffer: it receives the next message
        });
    }

    // guide
    static Flux<Long> sumsOfBatches(NetioInbound in) {
        return in.receiveBatches().map(batch -> {
            long sum = 0;
            while (batch.next()) {
                sum += batch.getLong(0);
            }
            return sum; // one for a buffer of messages
        });
    }

    // guide
    static Flux<Long> firstElsewhere(NetioInbound in) {
        return in.receiveLeased(leases -> leases
                .filter(lease -> lease.length() >= Long.BYTES)
                .publishOn(Lease.scheduler(Schedulers.parallel()))
                .map(lease -> {
                    try (lease) { // also when the work throws
                        return lease.getLong(0);
                    }
                }));
    }

    // guide end

    static Flux<Long> shared(NetioInbound in) {
        return in.receive(ByteBuffer::getLong).publish().refCount(2); // begins when both are there
    }
}

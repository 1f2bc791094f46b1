// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** The two processes of one program. */
public final class Pair implements AutoCloseable {
    /** Appended to the commands of a Java worker: through NetioConnection, with RAW framing. */
    static final String FLOW = "-flow";
    /** Appended to the commands of a Java worker: through NetioConnection, with STREAM framing. */
    static final String STREAM = "-stream";

    private final Worker receiver;
    private final Worker sender;

    private Pair(Worker receiver, Worker sender) {
        this.receiver = receiver;
        this.sender = sender;
    }

    public static Pair start(Supplier<Worker> receiver, Supplier<Worker> sender) {
        Worker first = receiver.get();
        try {
            return new Pair(first, sender.get());
        } catch (RuntimeException e) {
            first.close();
            throw e;
        }
    }

    String libraryVersion() {
        return sender.libraryVersion();
    }

    /** Does one round. */
    public Sample run(Work work, String variant) {
        return run(work, variant, port -> port);
    }

    /** Does one round over a way of its own: {@code via} says which port leads to the port it is given. */
    public Sample run(Work work, String variant, IntUnaryOperator via) {
        receiver.command("listen" + variant + " " + work.line());
        int port = via.applyAsInt(Integer.parseInt(receiver.answer("port")));
        sender.command("connect" + variant + " " + work.line() + " " + port);
        Outcome sent = sender.outcome();
        return new Sample(work, sent, receiver.outcome());
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }

    /** What both sides of a round measured. A stream counts where it arrives, a round trip where it began. */
    public record Sample(Work work, Outcome sent, Outcome received) {
        public double perSecond() {
            return (work.mode() == Work.Mode.STREAM ? received : sent).perSecond();
        }

        double allocatedPerMessage() {
            return Summary.max(new double[] {sent.allocatedPerMessage(), received.allocatedPerMessage()});
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioSocketException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Sends a file, or stdin, as a stream of messages, and ends when all of it has arrived. */
@Command(name = "send", description = "Send a file as messages. Ends when everything has arrived.")
public final class SendCommand implements Callable<Integer> {
    @Option(names = "--to", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where netio recv listens.")
    private @Nullable HostPort to;

    @Parameters(paramLabel = "FILE", description = "What to send; - is stdin.")
    private String file = "-";

    @Option(names = "--message-size", paramLabel = "BYTES",
            description = "Size of a message. Default: what fits a buffer of --buffer-size. With --framing stream any size up to"
                    + " 67108864 goes; with raw and page the receiver's buffers have to be as large, and this side's are made so"
                    + " unless --buffer-size says otherwise.")
    private @Nullable Integer messageSize;

    @Mixin
    private FramedOptions options = new FramedOptions();

    /** Called by picocli. */
    public SendCommand() {
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        HostPort target = Objects.requireNonNull(to);
        if (target.port() == 0) {
            throw CliException.usage("--to: nobody can listen on port 0");
        }
        int size = checkedMessageSize();
        Tally tally = new Tally();
        try (MessageSource source = MessageSource.open(file, size, tally)) {
            Report report = send(source, client(target, size).connectNow(Patience.ofSeconds(10)), tally);
            print(options.json() ? report.json() : report.text());
        }
        return 0;
    }

    private int checkedMessageSize() {
        Integer size = messageSize;
        boolean whole = !options.hasStreams();
        if (size == null) {
            return options.wholeMessage();
        }
        if (!whole) {
            TransferOptions.checkMessageSize(size);
        }
        TransferOptions.atLeastOne("--message-size", size);
        Integer given = options.givenBufferSize();
        if (whole && given != null && size > options.wholeMessage()) {
            throw CliException.usage("--message-size " + size + " does not fit --buffer-size " + given);
        }
        if (whole) {
            options.checkMemory(size);
        }
        return size;
    }

    /** Nothing is received here, so one small buffer is enough for that. */
    private NetioClient client(HostPort target, int size) {
        int bufferSize = options.givenBufferSize() != null || options.hasStreams() ? options.bufferSize()
                : Math.max(size + options.header(), ConnectionParameters.DEFAULT_BUFFER_SIZE);
        return options.network(NetioClient.create()).host(target.host()).port(target.port()).framing(options.framing())
                .sendBuffers(bufferSize, options.buffers()).receiveBuffers(options.smallBuffer(), 1);
    }

    private Report send(MessageSource source, NetioConnection connection, Tally tally) {
        Scheduler reader = Schedulers.newSingle("netio-reader", true);
        tally.start();
        try (StatusLine _ = StatusLine.of(tally::progress, !options.json())) {
            connection.send(source.messages(reader)).then(connection.completeOutbound()).block();
            Report report = tally.report(connection.statistics(), 0).over(connection.network());
            if (!options.hasStreams()) {
                heard(connection).block();
            }
            return report;
        } finally {
            connection.dispose();
            connection.onDispose().block();
        }
    }

    /**
     * Without STREAM framing done can mean in the peer's kernel, whoever reads it there. {@code netio recv} closes when it has
     * read the end; one that leaves it unread resets the connection, and one with another framing says something first.
     */
    private static Mono<Void> heard(NetioConnection connection) {
        return connection.receive().then()
                .onErrorComplete(end -> end instanceof NetioAbortedException && !(end.getCause() instanceof NetioSocketException))
                .timeout(Patience.ofSeconds(5), Mono.empty());
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void print(String report) {
        System.out.println(report);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * This library as an end of the conformance kit, through its public API. Commands come on one thread, events leave on the loop.
 */
final class JavaEnd implements AutoCloseable {
    private static final String OFFER = "framings=raw,page,stream"
            + " roles=connect,listen,send,receive,publish,subscribe,request,respond"
            + " extras=checksums,keepalive,shutdown,policies,patterns,headers,late message=67108864 transports=tcp";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Line OK = Line.of("ok");

    private final Consumer<Line> listener;
    private final NetioLoops loops = NetioLoops.create("netio-end", 1);
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile Session session;

    /** {@code listener} gets replies and events, on any thread. */
    JavaEnd(Consumer<Line> listener) {
        this.listener = listener;
        session = new Session();
    }

    /** Whether libfabric is installed here. */
    static boolean hasLibfabric() {
        return Libfabric.FOUND;
    }

    /** Looks once. */
    private static final class Libfabric {
        static final boolean FOUND = Boolean.TRUE.equals(NetioClient.create().backend(BackendType.LIBFABRIC).warmup()
                .thenReturn(true).onErrorReturn(BackendUnavailableException.class, false).block(PATIENCE));
    }

    /** Replies to {@code command}, and begins what it asks for. Returns false if it was the last. */
    boolean command(Line command) {
        List<Runnable> afterwards = new ArrayList<>();
        listener.accept(reply(command, afterwards));
        afterwards.forEach(Runnable::run);
        return !command.head().equals("quit");
    }

    private Line reply(Line command, List<Runnable> afterwards) {
        try {
            return switch (command.head()) {
                case "hello" -> Line.parse("ok name=java " + OFFER + (hasLibfabric() ? ",libfabric" : ""));
                case "reset" -> {
                    session.end();
                    session = new Session();
                    yield OK;
                }
                case "quit" -> OK;
                default -> session.reply(command, afterwards);
            };
        } catch (UnsupportedOperationException e) {
            return Line.of("error unsupported").text(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            return Line.of("error").text(e.toString());
        }
    }

    @Override
    public void close() {
        session.end();
        loops.dispose();
    }

    /** What there is between two resets. */
    private final class Session {
        private final Map<Integer, JavaConnection> connections = new ConcurrentHashMap<>();
        private final List<DisposableServer> servers = new ArrayList<>();
        private final Map<String, ReceivedStream> streams = new HashMap<>();
        private final Map<String, JavaRequests> requests = new HashMap<>();
        private final JavaPublishing publishing = new JavaPublishing(this::event);
        private volatile boolean over;

        /** Nothing of what was before a reset is told behind it. */
        private void event(Line event) {
            if (!over) {
                listener.accept(event);
            }
        }

        Line reply(Line command, List<Runnable> afterwards) {
            switch (command.head()) {
                case "listen" -> {
                    return OK.with("port", listen(command));
                }
                case "connect" -> {
                    int number = numbers.incrementAndGet();
                    afterwards.add(() -> connect(number, command));
                    return OK.with("c", number);
                }
                case "total" -> {
                    return total(command.get("s"));
                }
                case "subscribers" -> {
                    return OK.with("count", publishing.subscribers());
                }
                case "publish" -> {
                    publishing.publish(command);
                    connections.values().forEach(each -> {
                        publishing.serve(each.connection());
                        // it serves when its loop has come to that, and whoever subscribes before is told that nobody does
                        Mono.empty().subscribeOn(each.connection().scheduler()).block(PATIENCE);
                    });
                }
                case "emit" -> publishing.emit(command);
                case "unpublish" -> publishing.unpublish(command);
                case "more" -> stream(command).more(EndSettings.demand(command.get("n")));
                case "cancel" -> stream(command).stop();
                default -> onConnection(command, afterwards);
            }
            return OK;
        }

        private void onConnection(Line command, List<Runnable> afterwards) {
            JavaConnection connection = connections.get(command.number("c", 0));
            if (connection == null) {
                throw command.fields().containsKey("c") ? new IllegalArgumentException("no such connection: " + command)
                        : new UnsupportedOperationException(command.head());
            }
            switch (command.head()) {
                case "send" -> connection.send(command);
                case "end" -> {
                    if (command.number("code", 0) != 0) {
                        throw new UnsupportedOperationException("the connection's own stream fails with its connection only");
                    }
                    connection.complete();
                }
                case "receive" -> streams.put(command.get("s"), connection.receive(command));
                case "subscribe" -> streams.put(command.get("s"), connection.subscribe(command));
                case "respond" -> connection.respond(command);
                case "request" -> requests.put(command.get("s"), connection.request(command));
                case "close" -> {
                    boolean told = command.is("told", "yes");
                    if (told && !connection.isAccepted()) {
                        throw new UnsupportedOperationException("only a server tells that it shuts down");
                    }
                    afterwards.add(() -> close(connection, told));
                }
                default -> throw new UnsupportedOperationException(command.head());
            }
        }

        /** Closes a connection. Only a server tells that it shuts down, and it tells all its connections. */
        private void close(JavaConnection connection, boolean told) {
            if (told) {
                Flux.fromIterable(List.copyOf(servers)).flatMap(server -> server.shutdown(Duration.ZERO))
                        .doFinally(signal -> connection.close()).subscribe();
            } else {
                connection.close();
            }
        }

        private ReceivedStream stream(Line command) {
            return Objects.requireNonNull(streams.get(command.get("s")), "no such stream");
        }

        private Line total(String number) {
            JavaRequests asked = requests.get(number);
            return asked != null ? asked.total()
                    : Objects.requireNonNull(streams.get(number), "no such stream").total();
        }

        private int listen(Line command) {
            DisposableServer server = EndSettings.apply(command, NetioServer.create(), loops)
                    .doOnConnection(connection -> opened(numbers.incrementAndGet(), connection, null, command)).bindNow();
            servers.add(server);
            return server.port();
        }

        private void connect(int number, Line command) {
            NetioClient client = EndSettings.apply(command, NetioClient.create().port(command.number("port")), loops);
            client.doOnConnected(connection -> opened(number, connection, client, command)).connect()
                    .subscribe(connection -> { }, failure -> event(Line.of("event closed").with("c", number).with("code", 0)
                            .text(failure.toString())));
        }

        private void opened(int number, NetioConnection connection, @Nullable NetioClient client, Line command) {
            if (over) {
                connection.dispose();
                return;
            }
            JavaConnection opened = new JavaConnection(number, connection, client, command.is("framing", "raw"), this::event);
            connections.put(number, opened);
            if (EndSettings.isStream(command)) {
                publishing.serve(connection);
            }
            connection.onDispose().doFinally(signal -> event(Line.of("event closed").with("c", number).with("code", 0)))
                    .subscribe();
            event(Line.of("event connected").with("c", number));
        }

        void end() {
            over = true;
            requests.values().forEach(JavaRequests::stop);
            streams.values().forEach(ReceivedStream::stop);
            publishing.dispose();
            connections.values().forEach(JavaConnection::close);
            Flux.fromIterable(servers).flatMap(server -> server.shutdown(Duration.ZERO))
                    .thenMany(Flux.fromIterable(connections.values()).flatMap(each -> each.connection().onDispose()))
                    .then().block(PATIENCE);
        }
    }
}

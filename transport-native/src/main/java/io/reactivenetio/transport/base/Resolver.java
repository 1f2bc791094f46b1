// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.thread.LoopThreads;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.WorkerPool;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon threads for what may block before a connection can begin, so that no loop blocks. One thread at a time runs the tasks of
 * a host, one after the other; different hosts have different threads. So a host that takes long holds up only those who ask for
 * it, and there are no more threads than hosts.
 */
final class Resolver {
    /** The limit of each resolver. When so many hosts block at once, others have to wait. */
    private static final int THREADS = 64;
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    /** Looks host names up: a server that does not answer takes ten seconds and more. */
    private static final Resolver NAMES = new Resolver("netio-resolver-", THREADS);
    /** Asks fi_getinfo(3) about literal addresses, which does not wait for anybody's host names. */
    private static final Resolver ADDRESSES = new Resolver("netio-address-", THREADS);

    /** A task, and whether its result is still wanted. */
    private record Task(Runnable code, BooleanSupplier wanted) {
    }

    private final ThreadPoolExecutor executor;
    /** The tasks of each host that has a thread or waits for one. The map is its own lock. */
    private final Map<String, Queue<Task>> hosts = new HashMap<>();

    Resolver(String threadName, int threads) {
        executor = WorkerPool.create(threadName, threads);
    }

    /** The resolver for literal addresses, or the one for host names. */
    static Resolver of(boolean literal) {
        return literal ? ADDRESSES : NAMES;
    }

    /** The resolved address, if no name has to be looked up for it; else null. */
    static @Nullable InetSocketAddress literal(InetSocketAddress address) {
        if (!address.isUnresolved()) {
            return address;
        }
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(address.getHostString()), address.getPort());
        } catch (IllegalArgumentException name) {
            return null;
        }
    }

    /** Looks a host name up. See {@code NetworkBackend}. */
    static CompletableFuture<List<InetSocketAddress>> addressesOf(InetSocketAddress address) {
        InetSocketAddress known = literal(address);
        CompletableFuture<List<InetSocketAddress>> found = new CompletableFuture<>();
        if (known != null) {
            found.complete(List.of(known));
            return found;
        }
        String host = address.getHostString();
        NAMES.execute(host, () -> !found.isDone(), () -> {
            try {
                found.complete(byTurns(InetAddress.getAllByName(host)).map(one -> new InetSocketAddress(one, address.getPort()))
                        .toList());
            } catch (UnknownHostException e) {
                UnknownHostException told = Addresses.unknown(host, e);
                found.completeExceptionally(new NetioConnectException(String.valueOf(told.getMessage()), told));
            } catch (Throwable t) { // a resolver of the user's
                found.completeExceptionally(t);
            }
        });
        return found;
    }

    /** Returns the addresses of the first one's family and the others by turns, each once. */
    static Stream<InetAddress> byTurns(InetAddress... addresses) {
        Collection<List<InetAddress>> families = Stream.of(addresses).distinct()
                .collect(Collectors.groupingBy(InetAddress::getClass, LinkedHashMap::new, Collectors.toList())).values();
        return IntStream.range(0, addresses.length).boxed().flatMap(i -> families.stream().filter(family -> i < family.size())
                .map(family -> family.get(i)));
    }

    /**
     * Runs {@code code}, unless it is no longer {@code wanted} when its turn comes. A loop may call this. It does not wait for
     * the locks of the hosts.
     */
    void execute(String host, BooleanSupplier wanted, Runnable code) {
        LoopThreads.leave(() -> enqueue(host, new Task(code, wanted)));
    }

    private void enqueue(String host, Task task) {
        synchronized (hosts) {
            Queue<Task> waiting = hosts.get(host);
            if (waiting != null) {
                waiting.removeIf(other -> !other.wanted().getAsBoolean()); // else a host that never answers would collect them
                waiting.add(task);
                return;
            }
            hosts.computeIfAbsent(host, first -> new ArrayDeque<>()).add(task);
        }
        try {
            executor.execute(() -> serve(host));
        } catch (Throwable t) { // no thread: those that wait run into a time limit, but the next may get one
            LOG.warn("nobody can be asked about host '{}'", host, t);
            synchronized (hosts) {
                hosts.remove(host);
            }
        }
    }

    private void serve(String host) {
        Task next;
        while ((next = next(host)) != null) {
            try {
                next.code().run();
            } catch (Throwable t) {
                LOG.warn("what was to be done for host '{}' failed", host, t);
            }
        }
    }

    /** The next task that is wanted; null, and the host is forgotten, if there is none. */
    private @Nullable Task next(String host) {
        synchronized (hosts) {
            Queue<Task> waiting = hosts.getOrDefault(host, new ArrayDeque<>(0));
            Task next = waiting.poll();
            while (next != null && !next.wanted().getAsBoolean()) {
                next = waiting.poll();
            }
            if (next == null) {
                hosts.remove(host);
            }
            return next;
        }
    }
}

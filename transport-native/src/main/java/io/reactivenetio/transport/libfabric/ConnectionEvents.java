// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiError;
import io.reactivenetio.ffm.fabric.FiEventQueue;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.loop.LoopPoller;
import io.reactivenetio.loop.RepeatedDelay;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An event queue: hands each connection event to the endpoint it is about. The active endpoints of a fabric share one; a listen
 * endpoint has its own, see {@link PassiveEndpoint}.
 *
 * <p>Its descriptor rests for a while when it has woken the loop too often for nothing: tcp keeps it readable, with no event to
 * read, while a connection cannot be accepted because no descriptors are left. While there are some, such a
 * wake-up may have accepted peers that have said nothing yet, of which tcp tells nobody. Then the rests are short, with several
 * reads in between: those who do speak wait behind them.
 */
class ConnectionEvents implements LoopPoller {
    /** Events taken per turn. */
    private static final int BATCH = 32;
    /** Wake-ups without an event in a row, after which the descriptor rests. Each new connection has one or two. */
    private static final int MAX_IDLE_WAKE_UPS = 64;
    private static final long SHORTEST_REST_MICROS = 1_000;
    private static final long LONGEST_REST_MICROS = 20_000;
    /** While descriptors are left: the longest rest, and the reads between two, each of which accepts a few peers. */
    private static final long LONGEST_REST_WITH_PEERS_MICROS = 2_000;
    private static final int READS_BETWEEN_RESTS = 8;
    /** After so long without an idle wake-up, their count begins anew. */
    private static final long QUIET_NANOS = 200_000_000;
    /**
     * Failures of fi_eq_read in a row, after which the queue is given up. One says nothing of the queue: verbs answers with it
     * when the one connection whose route it has just found cannot be made (prov/verbs/src/verbs_eq.c,
     * RDMA_CM_EVENT_ROUTE_RESOLVED).
     */
    private static final int MAX_FAILURES = 8;
    /**
     * Events in a row about objects that are not known here, after which the queue is read a batch at a time, with a rest after
     * each. A few are in the queue when an endpoint is closed; so many are a fault of the provider.
     */
    private static final int MAX_UNKNOWN_EVENTS = 256;

    /** The receiver of an endpoint's events. */
    interface Owner {
        /** FI_CONNREQ. The owner has to close {@code info}. */
        void onRequest(FiInfo info);

        /** {@code data} is the private data of the accepting side. It has no meaning on that side itself. */
        void onConnected(byte[] data);

        void onShutdown();

        /** The asynchronous failure of a connect, accept or established connection. */
        void onFailure(int code, String text);

        /** The queue itself failed and reports nothing more: the owner closes itself. */
        void onQueueFailed(int code);
    }

    private final EventLoop loop;
    private final FiFabric fabric;
    private final FiEventQueue queue;
    private final FdRegistration registration;
    private final RepeatedDelay rest;
    private final Map<Long, Owner> owners = new HashMap<>();
    private boolean readable = true;
    /** Whether its descriptor was readable since the last read. */
    private boolean woken;
    private int idleWakeUps;
    private long idleNanos;
    private long restMicros = SHORTEST_REST_MICROS;
    private final long longestRestMicros;
    private boolean tryWaitNeeded = true;
    private int failures;
    private int unknownEvents;
    private boolean resting;
    private int failureCode;
    private boolean stopped;

    ConnectionEvents(EventLoop loop, FiFabric fabric) {
        this(loop, fabric, false);
    }

    /** With {@code wakesForData} its descriptor also wakes the loop for data of its endpoints, and must not rest for long. */
    ConnectionEvents(EventLoop loop, FiFabric fabric, boolean wakesForData) {
        this.loop = loop;
        this.longestRestMicros = wakesForData ? SHORTEST_REST_MICROS : LONGEST_REST_MICROS;
        this.fabric = fabric;
        this.queue = fabric.openEventQueue();
        this.rest = loop.repeatedDelay(this::endRest);
        this.registration = register();
    }

    private FdRegistration register() {
        try {
            return loop.register(queue.fd(), FdRegistration.READABLE, events -> {
                readable = true;
                woken = true;
            });
        } catch (RuntimeException e) {
            queue.close();
            throw e;
        }
    }

    /** From now on the loop polls the queue in each turn, until {@link #stop}. */
    void start() {
        loop.addPoller(this);
    }

    FiEventQueue queue() {
        return queue;
    }

    void add(long fid, Owner owner) {
        if (failureCode != 0) {
            throw new IllegalStateException("the event queue failed earlier (" + failureCode + "): a new backend gets a new one");
        }
        owners.put(fid, owner);
        readAgain();
    }

    void remove(long fid) {
        owners.remove(fid);
    }

    private void readAgain() {
        readable = true;
        loop.pollAgain();
    }

    @Override
    public int poll() {
        if (!readable || resting || failureCode != 0) {
            return 0;
        }
        tryWaitNeeded = true;
        boolean byDescriptor = woken;
        woken = false;
        for (int i = 0; i < BATCH && !stopped; i++) {
            int event = readEvent();
            if (event == -Fi.FI_EAGAIN) {
                readable = false;
                failures = 0;
                unknownEvents = 0;
                if (byDescriptor && i == 0) {
                    wokenWithoutEvent();
                }
                return i;
            }
            idleWakeUps = 0;
            if (!handle(event)) {
                return i;
            }
        }
        if (unknownEvents >= MAX_UNKNOWN_EVENTS && rest.arm(LONGEST_REST_MICROS, TimeUnit.MICROSECONDS)) {
            resting = true;
            registration.modify(0);
        }
        return BATCH;
    }

    /** Returns false if the queue is of no use any more. */
    private boolean handle(int event) {
        if (event < 0 && event != -Fi.FI_EAVAIL) {
            if (++failures == MAX_FAILURES) {
                giveUp("fi_eq_read", -event);
            }
            return failureCode == 0;
        }
        failures = 0;
        if (event < 0) {
            dispatchError();
        } else {
            dispatch(event);
        }
        return true;
    }

    private void wokenWithoutEvent() {
        if (!mayWait()) { // which takes back the signal of what was read before: a loop too busy to sleep would go on seeing it
            return;
        }
        long now = System.nanoTime();
        if (now - idleNanos > QUIET_NANOS) {
            idleWakeUps = 0;
        }
        idleNanos = now;
        if (idleWakeUps++ == 0) {
            restMicros = SHORTEST_REST_MICROS;
        }
        if (idleWakeUps > MAX_IDLE_WAKE_UPS) {
            rest();
        }
    }

    private void rest() {
        boolean full = !isDescriptorFree();
        long longest = full ? longestRestMicros : Math.min(LONGEST_REST_WITH_PEERS_MICROS, longestRestMicros);
        restMicros = Math.min(restMicros, longest);
        if (rest.arm(restMicros, TimeUnit.MICROSECONDS)) {
            restMicros = Math.min(2 * restMicros, longest);
            idleWakeUps = full ? idleWakeUps : MAX_IDLE_WAKE_UPS - READS_BETWEEN_RESTS;
            registration.modify(0);
        }
    }

    private static boolean isDescriptorFree() {
        int fd = LibC.eventfd(0, LibC.EFD_CLOEXEC);
        if (fd >= 0) {
            LibC.close(fd);
        }
        return fd >= 0;
    }

    /** Its descriptor has woken the loop for data: that was no idle wake-up. */
    void wokeForData() {
        idleWakeUps = 0;
    }

    private void endRest() {
        resting = false;
        registration.modify(FdRegistration.READABLE);
        readAgain();
    }

    private void dispatch(int event) {
        @Nullable FiInfo info = event == Fi.FI_CONNREQ ? queue.takeInfo() : null;
        Owner owner = owners.get(queue.fid());
        if (owner == null) {
            if (info != null) {
                info.close();
            }
            countUnknown(event, queue.fid());
            return;
        }
        unknownEvents = 0;
        if (info != null) {
            owner.onRequest(info);
        } else if (event == Fi.FI_CONNECTED) {
            owner.onConnected(queue.data());
        } else if (event == Fi.FI_SHUTDOWN) {
            owner.onShutdown();
        }
    }

    private void dispatchError() {
        FiError error = queue.readError();
        Owner owner = error == null ? null : owners.get(error.fid());
        if (owner != null && error != null) {
            unknownEvents = 0;
            owner.onFailure(error.err(), error.text());
        } else {
            countUnknown(-Fi.FI_EAVAIL, error == null ? 0 : error.fid());
        }
    }

    private void countUnknown(int event, long fid) {
        if (++unknownEvents == MAX_UNKNOWN_EVENTS) {
            loop.report(new IllegalStateException("libfabric's event queue tells " + MAX_UNKNOWN_EVENTS + " times in a row of"
                    + " what is not known here, at last event " + event + " of object 0x" + Long.toHexString(fid)
                    + ": a fault of this version of libfabric. It is read slowly until it ends"));
        }
    }

    /** Gives the queue up after an error that is about no connection, and that the next call would only repeat. */
    private void giveUp(String call, int code) {
        failureCode = code;
        rest.cancel();
        registration.modify(0);
        loop.report(new IllegalStateException(call + " failed (" + code + "): every connection and listener of this event queue"
                + " is closed"));
        List.copyOf(owners.values()).forEach(owner -> owner.onQueueFailed(code));
    }

    @Override
    public boolean mayWait() {
        if (failureCode != 0 || resting) {
            return true;
        }
        if (readable) {
            return false;
        }
        if (tryWaitNeeded) {
            int result = tryWait();
            if (result != 0 && result != -Fi.FI_EAGAIN) {
                giveUp("fi_trywait", -result);
                return false; // what was closed has things to do
            }
            tryWaitNeeded = result != 0;
            readable = tryWaitNeeded;
        }
        return !tryWaitNeeded;
    }

    int readEvent() {
        return queue.read();
    }

    int tryWait() {
        return fabric.tryWait(queue);
    }

    /** Ends the polling. The queue itself stays open, for what is still bound to it. */
    void stop() {
        stopped = true;
        loop.removePoller(this);
        rest.cancel();
        registration.close();
        owners.clear();
    }

    /** After {@link #stop}, and after everything bound to it is closed. */
    void close() {
        queue.close();
    }
}

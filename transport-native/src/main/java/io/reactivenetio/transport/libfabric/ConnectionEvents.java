// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.ffm.FiEventQueue;
import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.loop.LoopPoller;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event queue: hands each connection event to the endpoint it is about. The active endpoints of a fabric share one; a listen
 * endpoint has its own, see {@link PassiveEndpoint}.
 */
class ConnectionEvents implements LoopPoller {
    /** Events taken per turn. */
    private static final int BATCH = 32;

    /** Who an endpoint's events are for. */
    interface Owner {
        /** FI_CONNREQ; {@code info} is the owner's to close. */
        void onRequest(FiInfo info);

        /** {@code data} is what the accepting side said; nothing on that side itself. */
        void onConnected(byte[] data);

        void onShutdown();

        /** The asynchronous failure of a connect, accept or established connection. */
        void onFailure(int code, String text);

        /** The queue itself failed, nothing more will be heard: whoever is told closes itself. */
        void onBroken(int code);
    }

    private final EventLoop loop;
    private final FiFabric fabric;
    private final FiEventQueue queue;
    private final FdRegistration registration;
    private final Map<Long, Owner> owners = new HashMap<>();
    private boolean readable = true;
    private boolean untested = true;
    private int broken;

    ConnectionEvents(EventLoop loop, FiFabric fabric) {
        this.loop = loop;
        this.fabric = fabric;
        this.queue = fabric.openEventQueue();
        this.registration = loop.register(queue.fd(), FdRegistration.READABLE, events -> readable = true);
    }

    /** Takes part in the loop's turns from now on, until closed. */
    void start() {
        loop.addPoller(this);
    }

    FiEventQueue queue() {
        return queue;
    }

    void add(long fid, Owner owner) {
        if (broken != 0) {
            throw new IllegalStateException("the event queue failed earlier (" + broken + "): a new backend gets a new one");
        }
        owners.put(fid, owner);
        lookAgain();
    }

    void remove(long fid) {
        owners.remove(fid);
        lookAgain(); // an endpoint of the sockets provider that closes can take back the signal for another one's error
    }

    /** Tells now what has happened until now. */
    void tellNow() {
        readable = true;
        poll();
    }

    private void lookAgain() {
        readable = true;
        loop.pollAgain();
    }

    @Override
    public int poll() {
        if (!readable || broken != 0) {
            return 0;
        }
        untested = true;
        for (int i = 0; i < BATCH; i++) {
            int event = readEvent();
            if (event == -Fi.FI_EAGAIN) {
                readable = false;
                return i;
            }
            if (event == -Fi.FI_EAVAIL) {
                fail();
            } else if (event < 0) {
                breakOff("fi_eq_read", -event);
                return i;
            } else {
                dispatch(event);
            }
        }
        return BATCH;
    }

    private void dispatch(int event) {
        @Nullable FiInfo info = event == Fi.FI_CONNREQ ? queue.takeInfo() : null;
        Owner owner = owners.get(queue.fid());
        if (owner == null) {
            if (info != null) {
                info.close();
            }
            return;
        }
        if (info != null) {
            owner.onRequest(info);
        } else if (event == Fi.FI_CONNECTED) {
            owner.onConnected(queue.data());
        } else if (event == Fi.FI_SHUTDOWN) {
            owner.onShutdown();
        }
    }

    private void fail() {
        FiError error = queue.readError();
        Owner owner = error == null ? null : owners.get(error.fid());
        if (owner != null && error != null) {
            owner.onFailure(error.err(), error.text());
        }
    }

    /** An error that says nothing of a connection, and that the next call would only repeat. */
    private void breakOff(String call, int code) {
        broken = code;
        registration.modify(0);
        loop.report(new IllegalStateException(call + " failed (" + code + "): every connection and listener of this event queue"
                + " is closed"));
        List.copyOf(owners.values()).forEach(owner -> owner.onBroken(code));
    }

    @Override
    public boolean mayWait() {
        if (broken != 0) {
            return true;
        }
        if (readable) {
            return false;
        }
        if (untested) {
            int result = tryWait();
            if (result != 0 && result != -Fi.FI_EAGAIN) {
                breakOff("fi_trywait", -result);
                return false; // what was closed has things to do
            }
            untested = result != 0;
            readable = untested;
        }
        return !untested;
    }

    int readEvent() {
        return queue.read();
    }

    int tryWait() {
        return fabric.tryWait(queue);
    }

    /** Nothing is read any more; the queue itself stays open, for what is still bound to it. */
    void stop() {
        loop.removePoller(this);
        registration.close();
        owners.clear();
    }

    /** After {@link #stop}, and after everything bound to it is closed. */
    void close() {
        queue.close();
    }
}

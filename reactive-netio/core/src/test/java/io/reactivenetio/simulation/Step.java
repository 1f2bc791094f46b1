// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.Tags;

/** Something that a user, or the world, does at a time, in microseconds after the connections are there. */
sealed interface Step {
    /** The tag that stands for the connection's own stream. */
    int OWN = -1;

    enum Side {
        CLIENT, SERVER;

        Side other() {
            return this == CLIENT ? SERVER : CLIENT;
        }
    }

    /** How messages are received. */
    enum Kind { OWNED, DECODED, TAGGED, LEASED, LEASED_LONG, LEASED_CHAIN, BATCHED, LEASED_KEPT }

    /** What stands between a publisher of the library and its subscriber. */
    enum Chain { PLAIN, TAKE_REPEAT, CONCAT, RETRY, LIMIT_RATE, RESUME, FLAT_MAP, PUBLISH_ON, GROUP_BY }

    /** As what messages are given to the library: as buffers, with tag and status, or as the values of batches. */
    enum Given { BUFFERS, TAGGED, BATCHES }

    /** What follows a send. */
    enum After { NOTHING, SEND_AGAIN, RETRY, COMPLETE, DISPOSE }

    long at();

    record Receive(long at, int connection, Side side, int tag, Kind kind, Chain chain, Probe.Demand demand, int batch,
            int cancelAfter) implements Step {
    }

    record Send(long at, int connection, Side side, int tag, MessageSource.Plan plan, boolean transmitted, After after,
            Given given) implements Step {
    }

    /** Several in a row complete the same stream. After the last one the connection may be closed, as a handler would do it. */
    record Complete(long at, int connection, Side side, int tag, int times, boolean dispose) implements Step {
    }

    /** All that this side receives there is cancelled, from another thread. */
    record Cancel(long at, int connection, Side side, int tag) implements Step {
    }

    /** All that this side sends there is cancelled, from another thread. */
    record CancelSends(long at, int connection, Side side, int tag) implements Step {
    }

    /** Through a subscriber that several such steps of a client share; a {@code last} that is negative is a mask. */
    record Subscribe(long at, int client, int first, int last, int policy, boolean reconnect, Probe.Demand demand, int batch,
            int cancelAfter) implements Step {
        /** A single tag, a range or a pattern. */
        Tags tags() {
            return last < 0 ? Tags.masked(first & last, last) : Tags.range(first, last);
        }
    }

    /** Several tags in one call, of which nobody serves the last, through a subscriber of its own that tries again for ever. */
    record SubscribeEach(long at, int client, Probe.Demand demand, int batch) implements Step {
    }

    /** All subscriptions of a client are cancelled, from another thread. */
    record Unsubscribe(long at, int client) implements Step {
    }

    /** Another thread asks for one message, so many times at once, wherever this side receives that. */
    record Flood(long at, int connection, Side side, int tag, int requests) implements Step {
    }

    /** This side subscribes to a tag that nobody serves, ends one that nobody subscribes to, and gives up, so many times. */
    record GiveUp(long at, int connection, Side side, int times) implements Step {
    }

    /** Receives as fast as it can, until it has so many messages, and then one now and then, from a peer that has many. */
    record BecomeSlow(long at, int connection, Side side, int fast) implements Step {
    }

    /** The next message on its way to this side is not what was sent. */
    record Corrupt(long at, int connection, Side side, Damage damage) implements Step {
    }

    /** What can become of a message. */
    enum Damage { FLIPPED, CUT_SHORT, TWICE, RANDOM, EMPTY }

    /** Requests, one after the other or at once, each given up after so many microseconds, 0 for never. */
    record Ask(long at, int connection, Side side, int tag, int requests, int size, int timeout) implements Step {
    }

    /** Answers after up to so many microseconds; every so manieth fails, 0 for none. */
    record Respond(long at, int connection, Side side, int tag, int concurrency, int takes, int fails) implements Step {
    }

    /** Answers no more. */
    record StopResponding(long at, int connection, Side side, int tag) implements Step {
    }

    record Stall(long at, Side side, int micros) implements Step {
    }

    record Dispose(long at, int connection, Side side) implements Step {
    }

    /** The network breaks, and both ends notice at some time. */
    record Cut(long at, int connection) implements Step {
    }

    /** The RDMA device of one side is gone, or both if they are on one loop, and with it all connections over it. */
    record Unplug(long at, Side side) implements Step {
    }

    /** Nothing arrives any more, and nobody is told. */
    record Silence(long at, int connection) implements Step {
    }

    record Shutdown(long at, int micros) implements Step {
    }

    /** The server shuts down, with so much time for its connections, and then there is another in its place. */
    record Restart(long at, int micros) implements Step {
    }

    /** A client connects that keeps to no rules, and says so many pages, half of them of its favourite kind. */
    record Intrude(long at, int pages, RulelessPeer.Trick favourite) implements Step {
    }

    /** Clients connect that do not know the secret of the name that they say, and which the server knows or not. */
    record Pretend(long at, int times, boolean isKnown) implements Step {
    }

    /** The publisher serves nothing any more. */
    record EndPublisher(long at) implements Step {
    }
}

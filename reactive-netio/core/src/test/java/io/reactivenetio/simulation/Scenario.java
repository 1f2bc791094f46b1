// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.Framing;
import io.reactivenetio.FramingKind;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.simulated.SimulatedNetwork.Reach;
import io.reactivenetio.simulation.MessageSource.Plan;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All that makes a world: the same scenario always runs the same way.
 *
 * @param seed what is not said here is drawn from it: who comes first, how long a message takes
 */
record Scenario(long seed, Setup setup, Ways ways, Guard guard, WorldNetwork.Weather weather, List<Step> steps) {
    /**
     * The networks between the two hosts, as they are in the beginning.
     *
     * @param serverHasRdma whether the server has an RDMA device
     * @param clientHasRdma whether the clients have one; with one loop both ends have that of the server
     * @param verbs how each address of the server's name is reached over RDMA
     * @param tcp how it is reached over plain TCP: one of these answers
     */
    record Ways(boolean serverHasRdma, boolean clientHasRdma, List<Reach> verbs, List<Reach> tcp) {
        static final Ways PLAIN = new Ways(false, false, List.of(Reach.ANSWERS), List.of(Reach.ANSWERS));

        /** What every connection is to be carried by. */
        Network fastest() {
            return serverHasRdma && clientHasRdma && verbs.contains(Reach.ANSWERS) ? Network.VERBS : Network.PLAIN_TCP;
        }
    }

    /**
     * Whom the server lets in, and what they may do, with STREAM framing only; and whether what they say is sealed.
     *
     * @param tls whether connections have TLS
     * @param asks whether clients have to prove who they are
     * @param forbidden the tags that they have no right to
     */
    record Guard(boolean tls, boolean asks, Map<Right, Set<Integer>> forbidden) {
        static final Guard NONE = new Guard(false, false, Map.of());

        /** Whether they have no right to one of {@code tags}, which is as bad as to all. */
        boolean forbids(Right right, Tags tags) {
            return forbidden.getOrDefault(right, Set.of()).stream().anyMatch(tags::contains);
        }
    }

    /**
     * The two ends.
     *
     * @param loops 1 if both ends are on the same loop
     * @param clients connections that are there from the start
     * @param bufferSize bytes, in both directions
     * @param keepAliveMillis after so long a peer that says nothing is dead; 0 for the default
     * @param prefetch messages that streams ask for ahead of their subscribers, 0 for none, {@link #ADAPTIVE} for the default
     * @param prefetchBytes of them together
     * @param hot what is published on tags 100 and 101, null for nothing
     * @param cold what is published for each subscriber on tags 110 to 112
     * @param serverPropagates whether the server writes and reads headers of requests
     * @param clientPropagates whether clients do
     */
    record Setup(FramingKind framing, EndSignal endSignal, int loops, int clients, int bufferSize, int receiveBuffers,
            int sendBuffers, boolean sharedBuffers, int maxMessage, int maxStreams, boolean checksums, int keepAliveMillis,
            LeasePolicy leases, SlowPolicy policy, int queue, int prefetch, long prefetchBytes, Plan hot, Plan cold,
            boolean serverPropagates, boolean clientPropagates) {
        static final int ADAPTIVE = -1;

        /** The framing with its settings, for STREAM with checksums or without. */
        Framing spec(boolean checked) {
            return switch (framing) {
                case RAW -> shared(Framing.raw().endSignal(endSignal));
                case PAGE -> shared(Framing.page());
                case STREAM -> {
                    Framing.Stream made = Framing.stream().maxMessageSize(maxMessage).reassemblyBudget(2L * maxMessage)
                            .maxStreams(maxStreams).checksums(checked);
                    yield prefetch == ADAPTIVE ? made : made.prefetch(prefetch, prefetchBytes);
                }
            };
        }

        private <T extends Framing.Plain<T>> T shared(T made) {
            return sharedBuffers ? made.sharedReceiveBuffers(bufferSize, receiveBuffers)
                    .sharedSendBuffers(bufferSize, sendBuffers)
                    : made;
        }

        boolean requestsHaveHeaders() {
            return serverPropagates && clientPropagates;
        }
    }

    Scenario withSteps(List<Step> fewer) {
        return new Scenario(seed, setup, ways, guard, weather, List.copyOf(fewer));
    }

    @Override
    public String toString() {
        return "seed " + seed + "\n  " + setup + "\n  " + ways + "\n  " + guard + "\n  " + weather + "\n"
                + steps.stream().map(step -> "    " + step + "\n").collect(Collectors.joining());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what each peer of a server may do with which tags. Set with {@link io.reactivenetio.NetioServer#authorize}.
 *
 * <p>It is asked for each stream that the two sides open, before any memory or source is touched: when the peer subscribes, and
 * when this side is about to receive from the peer. A peer that is refused gets {@link
 * io.reactivenetio.transport.exceptions.StreamError#FORBIDDEN}. Where this side receives from a peer that may not send, its own
 * subscriber gets that error. Streams that are open already stay. What the connection itself sends and receives, without {@code
 * stream(tag)}, a publisher or requests, has no rights: the program decides by {@link NetioConnection#principal}.
 */
@FunctionalInterface
public interface NetioAuthorizer {

    /**
     * Whether {@code peer} has this right to all of these tags. Called on the loop of the connection, and must not block. What it
     * throws is logged, and the peer is refused.
     *
     * @param peer {@link NetioConnection#principal}; null if nobody knows who it is
     * @param tags one tag, or the pattern of a subscription: whoever may have only some of its tags has to be refused
     */
    boolean may(@Nullable Principal peer, Right right, Tags tags);

    /** Grants what one of {@code rules} grants, and nothing else. */
    static NetioAuthorizer of(List<AccessRule> rules) {
        List<AccessRule> all = List.copyOf(rules);
        return (peer, right, tags) -> all.stream().anyMatch(rule -> rule.grants(peer, right, tags));
    }
}

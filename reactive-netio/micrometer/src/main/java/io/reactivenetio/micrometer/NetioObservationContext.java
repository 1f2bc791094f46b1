// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import java.net.SocketAddress;

/**
 * What is known of an observation: for conventions, filters and predicates of the registry. It is implemented by the Context of
 * each: {@link NetioRequestContext}, {@link NetioRespondContext}, {@link NetioClientContext}.
 */
public sealed interface NetioObservationContext permits NetioRequestContext, NetioRespondContext, NetioClientContext {

    /** What is observed. */
    NetioObservationDocumentation observation();

    /** The tag, a number without sign, or several; empty for {@link NetioObservationDocumentation#CONNECT}. */
    String tag();

    /** The peer. If the client was given a host name, the address is that name, and is not resolved. */
    SocketAddress peer();

    /** How it ended: {@code success}, {@code error} or {@code cancelled}; {@code unknown} before. */
    String outcome();
}

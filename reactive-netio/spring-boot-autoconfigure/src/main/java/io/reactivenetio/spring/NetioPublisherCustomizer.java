// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.pubsub.NetioPublisher;

/** A bean that gives the publisher its sources, or changes it. Several are called in their order. */
@FunctionalInterface
public interface NetioPublisherCustomizer {

    /** Called once, when the publisher is made. */
    void customize(NetioPublisher publisher);
}

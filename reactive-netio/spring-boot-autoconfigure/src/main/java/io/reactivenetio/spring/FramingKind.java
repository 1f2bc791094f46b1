// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

/** How messages lie in buffers, as {@link io.reactivenetio.Framing} says it. */
public enum FramingKind {
    /** One message per buffer. */
    RAW,
    /** Many messages per buffer, each with a tag. */
    PAGE,
    /** Reactive Streams across the wire, many on each connection. */
    STREAM
}

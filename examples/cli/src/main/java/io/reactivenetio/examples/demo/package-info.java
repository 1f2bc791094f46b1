// SPDX-License-Identifier: Apache-2.0

/**
 * The demo: a simulated detector in one process, its readout in another, libfabric in between.
 *
 * <p>Detector: {@link io.reactivenetio.examples.demo.Trigger} decides which events there are, each
 * {@link io.reactivenetio.examples.demo.DetectorLink} makes fragments of them, as far as it is asked for;
 * {@link io.reactivenetio.examples.demo.Detector} publishes them, a tag for each link. Readout:
 * {@link io.reactivenetio.examples.demo.Readout} subscribes to the tags,
 * {@link io.reactivenetio.examples.demo.ReadoutLink} decodes them, {@link io.reactivenetio.examples.demo.event.EventBuilder} puts
 * them together, {@link io.reactivenetio.examples.demo.LiveView} shows it,
 * {@link io.reactivenetio.examples.demo.Summary} judges it.
 */
@NullMarked
package io.reactivenetio.examples.demo;

import org.jspecify.annotations.NullMarked;


// SPDX-License-Identifier: Apache-2.0

/**
 * The readout of a detector as a Spring Boot application. {@link io.reactivenetio.examples.detector.Readout} gets the fragments
 * of all links and has {@link io.reactivenetio.examples.detector.EventBuilder} put them together,
 * {@link io.reactivenetio.examples.detector.Monitor} gets as many as it can take, and
 * {@link io.reactivenetio.examples.detector.Page} shows how it goes.
 * {@link io.reactivenetio.examples.detector.SimulatedDetector} stands in for a detector.
 */
@NullMarked
package io.reactivenetio.examples.detector;

import org.jspecify.annotations.NullMarked;

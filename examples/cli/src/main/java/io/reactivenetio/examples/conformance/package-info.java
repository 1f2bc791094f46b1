// SPDX-License-Identifier: Apache-2.0

/**
 * The conformance kit of docs/conformance.md: {@link io.reactivenetio.examples.conformance.ConformanceCommand} drives any program
 * and a {@link io.reactivenetio.examples.conformance.JavaEnd} of this process through the same line protocol, and compares what
 * both say.
 */
@NullMarked
package io.reactivenetio.examples.conformance;

import org.jspecify.annotations.NullMarked;

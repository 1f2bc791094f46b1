// SPDX-License-Identifier: Apache-2.0

/**
 * The netio bench command. {@code BenchCommand} starts pairs of processes, of the C program and of {@link
 * io.reactivenetio.benchmarks.BenchWorker}, and has them do one round each in turn.
 */
@NullMarked
package io.reactivenetio.benchmarks;

import org.jspecify.annotations.NullMarked;


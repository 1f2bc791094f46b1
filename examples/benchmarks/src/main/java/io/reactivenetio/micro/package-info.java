// SPDX-License-Identifier: Apache-2.0

/**
 * Micro-benchmarks of what the library itself does with a message, for JMH, which {@code MicroCommand} runs. They use packages
 * that are not exported, and so run on the class path only.
 */
@NullMarked
package io.reactivenetio.micro;

import org.jspecify.annotations.NullMarked;


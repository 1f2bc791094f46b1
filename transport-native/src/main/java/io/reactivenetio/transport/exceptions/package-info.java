// SPDX-License-Identifier: Apache-2.0

/** What this library throws and reports as errors: {@link NetioException} and its kinds. */
@NullMarked
package io.reactivenetio.transport.exceptions;

import org.jspecify.annotations.NullMarked;

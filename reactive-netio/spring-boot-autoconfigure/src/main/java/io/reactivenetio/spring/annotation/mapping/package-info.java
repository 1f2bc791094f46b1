// SPDX-License-Identifier: Apache-2.0

/** Has methods that are annotated with {@code NetioMapping} answer requests. Internal. */
@NullMarked
package io.reactivenetio.spring.annotation.mapping;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/** Runs the methods that are annotated with {@code NetioListener}. Internal. */
@NullMarked
package io.reactivenetio.spring.annotation.listener;

import org.jspecify.annotations.NullMarked;

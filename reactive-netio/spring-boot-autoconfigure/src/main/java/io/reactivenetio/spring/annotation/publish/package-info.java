// SPDX-License-Identifier: Apache-2.0

/** Publishes what methods return that are annotated with {@code NetioPublish}. Internal. */
@NullMarked
package io.reactivenetio.spring.annotation.publish;

import org.jspecify.annotations.NullMarked;

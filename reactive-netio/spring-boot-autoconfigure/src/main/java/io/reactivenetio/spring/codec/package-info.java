// SPDX-License-Identifier: Apache-2.0

/** Finds codecs by type: beans, those of the library, and those of Spring. Internal; applications see {@code NetioCodecs}. */
@NullMarked
package io.reactivenetio.spring.codec;

import org.jspecify.annotations.NullMarked;

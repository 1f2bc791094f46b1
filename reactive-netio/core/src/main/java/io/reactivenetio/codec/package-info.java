// SPDX-License-Identifier: Apache-2.0

/** Internal: how text and records lie in messages. It knows buffers, and not the codecs of users. */
@NullMarked
package io.reactivenetio.codec;

import org.jspecify.annotations.NullMarked;

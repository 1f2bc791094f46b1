// SPDX-License-Identifier: Apache-2.0
/** A series of detector images that several workers share: each image goes to exactly one of them. */
@NullMarked
package io.reactivenetio.examples.images;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/** Finds annotated methods, reads their attributes, calls them, and encodes what they return. Internal. */
@NullMarked
package io.reactivenetio.spring.annotation.method;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0

/** Has Spring Security know who the peer is while methods and handlers work for it. Internal. */
@NullMarked
package io.reactivenetio.spring.security;

import org.jspecify.annotations.NullMarked;

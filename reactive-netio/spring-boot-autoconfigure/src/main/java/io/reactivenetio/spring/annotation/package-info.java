// SPDX-License-Identifier: Apache-2.0

/** Methods of beans that receive, answer and publish; docs/spring.md says how. */
@NullMarked
package io.reactivenetio.spring.annotation;

import org.jspecify.annotations.NullMarked;

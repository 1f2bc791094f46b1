// SPDX-License-Identifier: Apache-2.0

/** Auto-configuration of annotated methods. */
@NullMarked
package io.reactivenetio.spring.annotation.autoconfigure;

import org.jspecify.annotations.NullMarked;

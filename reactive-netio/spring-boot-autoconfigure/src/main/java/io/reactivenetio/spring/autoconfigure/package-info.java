// SPDX-License-Identifier: Apache-2.0

/** Auto-configuration of what everything else needs: loops, clients and a publisher. */
@NullMarked
package io.reactivenetio.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;

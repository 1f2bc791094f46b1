// SPDX-License-Identifier: Apache-2.0

/**
 * {@link io.reactivenetio.test.NetioTestPair}: a server and a client that are connected, for tests of your own pipelines. Over
 * loopback, or in memory and on virtual time.
 */
@NullMarked
package io.reactivenetio.test;

import org.jspecify.annotations.NullMarked;

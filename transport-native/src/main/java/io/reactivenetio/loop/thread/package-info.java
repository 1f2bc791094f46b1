// SPDX-License-Identifier: Apache-2.0

/** Internal. The thread of an event loop: whose loop it is, where it runs, how long it spins, who watches it and waits for it. */
@NullMarked
package io.reactivenetio.loop.thread;

import org.jspecify.annotations.NullMarked;

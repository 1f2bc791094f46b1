// SPDX-License-Identifier: Apache-2.0

/** The single-threaded epoll event loop with its file descriptor handlers, signals, timers and inbox. */
@NullMarked
package io.reactivenetio.loop;

import org.jspecify.annotations.NullMarked;


// SPDX-License-Identifier: Apache-2.0

/** Internal. What an event loop has to run: tasks from other threads, delayed ones, those for the end of a turn or of itself. */
@NullMarked
package io.reactivenetio.loop.task;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.concurrent.atomic.LongAdder;

/** What a listener counts from the start of the application on. Any thread. */
final class ListenerCounters {
    final LongAdder received = new LongAdder();
    final LongAdder handled = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder discarded = new LongAdder();
}

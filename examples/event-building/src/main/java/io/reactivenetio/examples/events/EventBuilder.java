// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.examples.events.Built.Kind;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Puts the fragments of an event together: of all links, or of those that have come within the time. Keyed by the event. */
final class EventBuilder extends KeyedProcessFunction<Long, Fragment, Built> {
    private static final long serialVersionUID = 1;

    private final int all;
    private final long timeoutMillis;

    /** The links that have come, one bit for each. */
    private transient ValueState<Integer> come;

    EventBuilder(int links, long timeoutMillis) {
        this.all = (1 << links) - 1;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public void open(OpenContext context) {
        come = getRuntimeContext().getState(new ValueStateDescriptor<>("links", Types.INT));
    }

    @Override
    public void processElement(Fragment fragment, Context context, Collector<Built> out) throws Exception {
        int bit = 1 << fragment.link();
        if (!fragment.arrived()) {
            out.collect(new Built(Kind.MISSING, fragment.from(), bit, fragment.to() - fragment.from() + 1));
            return;
        }
        Integer before = come.value();
        long end = Objects.requireNonNull(context.timestamp(), "a fragment has a time") + timeoutMillis;
        if (before == null && end <= context.timerService().currentWatermark()) {
            out.collect(new Built(Kind.LATE, fragment.from(), bit, 1));
            return;
        }
        int now = bit | (before == null ? 0 : before);
        if (now == all) {
            out.collect(new Built(Kind.COMPLETE, fragment.from(), all, 1));
            come.clear();
            context.timerService().deleteEventTimeTimer(end);
        } else {
            if (before == null) {
                context.timerService().registerEventTimeTimer(end);
            }
            come.update(now);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Built> out) throws Exception {
        Integer links = come.value();
        if (links != null) {
            out.collect(new Built(Kind.INCOMPLETE, context.getCurrentKey(), links, 1));
            come.clear();
        }
    }
}

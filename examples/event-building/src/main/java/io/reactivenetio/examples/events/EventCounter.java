// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.examples.events.Built.Kind;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Numbers the events, adds everything up, and emits the sums now and then, and at the end. */
final class EventCounter extends KeyedProcessFunction<Integer, Built, Totals> {
    /** The events, beside the sums. */
    static final OutputTag<Event> EVENTS = new OutputTag<>("events", TypeInformation.of(Event.class));

    private static final long serialVersionUID = 1;
    private static final int EVERY = 500;

    private final int links;
    private transient ValueState<Totals> sums;
    private int n;

    EventCounter(int links) {
        this.links = links;
    }

    @Override
    public void open(OpenContext context) {
        sums = getRuntimeContext().getState(new ValueStateDescriptor<>("sums", Totals.class));
    }

    @Override
    public void processElement(Built built, Context context, Collector<Totals> out) throws Exception {
        Totals now = sums.value();
        if (now == null) {
            now = new Totals(links);
            context.timerService().registerEventTimeTimer(Long.MAX_VALUE); // the end
        }
        now.add(built);
        if (built.kind() == Kind.COMPLETE || built.kind() == Kind.INCOMPLETE) {
            context.output(EVENTS, new Event(now.events(), built.event(), built.links()));
        }
        sums.update(now);
        if (++n % EVERY == 0) {
            out.collect(now);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<Totals> out) throws Exception {
        out.collect(sums.value());
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Adds everything up, and emits the sums now and then, and at the end. */
final class EventCounter extends KeyedProcessFunction<Integer, Built, Totals> {
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

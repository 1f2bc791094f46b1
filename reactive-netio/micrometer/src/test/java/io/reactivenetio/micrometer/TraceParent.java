// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.util.ArrayList;
import java.util.List;

/** The propagation of W3C's header, and what one process has of traces and meters. */
final class TraceParent implements Propagator {
    private static final String HEADER = "traceparent";

    private final SimpleTracer tracer;

    private TraceParent(SimpleTracer tracer) {
        this.tracer = tracer;
    }

    /** The registry of a process, which knows nothing of those of others. */
    static final class Process {
        final SimpleTracer tracer = new SimpleTracer();
        final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        final ObservationRegistry registry = ObservationRegistry.create();

        Process() {
            Propagator propagator = new TraceParent(tracer);
            registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters))
                    .observationHandler(new FirstMatchingCompositeObservationHandler(
                            new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                            new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                            new DefaultTracingObservationHandler(tracer)));
        }

        /** The spans that have begun so far, in that order. */
        List<SimpleSpan> spans() {
            return new ArrayList<>(tracer.getSpans());
        }

        SimpleSpan span(String name) {
            return spans().stream().filter(span -> name.equals(span.getName())).reduce((one, other) -> {
                throw new AssertionError("several spans are named " + name + ": " + spans());
            }).orElseThrow(() -> new AssertionError("no span is named " + name + ": " + spans()));
        }

        long count(String timer, String outcome) {
            return meters.find(timer).tag("outcome", outcome).timers().stream().mapToLong(each -> each.count()).sum();
        }
    }

    @Override
    public List<String> fields() {
        return List.of(HEADER);
    }

    @Override
    public <C> void inject(TraceContext context, C carrier, Setter<C> setter) {
        setter.set(carrier, HEADER, "00-%32s-%16s-01".formatted(context.traceId(), context.spanId()).replace(' ', '0'));
    }

    @Override
    public <C> Span.Builder extract(C carrier, Getter<C> getter) {
        Span.Builder builder = tracer.spanBuilder();
        SimpleSpan current = tracer.currentSpan();
        if (current != null) {
            builder.setParent(current.context()); // as OpenTelemetry has it
        }
        String header = getter.get(carrier, HEADER);
        if (header != null) {
            String[] parts = header.split("-");
            builder.setParent(tracer.traceContextBuilder().traceId(parts[1].substring(16)).spanId(parts[2]).sampled(true)
                    .build());
        }
        return builder;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.Framing;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;

/**
 * What one instance of a TCK class is about. Its text stands in the name of each test.
 *
 * @param prefetch messages that connections ask for ahead of their subscribers
 */
record Variant(BackendType backend, Framing framing, int prefetch) {
    static final Framing RAW = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);
    static final Framing PAGE = Framing.page().endSignal(EndSignal.EMPTY_MESSAGE);
    static final Framing.Stream STREAM = Framing.stream();

    /** A part of a text, to run less. */
    private static final String ONLY = System.getProperty("netio.test.combinations", "");

    /** Every backend with every framing; where there is an RDMA device its own, with RAW and STREAM. */
    private static Stream<Variant> all() {
        return Stream.of(BackendType.TCP, BackendType.LIBFABRIC)
                .filter(backend -> !TestSettings.VERBS || backend == BackendType.LIBFABRIC)
                .flatMap(backend -> Stream.of(RAW, PAGE, STREAM)
                        .filter(framing -> !TestSettings.VERBS || framing != PAGE)
                        .map(framing -> new Variant(backend, framing, 0)));
    }

    private static Object[] chosen(Stream<Variant> variants, Predicate<Variant> wanted) {
        return variants.filter(wanted).filter(variant -> variant.toString().contains(ONLY)).toArray();
    }

    @DataProvider
    static Object[] every() {
        return chosen(all(), variant -> true);
    }

    /** And a stream that asks its peer ahead of its subscriber, who must not notice. */
    @DataProvider
    static Object[] everyAndAhead() {
        Variant ahead = new Variant(BackendType.TCP, STREAM, 8);
        return chosen(Stream.concat(all(), Stream.of(ahead)), variant -> variant != ahead || !TestSettings.VERBS);
    }

    /**
     * For what is made in the same way with any framing, and differs by what the next operator is: each backend and two framings,
     * unless all is run. Where Java is emulated, STREAM shows it.
     */
    @DataProvider
    static Object[] everyInTime() {
        return chosen(all(), variant -> TestSettings.SLOW ? variant.framing == STREAM
                : TestSettings.FULL || TestSettings.VERBS
                        || variant.framing == (variant.backend == BackendType.TCP ? STREAM : RAW));
    }

    /** For the same sources as Publishers of java.util.concurrent.Flow: one of each, unless all is run. */
    @DataProvider
    static Object[] everyBackend() {
        return chosen(all(), variant -> variant.framing == RAW
                && (TestSettings.FULL || TestSettings.VERBS || variant.backend == BackendType.TCP));
    }

    @Override
    public String toString() {
        return (backend == BackendType.LIBFABRIC ? "libfabric/" + TestSettings.PROVIDER : "plain TCP") + " " + framing
                + (prefetch == 0 ? "" : " prefetch " + prefetch);
    }
}

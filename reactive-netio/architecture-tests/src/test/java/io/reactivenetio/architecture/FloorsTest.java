// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.targetOwner;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/** The floors of docs/architecture.md as rules: an arrow may only point down. */
@AnalyzeClasses(packages = "io.reactivenetio", importOptions = DoNotIncludeTests.class)
class FloorsTest {
    private static final String ALL = "io.reactivenetio..";
    private static final String FFM = "io.reactivenetio.ffm";
    private static final String FABRIC = "io.reactivenetio.ffm.fabric..";
    private static final String MEMORY = "io.reactivenetio.memory..";
    private static final String LOOP_THREAD = "io.reactivenetio.loop.thread..";
    private static final String LOOP_FD = "io.reactivenetio.loop.fd..";
    private static final String LOOP_TASK = "io.reactivenetio.loop.task..";
    private static final String LOOP = "io.reactivenetio.loop";
    private static final String TRANSPORT = "io.reactivenetio.transport";
    private static final String BACKEND = "io.reactivenetio.transport.backend..";
    private static final String EXCEPTIONS = "io.reactivenetio.transport.exceptions..";
    private static final String BASE = "io.reactivenetio.transport.base..";
    private static final String LIBFABRIC = "io.reactivenetio.transport.libfabric..";
    private static final String TCP = "io.reactivenetio.transport.tcp..";
    private static final String TLS = "io.reactivenetio.transport.tls..";
    private static final String ACCESS = "io.reactivenetio.access..";
    private static final String CREDENTIALS = "io.reactivenetio.tls..";
    private static final String CONTRACTS = "io.reactivenetio.api..";
    private static final String WIRE = "io.reactivenetio.wire..";
    private static final String CODEC = "io.reactivenetio.codec..";
    private static final String DIAGNOSTICS = "io.reactivenetio.diagnostics..";
    private static final String COUNTERS = "io.reactivenetio.counters..";
    private static final String SCHEDULER = "io.reactivenetio.scheduler..";
    private static final String LEASE = "io.reactivenetio.lease..";
    private static final String RECEIVE = "io.reactivenetio.receive..";
    private static final String SEND = "io.reactivenetio.send..";
    private static final String CONNECTION = "io.reactivenetio.connection..";
    private static final String FRAMINGS = "io.reactivenetio.framing..";
    private static final String STREAM_FRAMING = "io.reactivenetio.framing.stream..";
    private static final String REQUEST = "io.reactivenetio.request..";
    private static final String LIFECYCLE = "io.reactivenetio.lifecycle..";
    private static final String API = "io.reactivenetio";
    private static final String PUBSUB = "io.reactivenetio.pubsub..";
    private static final String MICROMETER = "io.reactivenetio.micrometer..";
    private static final String SIMULATED = "io.reactivenetio.simulated..";
    private static final String TEST = "io.reactivenetio.test..";
    private static final String SPRING = "io.reactivenetio.spring..";
    private static final String RECORDER = "io.reactivenetio.recorder..";
    private static final String KAFKA = "io.reactivenetio.kafka..";
    private static final String EXAMPLES = "io.reactivenetio.examples..";
    private static final String BENCHMARKS = "io.reactivenetio.benchmarks..";

    /** A ValueLayout is no struct but the vocabulary of every access to a segment, and welcome anywhere. */
    @ArchTest
    static final ArchRule FOREIGN_FUNCTIONS_STAY_IN_FFM = noClasses().that().resideOutsideOfPackages(FFM, FABRIC)
            .should().dependOnClassesThat().belongToAnyOf(Linker.class, SymbolLookup.class, FunctionDescriptor.class)
            .orShould().dependOnClassesThat(assignableTo(MemoryLayout.class).and(not(assignableTo(ValueLayout.class))))
            .orShould().callMethodWhere(target(name("reinterpret")).and(targetOwner(assignableTo(MemorySegment.class))));

    @ArchTest
    static final ArchRule TRANSPORT_NATIVE_KNOWS_NO_REACTOR =
            noClasses().that().resideInAnyPackage(FFM, FABRIC, MEMORY, LOOP_THREAD, LOOP_FD, LOOP_TASK, LOOP, EXCEPTIONS,
                            TRANSPORT, BACKEND, BASE, LIBFABRIC, TCP, TLS, SIMULATED)
                    .should().dependOnClassesThat().resideInAnyPackage("reactor..", "org.reactivestreams..");

    @ArchTest
    static final ArchRule LIBFABRIC_KNOWS_NO_TCP = noClasses().that().resideInAPackage(LIBFABRIC)
            .should().dependOnClassesThat().resideInAPackage(TCP).allowEmptyShould(true);

    @ArchTest
    static final ArchRule TCP_KNOWS_NO_LIBFABRIC = noClasses().that().resideInAnyPackage(BASE, TCP)
            .should().dependOnClassesThat().resideInAnyPackage(LIBFABRIC, FABRIC).allowEmptyShould(true);

    @ArchTest
    static final ArchRule SENDS_AND_RECEIVES_DO_NOT_KNOW_EACH_OTHER = slices().matching("io.reactivenetio.transport.base.(*)..")
            .should().notDependOnEachOther();

    /** One slice per package, the root package included. */
    @ArchTest
    static final ArchRule PACKAGES_FORM_NO_CYCLE = slices().matching("io.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ARROWS_POINT_DOWN = layeredArchitecture().consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("ffm").definedBy(FFM)
            .layer("fabric").definedBy(FABRIC)
            .layer("memory").definedBy(MEMORY)
            .layer("loop thread").definedBy(LOOP_THREAD)
            .layer("loop fd").definedBy(LOOP_FD)
            .layer("loop task").definedBy(LOOP_TASK)
            .layer("loop").definedBy(LOOP)
            .layer("exceptions").definedBy(EXCEPTIONS)
            .layer("transport").definedBy(TRANSPORT)
            .layer("backend").definedBy(BACKEND)
            .layer("backends").definedBy(BASE, LIBFABRIC, TCP)
            .layer("tls").definedBy(TLS)
            .layer("credentials").definedBy(CREDENTIALS)
            .layer("access").definedBy(ACCESS)
            .layer("contracts").definedBy(CONTRACTS)
            .layer("wire").definedBy(WIRE)
            .layer("codec").definedBy(CODEC)
            .layer("diagnostics").definedBy(DIAGNOSTICS)
            .layer("counters").definedBy(COUNTERS)
            .layer("scheduler").definedBy(SCHEDULER)
            .layer("lease").definedBy(LEASE)
            .layer("receive").definedBy(RECEIVE)
            .layer("send").definedBy(SEND)
            .layer("connection").definedBy(CONNECTION)
            .layer("framings").definedBy(FRAMINGS)
            .layer("request").definedBy(REQUEST)
            .layer("lifecycle").definedBy(LIFECYCLE)
            .layer("api").definedBy(API)
            .layer("pubsub").definedBy(PUBSUB)
            .layer("micrometer").definedBy(MICROMETER)
            .layer("simulated").definedBy(SIMULATED)
            .layer("test").definedBy(TEST)
            .layer("spring").definedBy(SPRING)
            .layer("recorder").definedBy(RECORDER)
            .layer("kafka").definedBy(KAFKA)
            .layer("examples").definedBy(EXAMPLES, BENCHMARKS)
            // transport-native's own: nothing above the backends may know these
            .whereLayer("ffm").mayOnlyBeAccessedByLayers(
                    "fabric", "memory", "loop thread", "loop fd", "loop task", "loop", "backend", "backends")
            .whereLayer("fabric").mayOnlyBeAccessedByLayers("backends")
            .whereLayer("memory").mayOnlyBeAccessedByLayers("loop", "backend", "backends", "tls")
            .whereLayer("loop thread").mayOnlyBeAccessedByLayers("loop fd", "loop task", "loop", "backend", "backends")
            .whereLayer("loop fd").mayOnlyBeAccessedByLayers("loop task", "loop")
            .whereLayer("loop task").mayOnlyBeAccessedByLayers("loop")
            .whereLayer("loop").mayOnlyBeAccessedByLayers(
                    "access", "backend", "backends", "tls", "scheduler", "lease", "receive", "send", "connection", "framings",
                    "request", "lifecycle", "api", "pubsub", "micrometer", "simulated", "test", "spring", "examples")
            .whereLayer("exceptions").mayOnlyBeAccessedByLayers(
                    "access", "backend", "backends", "tls", "wire", "lease", "receive", "send", "connection", "framings",
                    "request", "lifecycle", "api", "pubsub", "simulated", "test", "spring", "recorder", "kafka", "examples")
            .whereLayer("transport").mayOnlyBeAccessedByLayers(
                    "access", "backend", "backends", "tls", "contracts", "send", "connection", "framings", "lifecycle", "api",
                    "simulated", "test", "spring", "recorder", "examples")
            .whereLayer("backend").mayOnlyBeAccessedByLayers(
                    "access", "backends", "tls", "wire", "diagnostics", "lease", "receive", "send", "connection", "framings",
                    "request", "lifecycle", "api", "pubsub", "micrometer", "simulated", "test", "spring", "examples")
            .whereLayer("backends").mayOnlyBeAccessedByLayers("tls")
            .whereLayer("tls").mayOnlyBeAccessedByLayers("credentials", "connection", "api")
            .whereLayer("credentials").mayOnlyBeAccessedByLayers("api")
            .whereLayer("access").mayOnlyBeAccessedByLayers("connection", "framings", "api")
            .whereLayer("contracts").mayOnlyBeAccessedByLayers(
                    "access", "wire", "lease", "receive", "send", "connection", "framings", "request", "lifecycle", "api",
                    "pubsub", "micrometer", "test", "spring", "recorder", "kafka", "examples")
            .whereLayer("wire").mayOnlyBeAccessedByLayers(
                    "access", "receive", "connection", "framings", "request", "api", "pubsub")
            .whereLayer("codec").mayOnlyBeAccessedByLayers("api")
            .whereLayer("diagnostics").mayOnlyBeAccessedByLayers(
                    "lease", "receive", "send", "connection", "framings", "request", "lifecycle", "api", "pubsub")
            .whereLayer("counters").mayOnlyBeAccessedByLayers("lease", "receive", "send", "connection", "framings", "lifecycle")
            .whereLayer("scheduler").mayOnlyBeAccessedByLayers("contracts", "connection", "api")
            .whereLayer("lease").mayOnlyBeAccessedByLayers("receive", "connection", "framings", "lifecycle", "api")
            .whereLayer("receive").mayOnlyBeAccessedByLayers("connection", "framings", "lifecycle", "pubsub")
            .whereLayer("send").mayOnlyBeAccessedByLayers("connection", "framings", "request", "lifecycle", "api", "pubsub")
            .whereLayer("connection").mayOnlyBeAccessedByLayers("framings", "request", "lifecycle", "api", "pubsub", "test")
            .whereLayer("framings").mayOnlyBeAccessedByLayers("request", "lifecycle", "api", "pubsub")
            .whereLayer("request").mayOnlyBeAccessedByLayers("lifecycle", "api")
            .whereLayer("lifecycle").mayOnlyBeAccessedByLayers("api", "pubsub", "test")
            .whereLayer("api").mayOnlyBeAccessedByLayers(
                    "pubsub", "micrometer", "test", "spring", "recorder", "kafka", "examples")
            .whereLayer("pubsub").mayOnlyBeAccessedByLayers("micrometer", "test", "spring", "recorder", "kafka", "examples")
            .whereLayer("micrometer").mayOnlyBeAccessedByLayers("spring", "examples")
            .whereLayer("simulated").mayOnlyBeAccessedByLayers("test")
            .whereLayer("test").mayNotBeAccessedByAnyLayer()
            .whereLayer("spring").mayOnlyBeAccessedByLayers("examples")
            .whereLayer("recorder").mayOnlyBeAccessedByLayers("examples")
            .whereLayer("kafka").mayOnlyBeAccessedByLayers("spring", "examples")
            .whereLayer("examples").mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule FRAMINGS_DO_NOT_KNOW_EACH_OTHER = slices().matching("io.reactivenetio.framing.(*)..")
            .should().notDependOnEachOther();

    /** Whoever stands on them must not have to follow them further down. */
    @ArchTest
    static final ArchRule CONTRACTS_KNOW_NO_LOGIC = noClasses().that().resideInAPackage(CONTRACTS)
            .should().dependOnClassesThat(resideInAPackage(ALL).and(not(resideInAnyPackage(
                    CONTRACTS, TRANSPORT, EXCEPTIONS, SCHEDULER))));

    /** So that it stays an addition: whoever needs connections only need not read it. */
    @ArchTest
    static final ArchRule API_DOES_NOT_KNOW_PUBSUB = noClasses().that().resideInAPackage(API)
            .should().dependOnClassesThat().resideInAPackage(PUBSUB);

    /** The library works without it. */
    @ArchTest
    static final ArchRule ONLY_ITS_PACKAGE_KNOWS_MICROMETER = noClasses().that().resideInAPackage(ALL)
            .and().resideOutsideOfPackages(MICROMETER, SPRING).and().haveNameNotMatching(".*\\.NetioKafkaMeters.*")
            .should().dependOnClassesThat().resideInAPackage("io.micrometer..");

    /** Of the framings only streams have tags that can be subscribed to. */
    @ArchTest
    static final ArchRule PUBSUB_KNOWS_STREAM_FRAMING_ONLY = noClasses().that().resideInAPackage(PUBSUB)
            .should().dependOnClassesThat(resideInAPackage(FRAMINGS).and(not(resideInAPackage(STREAM_FRAMING))));

    /** The examples show what a user can write. */
    @ArchTest
    static final ArchRule EXAMPLES_USE_PUBLIC_PACKAGES = noClasses().that().resideInAnyPackage(EXAMPLES, BENCHMARKS)
            .should().dependOnClassesThat(
                    resideInAPackage(ALL).and(not(resideInAnyPackage(
                            EXAMPLES, BENCHMARKS, API, CONTRACTS, PUBSUB, MICROMETER, LOOP, TRANSPORT, BACKEND, EXCEPTIONS))));
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.sample.SampleApplication;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is made ahead of time: a context's code, and what a native image has to know. No native image is built. */
class AheadOfTimeTest {
    private static final Map<String, Object> PROPERTIES = Map.of("netio.backend", "tcp", "netio.server.port", "0",
            "netio.clients.a.port", "7000", "sample.publish", "true");

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked") // what is generated is an initializer of such contexts
    void shouldStartAContextThatWasProcessedAheadOfTime() {
        TestGenerationContext generation = new TestGenerationContext();
        GenericApplicationContext processed = with(new AnnotationConfigApplicationContext());
        processed.registerBean(SampleApplication.class);
        var initializer = new ApplicationContextAotGenerator().processAheadOfTime(processed, generation);
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            GenericApplicationContext fresh = with(new GenericApplicationContext());
            compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName()).initialize(fresh);
            fresh.refresh();
            try (fresh) {
                assertThat(fresh.getBean(NetioServerLifecycle.class).server().port()).isPositive();
                assertThat(fresh.getBean(NetioClients.class).names()).containsExactly("a");
            }
        });
        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(RuntimeHintsPredicates.resource().forResource(
                "META-INF/services/io.reactivenetio.transport.backend.BackendProvider")).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(NetioClientProperties.Reconnect.class)).accepts(hints);
    }

    private static GenericApplicationContext with(GenericApplicationContext context) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", PROPERTIES));
        return context;
    }

    @Test
    void shouldKnowTheShapeOfEveryForeignFunction() throws Exception {
        Set<List<String>> known = new HashSet<>();
        for (JsonNode call : metadata().get("foreign").get("downcalls")) {
            List<String> shape = new ArrayList<>(List.of(call.get("returnType").asString()));
            call.get("parameterTypes").forEach(type -> shape.add(type.asString()));
            known.add(shape);
        }
        for (String name : new String[] {"LibC", "Sockets", "RawMemory", "fabric.FiCalls"}) {
            Class<?> type = Class.forName("io.reactivenetio.ffm." + name);
            for (Field field : type.getDeclaredFields()) {
                if (field.getType() == MethodHandle.class && Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    MethodType shape = ((MethodHandle) field.get(null)).type();
                    assertThat(known).as(name + "." + field.getName()).anyMatch(one -> candidates(shape).contains(one));
                }
            }
        }
    }

    /** The shape, with and without a first parameter that is the function itself or where errno is captured. */
    private static List<List<String>> candidates(MethodType type) {
        List<String> all = Stream.concat(Stream.of(type.returnType()), type.parameterList().stream())
                .map(one -> one == void.class ? "void" : one.isPrimitive() ? "j" + one.getName() : "void*")
                .collect(Collectors.toCollection(ArrayList::new));
        List<List<String>> candidates = new ArrayList<>(List.of(List.copyOf(all)));
        if (all.size() > 1 && all.get(1).equals("void*")) {
            all.remove(1);
            candidates.add(all);
        }
        return candidates;
    }

    private static JsonNode metadata() throws IOException {
        String path = "/META-INF/native-image/io.reactivenetio/reactive-netio-spring-boot-autoconfigure/"
                + "reachability-metadata.json";
        try (InputStream in = AheadOfTimeTest.class.getResourceAsStream(path)) {
            return JsonMapper.shared().readTree(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}

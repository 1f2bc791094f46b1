// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.codec.NetioCodecAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
import reactor.core.publisher.Flux;

/** Annotated methods in a context that was processed ahead of time. */
@Timeout(120)
class AnnotationsAheadOfTimeTest {

    public static class Annotated {
        @NetioListener("7")
        public void on(String message) {
        }

        @NetioMapping("8")
        public String answer() {
            return "";
        }

        @NetioPublish("9")
        public Flux<String> publish() {
            return Flux.empty();
        }

        public void other() {
        }
    }

    private static GenericApplicationContext with(GenericApplicationContext context, int port) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", Map.of("netio.backend", "tcp",
                "netio.clients.detector.port", port, "netio.server.port", 0)));
        return context;
    }

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked") // what is generated is an initializer of such contexts
    void shouldListenInAContextThatWasProcessedAheadOfTime() throws NoSuchMethodException {
        try (Detector detector = Detector.of(10)) {
            TestGenerationContext generation = new TestGenerationContext();
            AnnotationConfigApplicationContext processed = new AnnotationConfigApplicationContext();
            with(processed, detector.port());
            processed.register(NetioAutoConfiguration.class, NetioServerAutoConfiguration.class,
                    NetioCodecAutoConfiguration.class, NetioAnnotationAutoConfiguration.class, Annotated.class);
            var initializer = new ApplicationContextAotGenerator().processAheadOfTime(processed, generation);
            generation.writeGeneratedContent();
            TestCompiler.forSystem().with(generation).compile(compiled -> {
                GenericApplicationContext fresh = with(new GenericApplicationContext(), detector.port());
                compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName()).initialize(fresh);
                fresh.refresh();
                try (fresh) {
                    NetioListenerContainer listener = fresh.getBean(NetioListenerRegistry.class).listeners().iterator().next();
                    Detector.await(() -> listener.statistics().handled() == 10, listener::statistics);
                    assertThat(fresh.getBean(NetioMappings.class).isUsed()).isTrue();
                }
            });
            RuntimeHints hints = generation.getRuntimeHints();
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Annotated.class.getMethod("on", String.class)))
                    .accepts(hints);
            for (String called : new String[] {"answer", "publish"}) {
                assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Annotated.class.getMethod(called)))
                        .accepts(hints);
            }
            assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Annotated.class.getMethod("other")))
                    .rejects(hints);
        }
    }
}

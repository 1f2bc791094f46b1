// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.actuate.NetioHealthAutoConfiguration;
import io.reactivenetio.spring.actuate.NetioInfoAutoConfiguration;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.codec.NetioCodecAutoConfiguration;
import io.reactivenetio.spring.metrics.NetioMetricsAutoConfiguration;
import io.reactivenetio.spring.metrics.NetioObservationAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import java.lang.reflect.Field;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

/** Application contexts with the starter, and what became of them. */
public final class Contexts {
    private Contexts() {
    }

    /** Contexts with everything that the starter configures, over plain TCP. */
    static ApplicationContextRunner tcp() {
        return any().withPropertyValues("netio.backend=tcp");
    }

    /** Contexts with everything that the starter configures. */
    static ApplicationContextRunner any() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class,
                NetioAutoConfiguration.class, NetioServerAutoConfiguration.class, NetioCodecAutoConfiguration.class,
                NetioHealthAutoConfiguration.class, NetioInfoAutoConfiguration.class, NetioMetricsAutoConfiguration.class,
                NetioObservationAutoConfiguration.class));
    }

    /** What is printed of an application that did not start: description and action. */
    static String failure(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        Throwable failure = Objects.requireNonNull(context.getStartupFailure());
        return analysis(failure);
    }

    /** What is printed of a failure: description and action. */
    public static String analysis(Throwable failure) {
        ArgumentResolver arguments = ArgumentResolver.of(Environment.class, new StandardEnvironment())
                .and(ArgumentResolver.ofSupplied(BeanFactory.class, () -> null));
        for (FailureAnalyzer analyzer : SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, (type, name, unusable) -> { })) {
            FailureAnalysis analysis = analyzer.analyze(failure);
            if (analysis != null) {
                return analysis.getDescription() + "\n\n" + analysis.getAction();
            }
        }
        throw new AssertionError("no analyzer knows this", failure);
    }

    /** What {@code path} of the settings of a server or client is, which only its own package may see. */
    static Object setting(Object transport, String path) {
        Object value = field(transport, "settings");
        for (String name : path.split("\\.")) {
            value = field(value, name);
        }
        return value;
    }

    private static Object field(Object target, String name) {
        for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field.get(target);
            } catch (NoSuchFieldException e) {
                // an inherited one
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError(target.getClass() + " has no " + name);
    }
}

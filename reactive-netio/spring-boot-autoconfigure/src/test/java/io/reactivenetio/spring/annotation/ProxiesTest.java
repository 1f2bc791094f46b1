// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;

/** Beans with proxies, lazy beans, beans of other scopes, and annotations that are found elsewhere. */
@Timeout(120)
class ProxiesTest {

    /** What an interceptor is asked for, as a transaction would be. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Intercepted {
    }

    /** Proxies whose interceptor counts. */
    @Configuration(proxyBeanMethods = false)
    static class Interceptors {
        @Bean
        static DefaultAdvisorAutoProxyCreator proxies() {
            DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
            creator.setProxyTargetClass(true);
            return creator;
        }

        @Bean
        static AtomicInteger intercepted() {
            return new AtomicInteger();
        }

        @Bean
        static DefaultPointcutAdvisor advisor(AtomicInteger intercepted) {
            return new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(Intercepted.class),
                    (MethodInterceptor) call -> {
                        intercepted.incrementAndGet();
                        return call.proceed();
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InterfaceProxies {
        @Bean
        static DefaultAdvisorAutoProxyCreator proxies() {
            return new DefaultAdvisorAutoProxyCreator();
        }

        @Bean
        static AtomicInteger intercepted() {
            return new AtomicInteger();
        }

        @Bean
        static DefaultPointcutAdvisor advisor(AtomicInteger intercepted) {
            return Interceptors.advisor(intercepted);
        }
    }

    public static class Storing {
        private final List<Long> got = new CopyOnWriteArrayList<>();

        public List<Long> got() {
            return got;
        }

        @Intercepted
        @NetioListener("7")
        public void on(ByteBuffer message) {
            got.add(message.getLong());
        }
    }

    @Test
    void shouldCallAMethodThroughItsProxy() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withUserConfiguration(Interceptors.class).withBean("storing", Storing.class).run(context -> {
                Storing storing = context.getBean(Storing.class);
                assertThat(AopUtils.isCglibProxy(storing)).isTrue();
                Detector.await(() -> storing.got().size() == 10, storing::got);
                assertThat(context.getBean(AtomicInteger.class)).hasValue(10);
            });
        }
    }

    interface Takes {
        List<Long> got();

        void on(ByteBuffer message);
    }

    public static final class Taking implements Takes {
        private final List<Long> got = new CopyOnWriteArrayList<>();

        @Override
        public List<Long> got() {
            return got;
        }

        @Override
        @Intercepted
        @NetioListener("7")
        public void on(ByteBuffer message) {
            got.add(message.getLong());
        }
    }

    @Test
    void shouldCallAMethodThroughAProxyOfItsInterface() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withUserConfiguration(InterfaceProxies.class).withBean("taking", Taking.class).run(context -> {
                Takes taking = context.getBean(Takes.class);
                assertThat(AopUtils.isJdkDynamicProxy(taking)).isTrue();
                Detector.await(() -> taking.got().size() == 10, taking::got);
                assertThat(context.getBean(AtomicInteger.class)).hasValue(10);
            });
        }
    }

    interface Other {
        void other();
    }

    public static class NotInTheInterface implements Other {
        @Override
        @Intercepted
        public void other() {
        }

        @NetioListener("7")
        public void on(ByteBuffer message) {
        }
    }

    public static class FinalMethod {
        @Intercepted
        public void other() {
        }

        @NetioListener("7")
        public final void on(ByteBuffer message) {
        }
    }

    @Test
    void shouldRefuseWhatAProxyDoesNotPassOn() {
        ApplicationContextRunner application = Detector.application("netio.clients.detector.port=1");
        application.withUserConfiguration(InterfaceProxies.class).withBean("bean", NotInTheInterface.class).run(context ->
                assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                        .hasMessageContaining("NotInTheInterface.on(ByteBuffer): the bean has a proxy of its interfaces")
                        .hasMessageContaining("spring.aop.proxy-target-class=true"));
        application.withUserConfiguration(Interceptors.class).withBean("bean", FinalMethod.class).run(context ->
                assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                        .hasMessageContaining("cannot pass on a final method").hasMessageContaining("not final"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        static final AtomicInteger MADE = new AtomicInteger();

        @Bean
        @Lazy
        static Storing storing() {
            MADE.incrementAndGet();
            return new Storing();
        }
    }

    @Test
    void shouldMakeALazyBeanWhenItsListenerStarts() {
        Beans.MADE.set(0);
        try (Detector detector = Detector.of(10)) {
            detector.application().withUserConfiguration(Beans.class).run(context -> {
                assertThat(Beans.MADE).hasValue(1);
                Storing storing = context.getBean(Storing.class);
                Detector.await(() -> storing.got().size() == 10, storing::got);
            });
        }
    }

    @Test
    void shouldListenWhereAllBeansAreLazy() {
        Beans.MADE.set(0);
        try (Detector detector = Detector.of(10)) {
            detector.application().withInitializer(context -> context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor())).withUserConfiguration(Beans.class).run(context -> {
                        assertThat(Beans.MADE).hasValue(1);
                        Storing storing = context.getBean(Storing.class);
                        Detector.await(() -> storing.got().size() == 10, storing::got);
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scoped {
        @Bean
        @Scope("prototype")
        static Storing storing() {
            return new Storing();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedProxied {
        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        static Storing storing() {
            return new Storing();
        }
    }

    @Test
    void shouldRefuseBeansThatAreNoSingletons() {
        Detector.application("netio.clients.detector.port=1").withUserConfiguration(Scoped.class).run(context ->
                assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                        .hasMessageContaining("the bean 'storing' is no singleton")
                        .hasMessageContaining("Make the bean a singleton"));
    }

    /** A proxy that finds the bean each time is a singleton, as that of a refreshed bean is. */
    @Test
    void shouldCallScopedBeansThroughTheirProxy() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withUserConfiguration(ScopedProxied.class).run(context -> {
                NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                assertThat(registry.listeners()).singleElement().satisfies(listener ->
                        Detector.await(() -> listener.statistics().handled() == 10, listener::statistics));
            });
        }
    }

    /** An annotation of one's own with what one's listeners have in common. */
    @Retention(RetentionPolicy.RUNTIME)
    @NetioListener(client = "detector", concurrency = "4")
    @interface FromDetector {
        @AliasFor(annotation = NetioListener.class, attribute = "tags")
        String[] value();
    }

    public abstract static class Base<T> {
        final List<T> got = new CopyOnWriteArrayList<>();

        @FromDetector("7")
        public void on(T message) {
            got.add(message);
        }
    }

    public static class OfBuffers extends Base<ByteBuffer> {
    }

    public static class Overriding extends Base<byte[]> {
        @Override
        public void on(byte[] message) {
            super.on(message);
        }
    }

    @Test
    void shouldFindAnnotationsOfAnnotationsAndOfSuperclasses() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean("buffers", OfBuffers.class).withBean("overriding", Overriding.class).run(context -> {
                OfBuffers buffers = context.getBean(OfBuffers.class);
                Overriding overriding = context.getBean(Overriding.class);
                Detector.await(() -> buffers.got.size() == 10 && overriding.got.size() == 10, () -> buffers.got);
                assertThat(buffers.got).allMatch(ByteBuffer.class::isInstance);
                assertThat(context.getBean(NetioListenerRegistry.class).listeners()).hasSize(2);
            });
        }
    }
}

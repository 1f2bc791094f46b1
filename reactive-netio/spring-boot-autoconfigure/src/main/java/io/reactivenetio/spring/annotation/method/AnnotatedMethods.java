// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.NetioMapping;
import io.reactivenetio.spring.annotation.NetioPublish;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Looks for annotated methods in the classes of all beans, when those are made that are not lazy. It goes by the beans' types, so
 * that lazy beans stay as they are, and that beans of other scopes are seen and refused.
 */
public final class AnnotatedMethods implements SmartInitializingSingleton {

    /** What is to be done with the methods of one annotation. */
    public interface Use<A extends Annotation> {
        void add(BeanMethod method, A annotation);
    }

    private record Kind<A extends Annotation>(Class<A> annotation, Use<? super A> use) {

        void look(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
            for (Method method : MethodIntrospector.selectMethods(type, this::isThere)) {
                A found = Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, annotation));
                use.add(new BeanMethod(beans, name, type, method, annotation), found);
            }
        }

        private boolean isThere(Method method) {
            return AnnotatedElementUtils.hasAnnotation(method, annotation);
        }
    }

    private final ConfigurableListableBeanFactory beans;
    private final List<Kind<?>> kinds;

    /** {@code beans} are those that are looked at; each annotation has its own use. */
    public AnnotatedMethods(ConfigurableListableBeanFactory beans, Use<NetioListener> listeners, Use<NetioMapping> mappings,
            Use<NetioPublish> published) {
        this.beans = beans;
        this.kinds = List.of(new Kind<>(NetioListener.class, listeners), new Kind<>(NetioMapping.class, mappings),
                new Kind<>(NetioPublish.class, published));
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : type(name);
            if (type != null && !type.getName().startsWith("org.springframework.")) {
                kinds.stream().filter(kind -> AnnotationUtils.isCandidateClass(type, kind.annotation()))
                        .forEach(kind -> kind.look(beans, name, type));
            }
        }
    }

    /** The class of a bean without its proxy; null if nobody knows. */
    private @Nullable Class<?> type(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type == null || !ScopedObject.class.isAssignableFrom(type)) {
            return type;
        }
        String target = ScopedProxyUtils.getTargetBeanName(name);
        return beans.containsBean(target) ? AutoProxyUtils.determineTargetClass(beans, target) : type;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import io.reactivenetio.spring.UnknownClientException;
import io.reactivenetio.spring.annotation.NetioMethodException;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * An annotated method of a bean. The bean is asked for when it is first needed, so one that is lazy stays so until then, and its
 * proxy is called if it has one.
 */
public final class BeanMethod {
    private record Target(Object bean, Method method) {
    }

    private final BeanFactory beans;
    private final String beanName;
    private final Class<?> type;
    private final Method method;
    private final Class<? extends Annotation> annotation;
    private volatile @Nullable Target target;

    /**
     * {@code type} is the bean's class, without a proxy.
     *
     * @throws NetioMethodException if the method cannot be called by others, or through the bean's proxy
     */
    BeanMethod(BeanFactory beans, String beanName, Class<?> type, Method method, Class<? extends Annotation> annotation) {
        this.beans = beans;
        this.beanName = beanName;
        this.type = type;
        this.method = method;
        this.annotation = annotation;
        checkModifiers();
        if (!beans.isSingleton(beanName)) {
            throw refused("the bean '" + beanName + "' is no singleton, so nobody knows which of its instances is meant",
                    "Make the bean a singleton, or move the method to one");
        }
        checkProxy(beans.getType(beanName));
    }

    private void checkModifiers() {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers)) {
            String access = Modifier.isPrivate(modifiers) ? "private" : Modifier.isProtected(modifiers) ? "protected"
                    : "package-private";
            throw refused("the method is " + access + ", which a proxy would not pass on", "Make it public");
        }
        if (Modifier.isStatic(modifiers)) {
            throw refused("the method is static, so it is not one of the bean", "Make it an instance method");
        }
    }

    private void checkProxy(@Nullable Class<?> shown) {
        if (shown == null || !SpringProxy.class.isAssignableFrom(shown)) {
            return;
        }
        invocable(shown);
        if (!Proxy.isProxyClass(shown) && Modifier.isFinal(method.getModifiers())) {
            throw refused("the bean has a proxy, which cannot pass on a final method", "Make the method not final");
        }
    }

    private Method invocable(Class<?> shown) {
        try {
            Method found = AopUtils.selectInvocableMethod(method, shown);
            found.trySetAccessible(); // a public method, too: else each call looks at who calls
            return found;
        } catch (IllegalStateException e) {
            throw refused("the bean has a proxy of its interfaces, and none of them has the method",
                    "Declare it in one of them, or set spring.aop.proxy-target-class=true", e);
        }
    }

    /** Has the bean made, unless it is there. */
    public void resolve() {
        resolved();
    }

    private Target resolved() {
        Target known = target;
        if (known == null) {
            Object bean = beans.getBean(beanName);
            checkProxy(bean.getClass());
            known = new Target(bean, invocable(bean.getClass()));
            target = known;
        }
        return known;
    }

    /** Calls the method, and throws what it throws. */
    public @Nullable Object invoke(@Nullable Object... arguments) throws Throwable {
        Target known = resolved();
        try {
            return known.method().invoke(known.bean(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** The method as its class has it. */
    public Method method() {
        return method;
    }

    /** Its i-th parameter, with type variables of superclasses resolved. */
    public ResolvableType parameter(int i) {
        return ResolvableType.forMethodParameter(method, i, type);
    }

    /** What it returns, with type variables of superclasses resolved. */
    public ResolvableType returned() {
        return ResolvableType.forMethodReturnType(method, type);
    }

    /** What it is called unless it has a name. */
    public String defaultName() {
        return beanName + "." + method.getName();
    }

    /** What to throw as the method has a {@code problem}, which {@code action} solves. */
    public NetioMethodException refused(String problem, String action) {
        return new NetioMethodException(this + ": " + problem, action, null);
    }

    /** Refuses as {@link #refused(String, String)} does, with what has shown the problem. */
    public NetioMethodException refused(String problem, String action, Throwable cause) {
        return new NetioMethodException(this + ": " + problem, action, cause);
    }

    /** Tells that the method names a client which is not configured. */
    public NetioMethodException unknownClient(UnknownClientException e) {
        String name = e.name().isEmpty() ? "<name>" : e.name();
        return refused(String.valueOf(e.getMessage()), e.known().size() > 1 && e.name().isEmpty()
                ? "Say which one with client=" : "Set netio.clients." + name + ".host and netio.clients." + name + ".port"
                + (e.known().isEmpty() ? "" : ", or name another client"));
    }

    /** Refuses a parameter with {@code what} unless its {@code type} is {@code primitive} or {@code boxed}. */
    public void checkType(String what, Class<?> type, Class<?> primitive, Class<?> boxed) {
        if (type != primitive && type != boxed) {
            throw refused("a parameter with " + what + " is of type " + type.getSimpleName(),
                    "Make it " + primitive.getSimpleName());
        }
    }

    @Override
    public String toString() {
        return "@" + annotation.getSimpleName() + " method " + ClassUtils.getUserClass(type).getName() + "." + method.getName()
                + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", ", "(", ")"));
    }
}

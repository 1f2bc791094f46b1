// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.VirtualMachine;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Where a Publisher of the library ends, and the operators of its user begin: one subscription to it. */
final class InTap<T> implements CoreSubscriber<T>, Subscription {
    /** What the user has written there. */
    final Node node;
    private final VirtualMachine machine;
    private final CoreSubscriber<? super T> user;
    private final Consumer<? super T> arrived;
    private @Nullable Subscription library;
    private long asked;
    private long received;
    private boolean completed;
    private boolean cancelled;
    private @Nullable Throwable error;

    private InTap(VirtualMachine machine, Node node, CoreSubscriber<? super T> user, Consumer<? super T> arrived) {
        this.machine = machine;
        this.node = node;
        this.user = user;
        this.arrived = arrived;
    }

    /** Adds each subscription to {@code taps}. */
    static <T> Flux<T> of(Flux<T> flux, VirtualMachine machine, Node node, List<InTap<?>> taps, Consumer<? super T> arrived) {
        return flux.transform(Operators.<T, T>lift((scannable, user) -> add(taps, new InTap<>(machine, node, user, arrived))));
    }

    static <T> Mono<T> of(Mono<T> mono, VirtualMachine machine, Node node, List<InTap<?>> taps, Consumer<? super T> arrived) {
        return mono.transform(Operators.<T, T>lift((scannable, user) -> add(taps, new InTap<>(machine, node, user, arrived))));
    }

    private static <T> InTap<T> add(List<InTap<?>> taps, InTap<T> tap) {
        taps.add(tap);
        return tap;
    }

    boolean isOver() {
        return completed || error != null;
    }

    /** Whether it waits for something. */
    boolean isOpen() {
        return !isOver() && !cancelled;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Whether it got some of the messages, and was told how its source has ended. */
    boolean hasSeenTheEnd() {
        return received > 0 && (completed || Excuse.code(error) == Excuse.FAILED);
    }

    /**
     * How many messages may have been on their way to it when it left, or was told that something is wrong: those that it had
     * asked for, and {@code ahead} of them.
     */
    long leftBehind(int ahead) {
        boolean orderly = completed || Excuse.code(error) == Excuse.FAILED || Excuse.code(error) == Excuse.SHUTS_DOWN;
        return (cancelled || isOver()) && !orderly ? Math.max(asked - received, asked - received + ahead) : 0;
    }

    boolean hasDemand() {
        return asked > received;
    }

    @Nullable Throwable error() {
        return error;
    }

    @Override
    public Context currentContext() {
        return user.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
        library = s;
        user.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        asked = asked + n < 0 ? Long.MAX_VALUE : asked + n;
        if (library != null) {
            library.request(n);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        if (library != null) {
            library.cancel();
        }
    }

    @Override
    public void onNext(T element) {
        if (isOver()) {
            machine.violated(this + ": §1.7: onNext after the end");
        }
        if (++received > asked) {
            machine.violated(this + ": §1.1: " + received + " elements, " + asked + " were asked for");
        }
        arrived.accept(element);
        user.onNext(element);
    }

    @Override
    public void onError(Throwable t) {
        if (isOver()) {
            machine.violated(this + ": §1.7: onError after the end");
        }
        error = t;
        user.onError(t);
    }

    @Override
    public void onComplete() {
        if (isOver()) {
            machine.violated(this + ": §1.7: onComplete after the end");
        }
        completed = true;
        user.onComplete();
    }

    @Override
    public String toString() {
        return node.with(node.kids(false)) + (completed ? " completed" : error != null ? " failed with "
                + VirtualMachine.text(error) : cancelled ? " was cancelled" : " waits, asked for " + (asked == Long.MAX_VALUE
                ? "all" : asked)) + ", got " + received;
    }
}

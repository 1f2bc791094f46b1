// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.VirtualMachine;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Where a Publisher of the library ends, and the operators of its user begin: one subscription to it, fused if they ask. */
final class InTap<T> implements CoreSubscriber<T>, Fuseable.QueueSubscription<T> {
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
    private boolean cleared;
    private int unpolled;
    /** Whether the user's onError throws, against §2.13: whoever called it may try again. */
    private boolean thrown;
    private Fuseable.@Nullable QueueSubscription<T> fused;
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
        return (cancelled || isOver()) && (cleared || !orderly) ? Math.max(missing(), missing() + ahead) : 0;
    }

    /** Whether it waits for more than the library has for it. */
    boolean hasDemand() {
        return missing() > waiting();
    }

    /** How many elements the library has for it that it does not take. */
    int waiting() {
        return fused == null ? 0 : fused.size();
    }

    private void left() {
        if (!cancelled && !cleared) {
            unpolled = waiting();
        }
    }

    /** How many elements the library had for it when it left. */
    int unpolled() {
        return unpolled;
    }

    private long missing() {
        return Math.max(0, asked - received);
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
        left();
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
        if (fused == null) {
            if (++received > asked) {
                machine.violated(this + ": §1.1: " + received + " elements, " + asked + " were asked for");
            }
            arrived.accept(element);
        }
        user.onNext(element);
    }

    // ---- fused: the user polls the library's queue, which may have some when it is over, and more than were asked for

    @Override
    @SuppressWarnings("unchecked")
    public int requestFusion(int mode) {
        int agreed = Fuseable.NONE;
        if (library instanceof Fuseable.QueueSubscription<?> queue) {
            agreed = queue.requestFusion(mode);
            fused = agreed == Fuseable.NONE ? null : (Fuseable.QueueSubscription<T>) queue;
        }
        return agreed;
    }

    private Fuseable.QueueSubscription<T> queue() {
        return Objects.requireNonNull(fused, "not fused");
    }

    @Override
    public @Nullable T poll() {
        T element = queue().poll();
        if (element != null) {
            received++;
            arrived.accept(element);
        }
        return element;
    }

    @Override
    public int size() {
        return queue().size();
    }

    @Override
    public boolean isEmpty() {
        return queue().isEmpty();
    }

    @Override
    public void clear() {
        left();
        cleared = true;
        queue().clear();
    }

    @Override
    public void onError(Throwable t) {
        if (isOver() && !thrown) {
            machine.violated(this + ": §1.7: onError after the end");
        }
        error = t;
        thrown = true;
        user.onError(t);
        thrown = false;
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

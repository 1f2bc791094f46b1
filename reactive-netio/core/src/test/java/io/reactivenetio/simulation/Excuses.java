// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.simulation.Step.After;
import io.reactivenetio.simulation.Step.Side;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which failures a scenario explains. What it does not explain, should not have happened. */
final class Excuses {
    private static final int MANY = 16;
    private static final Set<Step.Chain> SUBSCRIBES_AGAIN = EnumSet.of(Step.Chain.RETRY, Step.Chain.TAKE_REPEAT,
            Step.Chain.CONCAT);
    /** How long a stream waits for somebody who serves it, unless set. */
    private static final long SERVE_MICROS = 5_000_000;

    private final Scenario scenario;
    private final List<Step> steps;

    Excuses(Scenario scenario) {
        this.scenario = scenario;
        this.steps = scenario.steps();
    }

    private boolean isStream() {
        return scenario.setup().framing() == FramingKind.STREAM;
    }

    private <T extends Step> Stream<T> all(Class<T> kind) {
        return steps.stream().filter(kind::isInstance).map(kind::cast);
    }

    /** Whether something may have changed what is on the wire. */
    boolean isCorrupt() {
        return all(Step.Corrupt.class).findAny().isPresent();
    }

    boolean isSilent() {
        return all(Step.Silence.class).findAny().isPresent();
    }

    /** Whether the server, or the network, may have ended any connection. */
    private boolean isEverythingInTrouble() {
        return isCorrupt() || isSilent() || isShutDown() || mayLookDead();
    }

    /** Whether a server may have closed its connections, though another may have come after it. */
    private boolean isShutDown() {
        return all(Step.Shutdown.class).findAny().isPresent() || all(Step.Restart.class).findAny().isPresent();
    }

    /** Whether there is a server to the end, though perhaps not the same, and a network. */
    private boolean canBeReached() {
        return all(Step.Shutdown.class).findAny().isEmpty() && !isCorrupt() && !isSilent();
    }

    /** Whether this is the error of a connection that was closed by a shutdown of which the peer must have said so. */
    boolean isUnsaidShutdown(Throwable error) {
        boolean otherwise = isCorrupt() || isSilent() || mayLookDead()
                || all(Step.Send.class).anyMatch(step -> step.after() == After.DISPOSE)
                || all(Step.Complete.class).anyMatch(Step.Complete::dispose) || all(Step.Dispose.class).findAny().isPresent()
                || all(Step.Cut.class).findAny().isPresent();
        boolean room = scenario.weather().refusedPercent() == 0 && scenario.setup().receiveBuffers() >= MANY
                && scenario.setup().sendBuffers() >= MANY;
        return isStream() && isShutDown() && !otherwise && room && hasTimeToSayIt() && error instanceof NetioAbortedException
                && !String.valueOf(error.getMessage()).contains("the peer shuts down");
    }

    /** Whether a page that is on its way when the shutdown begins is back before it is over. */
    private boolean hasTimeToSayIt() {
        long enough = 4 * scenario.weather().latencyNanos() / 1_000;
        return all(Step.Shutdown.class).allMatch(shutdown -> shutdown.micros() > enough)
                && all(Step.Restart.class).allMatch(restart -> restart.micros() > enough);
    }

    /** Whether one side may take the other for dead, because that took no turn for too long. */
    private boolean mayLookDead() {
        long patience = scenario.setup().keepAliveMillis() * 1_000L;
        return patience > 0 && scenario.setup().loops() > 1
                && all(Step.Stall.class).anyMatch(stall -> stall.micros()
                + 2 * scenario.weather().latencyNanos() / 1_000 > patience / 4);
    }

    /** Whether the connection may have ended because of anything but what a send or a completion did when it was done. */
    boolean isInTrouble(int connection) {
        return isEverythingInTrouble() || all(Step.Dispose.class).anyMatch(step -> step.connection() == connection)
                || all(Step.Cut.class).anyMatch(step -> step.connection() == connection)
                || !isStream() && (scenario.setup().endSignal() != EndSignal.ERROR || all(Step.Send.class)
                .anyMatch(step -> step.plan().fails()));
    }

    /** Whether this side closes the connection when a send or a completion is done. */
    boolean disposes(int connection, Side side) {
        return all(Step.Send.class).anyMatch(step -> step.connection() == connection && step.side() == side
                && step.after() == After.DISPOSE)
                || all(Step.Complete.class).anyMatch(step -> step.connection() == connection && step.side() == side
                && step.dispose());
    }

    /** Whether an end may hear late what has become of its messages. */
    boolean mayBeToldLate() {
        return scenario.weather().acksBehindData() || isCorrupt() || isSilent() || all(Step.Stall.class).findAny().isPresent()
                || all(Step.Cut.class).findAny().isPresent();
    }

    /** Whether pages for data may be with a receiver that keeps its leases. */
    boolean isJammed(int connection) {
        return all(Step.Receive.class).anyMatch(step -> step.kind() == Step.Kind.LEASED_KEPT && step.connection() == connection);
    }

    private boolean mayEnd(int connection) {
        return isInTrouble(connection) || disposes(connection, Side.CLIENT) || disposes(connection, Side.SERVER);
    }

    private static boolean isSame(Step.Receive one, Step.Receive other) {
        return one.connection() == other.connection() && one.side() == other.side() && one.tag() == other.tag();
    }

    private static boolean isForbidden(Throwable error) {
        return error instanceof NetioStreamException refused && refused.error() == StreamError.FORBIDDEN;
    }

    /** Whether there is a reason for what a receiver was told. */
    boolean explains(Step.Receive step, Throwable error) {
        if (error instanceof NetioProtocolException) {
            return isCorrupt();
        }
        if (isForbidden(error)) {
            return step.tag() != Step.OWN && scenario.guard().forbids(step.side() == Side.CLIENT ? Right.SUBSCRIBE : Right.SEND,
                    Tags.of(step.tag()));
        }
        if (error instanceof NetioStreamException refused && refused.error() == StreamError.NOT_SERVED) {
            return step.side() == Side.CLIENT // the server has a publisher, which does not know this tag
                    || all(Step.Receive.class).filter(other -> isSame(step, other)).count() > 1 // it was sent to the other
                    || isCorrupt() || !isSentTo(step)
                    || SUBSCRIBES_AGAIN.contains(step.chain()); // once more after the last
        }
        boolean shared = all(Step.Receive.class).filter(other -> isSame(step, other)).count() > 1;
        boolean failed = all(Step.Send.class).anyMatch(send -> send.connection() == step.connection()
                && send.side() == step.side().other() && send.tag() == step.tag() && send.plan().fails());
        boolean again = step.chain() == Step.Chain.RETRY || step.tag() == Step.OWN;
        return mayEnd(step.connection()) || shared || failed || again || isCrowded()
                || scenario.setup().leases() == io.reactivenetio.api.LeasePolicy.ERROR;
    }

    /** Whether the peer sends on this stream, or ends it, before it refuses a stream that nobody serves. */
    private boolean isSentTo(Step.Receive step) {
        long limit = step.at() + SERVE_MICROS;
        return all(Step.Send.class).anyMatch(send -> send.connection() == step.connection() && send.side() == step.side().other()
                && send.tag() == step.tag() && send.at() < limit
                && (send.plan().messages() > 0 || send.after() == After.COMPLETE && !send.plan().fails()))
                && all(Step.CancelSends.class).noneMatch(cancel -> cancel.connection() == step.connection()
                && cancel.side() == step.side().other() && cancel.tag() == step.tag())
                || all(Step.Complete.class).anyMatch(end -> end.connection() == step.connection()
                && end.side() == step.side().other() && end.tag() == step.tag() && end.at() < limit);
    }

    /** Whether more streams may be asked for than the peer allows. */
    private boolean isCrowded() {
        long streams = all(Step.Receive.class).count() * 2 + 2 * (all(Step.Ask.class).count() + all(Step.Respond.class).count())
                + all(Step.Subscribe.class).count() + 1;
        return streams > scenario.setup().maxStreams();
    }

    /** Whether there is a reason for what a sender was told. */
    boolean explains(Step.Send step, Throwable error) {
        if (error instanceof NetioProtocolException) {
            return isCorrupt();
        }
        boolean cancelled = all(Step.Cancel.class).anyMatch(cancel -> cancel.connection() == step.connection()
                && cancel.side() == step.side().other() && cancel.tag() == step.tag())
                || all(Step.Receive.class).anyMatch(receive -> receive.connection() == step.connection()
                && receive.side() == step.side().other() && receive.tag() == step.tag()
                && (receive.cancelAfter() > 0 || receive.chain() != Step.Chain.PLAIN || receive.kind() == Step.Kind.LEASED_LONG));
        boolean ended = all(Step.Complete.class).anyMatch(complete -> complete.connection() == step.connection()
                && complete.side() == step.side() && complete.tag() == step.tag())
                || all(Step.Send.class).anyMatch(send -> send.after() == After.COMPLETE && send.connection() == step.connection()
                && send.side() == step.side() && send.tag() == step.tag());
        boolean failed = all(Step.Send.class).anyMatch(send -> send.connection() == step.connection()
                && send.side() == step.side()
                && send.tag() == step.tag() && send.plan().fails());
        return step.plan().fails() || mayEnd(step.connection()) || cancelled || ended || failed
                || error instanceof MessageTooLargeException && step.plan().size() > limit();
    }

    private int limit() {
        return isStream() ? scenario.setup().maxMessage() : scenario.setup().bufferSize() - 16;
    }

    /** Whether there is a reason for what a completion was told. */
    boolean explains(Step.Complete step, Throwable error) {
        return !(error instanceof NetioProtocolException && !isCorrupt()) && (mayEnd(step.connection())
                || all(Step.Receive.class).anyMatch(receive -> receive.connection() == step.connection()));
    }

    /** Whether there is a reason for what a subscriber was told. */
    boolean explains(Step.Subscribe step, Throwable error) {
        if (error instanceof NetioProtocolException) {
            return isCorrupt();
        }
        if (isForbidden(error)) {
            return scenario.guard().forbids(Right.SUBSCRIBE, step.tags());
        }
        boolean lost = isEverythingInTrouble() || all(Step.Cut.class).findAny().isPresent();
        return lost && !(step.reconnect() && canBeReached()) || all(Step.EndPublisher.class).findAny().isPresent()
                || mayBeRefused(step)
                || scenario.setup().hot().fails() || scenario.setup().cold().fails() || isCrowded() || isSlow(step)
                || scenario.setup().hot().size() > scenario.setup().maxMessage()
                || scenario.setup().cold().size() > scenario.setup().maxMessage();
    }

    /** The publisher waits for no subscriber if it is not to. */
    boolean mayBeRefused(Step.Subscribe step) {
        return step.policy() == SlowPolicy.BACKPRESSURE.ordinal() && scenario.setup().policy() != SlowPolicy.BACKPRESSURE;
    }

    private boolean isSlow(Step.Subscribe step) {
        return scenario.setup().policy() == SlowPolicy.ERROR || step.policy() == SlowPolicy.ERROR.ordinal()
                || step.demand() == Probe.Demand.NOTHING
                || step.demand() == Probe.Demand.STALLS || Patience.mayBeLost(scenario);
    }
}

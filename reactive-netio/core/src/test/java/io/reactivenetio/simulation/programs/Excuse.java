// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/** Which failures a program explains. What it does not explain should not have happened. */
final class Excuse {
    static final int FAILED = 2;
    static final int NOT_SERVED = 3;
    static final int LIMIT = 4;
    private static final int TOO_SLOW = 5;
    static final int SHUTS_DOWN = 7;
    /** In which a responder is there: a peer that has a publisher refuses earlier requests at once. */
    private static final int MICROS = 50_000;

    private final ProgramWorld world;
    private final List<Node> statements;

    Excuse(ProgramWorld world) {
        this.world = world;
        this.statements = world.program.kids();
    }

    /** The code of a stream's failure, 0 if it is none. */
    static int code(@Nullable Throwable error) {
        return error instanceof NetioStreamException ended ? ended.code() : 0;
    }

    static boolean isTooSlow(InTap<?> tap) {
        return code(tap.error()) == TOO_SLOW;
    }

    boolean has(Word word) {
        return statements.stream().anyMatch(each -> each.word() == word);
    }

    /** Whether the network of a subscriber may have been cut. */
    boolean isCut() {
        return statements.stream().anyMatch(each -> each.word() == Word.CUT && each.number(1) >= world.setup.connections());
    }

    /** Whether a plain connection may have ended. */
    boolean mayEnd(int connection) {
        return has(Word.SHUTDOWN) || statements.stream().anyMatch(each -> (each.word() == Word.CUT || each.word() == Word.DISPOSE)
                && each.number(1) == connection);
    }

    /** Whether somebody serves the tag from the beginning. */
    boolean isServed(long tag) {
        return !has(Word.END_PUBLISHER) && statements.stream().anyMatch(each -> isPublish(each) && each.number(1) == tag
                && each.number(0) == 0);
    }

    /** Whether somebody serves the tag at some time. */
    boolean isPublished(long tag) {
        return statements.stream().anyMatch(each -> isPublish(each) && each.number(1) == tag);
    }

    static boolean isPublish(Node statement) {
        return switch (statement.word()) {
            case PUBLISH, ENCODE, PUBLISH_EACH, REPUBLISH -> true;
            default -> false;
        };
    }

    /** Whether a source of the tag may fail, or its encoder. */
    private boolean mayFail(long tag) {
        return statements.stream().anyMatch(each -> isPublish(each) && each.number(1) == tag
                && (each.kids().getFirst().number(3) % 2 == 1 || each.kids().getFirst().number(3) > UserSource.NEVER
                || each.word() == Word.ENCODE && each.number(2) > 0));
    }

    /** Whether there is a reason for what a subscriber was told. */
    boolean explainsSubscription(InTap<?> tap) {
        return tap.error() == null || Exceptions.unwrapMultiple(tap.error()).stream().allMatch(each -> explains(tap, each));
    }

    private boolean explains(InTap<?> tap, Throwable error) {
        if (error instanceof NetioProtocolException) {
            return false;
        }
        if (Sending.isReceive(tap.node)) {
            return world.sending.explains(tap.node, error, this);
        }
        if (Throwing.isPlanned(error) || error instanceof IllegalStateException && tap.node.word() == Word.SEQUENCED) {
            return true;
        }
        long[] tags = Subscribing.tags(tap.node);
        return switch (code(error)) {
            case FAILED -> Arrays.stream(tags).anyMatch(this::mayFail);
            case NOT_SERVED -> !Arrays.stream(tags).allMatch(this::isServed);
            case TOO_SLOW -> world.setup.policy() == SlowPolicy.ERROR || world.setup.policy() == SlowPolicy.BACKPRESSURE;
            case SHUTS_DOWN -> has(Word.SHUTDOWN) || has(Word.END_PUBLISHER);
            default -> error instanceof NetioException && (isCut() || has(Word.SHUTDOWN) || has(Word.REBIND));
        };
    }

    private static boolean isFor(Node respond, int connection, int side, int tag) {
        return respond.word() == Word.RESPOND_ALL ? side == 1 && respond.number(1) == tag
                : (respond.word() == Word.RESPOND || respond.word() == Word.RESPOND_SWITCHED
                || respond.word() == Word.STOP_RESPONDING) && respond.number(1) == connection && respond.number(2) == side
                && respond.number(3) == tag;
    }

    List<Node> respondersOf(int connection, int side, int tag) {
        return statements.stream().filter(each -> isFor(each, connection, side, tag)).toList();
    }

    /** Whether one responder, and only one, is there from before the request until the end. */
    private boolean isAnswered(Node request) {
        List<Node> there = respondersOf(request.number(1), 1 - request.number(2), request.number(3));
        return there.size() == 1 && there.getFirst().word() != Word.STOP_RESPONDING
                && there.getFirst().word() != Word.RESPOND_SWITCHED
                && (there.getFirst().word() == Word.RESPOND_ALL || there.getFirst().number(0) + MICROS < request.number(0))
                && !has(Word.PAUSE)
                && respondersOf(request.number(1), request.number(2), request.number(3)).isEmpty()
                && !haveBothRequesters(request);
    }

    /** Whether the peer asks with the same tag, which has one requester. */
    private boolean haveBothRequesters(Node request) {
        return statements.stream().anyMatch(each -> each.word() == Word.REQUEST && each.number(1) == request.number(1)
                && each.number(2) != request.number(2) && each.number(3) == request.number(3));
    }

    boolean explainsRequest(InTap<?> tap) {
        Throwable error = tap.error();
        if (error == null) {
            return true;
        }
        if (error instanceof NetioProtocolException) {
            return haveBothRequesters(tap.node);
        }
        List<Node> there = respondersOf(tap.node.number(1), 1 - tap.node.number(2), tap.node.number(3));
        if (code(error) == FAILED) {
            return haveBothRequesters(tap.node)
                    || there.stream().anyMatch(each -> !each.kids().isEmpty() && each.kids().getFirst().number(2) > 0);
        }
        return mayEnd(tap.node.number(1)) || !isAnswered(tap.node);
    }

    /** Whether there is a reason for the end of a responder that nobody has disposed of. */
    boolean explainsResponder(InTap<?> tap) {
        boolean ofAll = tap.node.word() == Word.RESPOND_ALL;
        return tap.error() instanceof IllegalStateException
                || !(tap.error() instanceof NetioProtocolException) && (ofAll || mayEnd(tap.node.number(1)));
    }
}

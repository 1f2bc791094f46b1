// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.SlowPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws a program, and its surroundings, from a seed. */
final class Grammar {
    static final int HOT = 1;
    static final int HOTS = 3;
    static final int COLD = 5;
    static final int NOBODYS = 9;
    static final int ASKED = 50;
    private static final int SENT = 70;
    private static final int SUBSCRIBERS = 3;
    private static final int MEBIBYTE = 1 << 20;

    private final SplittableRandom random;
    private final Setup setup;
    private final boolean large;
    private final int span;

    private Grammar(long seed) {
        random = new SplittableRandom(seed ^ 0x5DEECE66DL);
        large = chance(2);
        SlowPolicy policy = chance(70) ? SlowPolicy.BACKPRESSURE
                : SlowPolicy.values()[random.nextInt(SlowPolicy.values().length)];
        setup = new Setup(1 + random.nextInt(2), 1 + random.nextInt(2), large ? 65_536 : one(1_024, 1_400, 8_000), one(3, 4, 16),
                one(2, 3, 16), large ? 4 * MEBIBYTE : 40_000, chance(75) ? 0 : one(1, 40), policy, one(1, 4, 64, 256),
                one(0, 20, 300, 5_000), one(0, 2, 1_000));
        span = one(100, 2_000, 20_000, 200_000, 8_000_000);
    }

    static Setup setup(long seed) {
        return new Grammar(seed).setup;
    }

    static Node program(long seed) {
        return new Grammar(seed).draw();
    }

    private Node draw() {
        List<Node> program = new ArrayList<>();
        for (int tag = HOT; tag < HOT + HOTS; tag++) {
            if (chance(80)) {
                program.add(publish(chance(90) ? 0 : when(), tag));
            }
        }
        if (chance(50)) {
            program.add(Node.of(Word.PUBLISH_EACH, 0, COLD).with(source()));
        }
        if (chance(20)) {
            program.add(Node.of(Word.RESPOND_ALL, 0, ASKED + random.nextInt(2), one(1, 2, 256)).with(answer()));
        }
        for (int i = 1 + random.nextInt(8); i > 0; i--) {
            statement(program);
        }
        return Node.of(Word.PROGRAM).with(program);
    }

    private void statement(List<Node> program) {
        int what = random.nextInt(100);
        int connection = random.nextInt(setup.connections());
        int side = random.nextInt(2);
        if (what < 20) {
            sends(program, connection, side);
        } else if (what < 45) {
            program.add(Node.of(Word.RUN, when(), chance(50) ? 0 : random.nextInt(6), one(1, 2, 8, 100),
                    chance(90) ? 0 : 1 + random.nextInt(2)).with(flow(2)));
        } else if (what < 50) {
            program.add(Node.of(Word.CANCEL, when(), random.nextInt(4)));
        } else if (what < 74) {
            requests(program, connection, side);
        } else if (what < 78) {
            program.add(publishAgain());
        } else if (what < 83) {
            program.add(Node.of(Word.CONNECT_NOW, when(), one(0, 20, 100, 1_000, 100_000)));
        } else if (what < 87) {
            program.add(Node.of(Word.PAUSE, when(), side, one(500, 20_000, 3_000_000)));
        } else if (what < 90) {
            program.add(Node.of(Word.DISPOSE, when(), connection, side));
        } else if (what < 92) {
            program.add(Node.of(Word.CUT, when(), random.nextInt(4)));
        } else if (what < 95) {
            program.add(Node.of(Word.SHUTDOWN, when(), one(0, 1_000, 100_000, 10_000_000)));
        } else if (what < 98) {
            program.add(Node.of(Word.REBIND, when()));
        } else {
            program.add(Node.of(Word.END_PUBLISHER, when()));
        }
    }

    // ---- what is published

    private Node publish(int at, int tag) {
        Node source = source();
        if (chance(25)) {
            return Node.of(Word.ENCODE, at, tag, chance(40) ? 0 : throwing(), one(0, 1, 4, 40)).with(source);
        }
        return Node.of(Word.PUBLISH, at, tag).with(source);
    }

    private Node publishAgain() {
        return chance(50) ? publish(when(), HOT + random.nextInt(HOTS))
                : Node.of(Word.REPUBLISH, when(), HOT + random.nextInt(HOTS)).with(source());
    }

    private Node source() {
        int pace = random.nextInt(3);
        int end = chance(50) ? UserSource.COMPLETES : random.nextInt(6);
        if (large) {
            return Node.of(Word.SOURCE, one(1, 4, 100), one(10_000, MEBIBYTE), pace, end);
        }
        return Node.of(Word.SOURCE, one(0, 1, 3, 20, 60, pace == UserSource.SLOWLY ? 60 : 600),
                one(Given.LABEL, 40, 400, 3 * setup.bufferSize()), pace, end);
    }

    // ---- what is subscribed to

    private Node flow(int depth) {
        int client = random.nextInt(SUBSCRIBERS);
        List<Node> parts = new ArrayList<>();
        Node flow = switch (random.nextInt(10)) {
            case 0, 1 -> Node.of(Word.RECONNECTING, client);
            case 2 -> Node.of(Word.SEQUENCED, client, chance(60) ? 0 : throwing());
            case 3 -> Node.of(Word.DECODED, client, chance(50) ? 0 : throwing(), one(0, 1, 10));
            case 4 -> Node.of(Word.TOLD, client, chance(50) ? 0 : throwing());
            default -> Node.of(Word.FLOW, client, chance(80) ? 0 : 1 + random.nextInt(2));
        };
        int tags = flow.word() == Word.SEQUENCED || chance(70) ? 1 : 2 + random.nextInt(2);
        List<Integer> from = new ArrayList<>(List.of(HOT, HOT + 1, HOT + 2, COLD, NOBODYS));
        for (int i = 0; i < tags; i++) {
            parts.add(Node.of(Word.TAG, from.remove(flow.word() == Word.SEQUENCED || i == 0 && chance(80) ? random.nextInt(3)
                    : random.nextInt(from.size()))));
        }
        for (int i = chance(40) ? 0 : random.nextInt(4); i > 0; i--) {
            parts.add(operator(depth));
        }
        return flow.with(parts);
    }

    private Node operator(int depth) {
        if (depth > 0 && chance(15)) {
            Word with = List.of(Word.RESUME, Word.MERGE, Word.CONCAT, Word.ZIP).get(random.nextInt(4));
            return Node.of(with).with(flow(depth - 1));
        }
        return switch (random.nextInt(25)) {
            case 0 -> Node.of(Word.MAP, one(0, 1, 5, 50), 1 + random.nextInt(3));
            case 1 -> Node.of(Word.FILTER);
            case 2, 3, 4 -> Node.of(Word.TAKE, one(1, 3, 20, 100));
            case 5 -> Node.of(Word.TAKE_UNTIL, one(1, 3, 20));
            case 6 -> Node.of(Word.SKIP, one(1, 10));
            case 7 -> Node.of(Word.CONCAT_MAP);
            case 8 -> Node.of(Word.FLAT_MAP, one(1, 4, 256), one(0, 10, 1_000));
            case 9 -> Node.of(Word.SWITCH_MAP, one(0, 10, 1_000));
            case 10 -> Node.of(Word.PUBLISH_ON, one(1, 2, 256));
            case 11 -> Node.of(Word.LIMIT_RATE, one(1, 4, 100));
            case 12 -> Node.of(chance(50) ? Word.BUFFER : Word.WINDOW, one(1, 3, 10));
            case 13 -> Node.of(Word.RETRY, one(1, 3, 5));
            case 14 -> Node.of(Word.REPEAT, one(1, 2, 5));
            case 15 -> Node.of(Word.TIMEOUT, one(10, 1_000, 100_000));
            case 16 -> Node.of(chance(50) ? Word.SHARE : Word.ON_BACKPRESSURE);
            case 17 -> Node.of(Word.REPLAY, one(1, 5));
            case 18 -> Node.of(Word.DELAY, one(1, 100, 5_000));
            case 19 -> Node.of(Word.PARALLEL, one(1, 2, 3), one(1, 2, 256));
            case 20 -> Node.of(Word.CONCAT_LATER, one(1, 2, 256), one(0, 10, 1_000));
            case 21 -> Node.of(Word.IN_ORDER, one(1, 4, 256), one(0, 10, 1_000));
            case 22 -> Node.of(Word.BUFFER_TIMEOUT, one(1, 3, 10), one(10, 1_000, 100_000), random.nextInt(2));
            case 23 -> Node.of(chance(50) ? Word.DROP : Word.PUBLISH_ON, one(1, 2, 256));
            default -> Node.of(chance(50) ? Word.CANCEL_WITHIN : Word.SUBSCRIBE_ON, one(0, 1, 10));
        };
    }

    // ---- what is sent

    private void sends(List<Node> program, int connection, int side) {
        int stream = SENT + random.nextInt(2);
        int at = when();
        for (int i = chance(80) ? 1 : random.nextInt(3); i > 0; i--) {
            program.add(Node.of(Word.SEND, chance(70) ? at : when(), connection, side, stream,
                    chance(60) ? 0 : 1 + random.nextInt(2)).with(source()));
        }
        if (chance(10)) {
            program.add(Node.of(Word.END_STREAM, chance(50) ? at + one(10, 100, 1_000) : when(), connection, side, stream));
        }
        for (int i = chance(80) ? 1 : random.nextInt(3); i > 0; i--) {
            List<Node> operators = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                operators.add(operator(1));
            }
            program.add(Node.of(Word.RUN, chance(70) ? at : when(), chance(50) ? 0 : random.nextInt(6), one(1, 2, 8, 100),
                    chance(90) ? 0 : 1 + random.nextInt(2)).with(Node.of(Word.RECEIVE, connection, 1 - side, stream,
                    random.nextInt(5)).with(operators)));
        }
    }

    // ---- requests

    private void requests(List<Node> program, int connection, int side) {
        int tag = ASKED + random.nextInt(2);
        int at = when();
        if (chance(75)) {
            int when = chance(50) ? at : when();
            program.add(chance(80) ? Node.of(Word.RESPOND, when, connection, 1 - side, tag, one(1, 2, 256)).with(answer())
                    : Node.of(Word.RESPOND_SWITCHED, when, connection, 1 - side, tag, one(1, 2, 256), one(50, 500, 2_000, 50_000),
                    one(2, 3, 20)).with(answer()));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            Node request = Node.of(Word.REQUEST, chance(50) ? at : when(), connection, chance(90) ? side : 1 - side, tag,
                    one(1, 3, 40, 200), one(4, 40, 2_000));
            program.add(chance(80) ? request : request.with(Node.of(Word.TIMEOUT, one(10, 1_000, 100_000))));
        }
        if (chance(25)) {
            program.add(Node.of(Word.STOP_RESPONDING, chance(50) ? at + one(10, 100, 1_000) : when(), connection, 1 - side, tag));
        }
    }

    private Node answer() {
        return Node.of(Word.ANSWER, one(0, 4, 400, large ? MEBIBYTE : 3 * setup.bufferSize()), one(0, 0, 100, 5_000),
                chance(60) ? 0 : throwing(), random.nextInt(2), one(1, 2, 5));
    }

    // ---- numbers

    private int throwing() {
        return 1 + random.nextInt(Throwing.values().length - 1);
    }

    private int when() {
        return random.nextInt(span);
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private int one(int... values) {
        return values[random.nextInt(values.length)];
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a server of recordings and its clients say to each other, in messages of the library: requests and answers with the tag
 * {@link #CONTROL}, and the events of each reader as a stream with a tag that the client has chosen. All numbers are
 * little-endian.
 */
final class RecordingProtocol {
    /** The tag of requests; readers have the tags behind it, up to {@link #LAST}. */
    static final long CONTROL = 0x4e52_4543_0000_0000L;
    static final long LAST = 0x4e52_4543_ffff_ffffL;
    static final int VERSION = 1;
    static final int LIST = 1;
    static final int OPEN = 2;
    static final int CLOSE = 3;

    private static final int OK = 0;
    private static final int ERROR = 3;
    /** What an event has beside the payload of its message. */
    static final int EVENT_BYTES = 40;
    /** The longest text of an error, in characters. */
    private static final int LONGEST = 1_000;
    private static final int ANSWER = 1 << 18;
    private static final int STREAM_BYTES = 32;
    private static final int RUN_BYTES = 40;
    private static final Reason[] REASONS = {Reason.NOT_RECORDED, Reason.UNKNOWN_RUN, Reason.FULL, Reason.CLOSED, Reason.IN_USE,
        Reason.LIMIT, Reason.FORMAT, Reason.DISK, Reason.UNAVAILABLE};
    private static final RecordingPosition.Kind[] KINDS = {RecordingPosition.Kind.BEGINNING, RecordingPosition.Kind.END,
        RecordingPosition.Kind.TIME, RecordingPosition.Kind.AFTER, RecordingPosition.Kind.AFTER_OR_OLDEST};

    /** A request to open a reader. */
    record Open(long cursor, Tags tags, RecordingPosition from, boolean follow) {
    }

    /** A part of the list of streams. */
    record Part(int all, List<RecordedTags> streams) {
    }

    private RecordingProtocol() {
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static <T> int code(T[] all, T one) {
        for (int i = 0; i < all.length; i++) {
            if (all[i] == one) {
                return i;
            }
        }
        throw new IllegalArgumentException(String.valueOf(one));
    }

    private static IllegalArgumentException broken(String what) {
        return new IllegalArgumentException("not the protocol of recordings, or a later one: " + what);
    }

    // ---- requests

    static ByteBuffer list(int from) {
        return buffer(6).put((byte) VERSION).put((byte) LIST).putInt(from).flip();
    }

    static ByteBuffer close(long cursor) {
        return buffer(10).put((byte) VERSION).put((byte) CLOSE).putLong(cursor).flip();
    }

    static ByteBuffer open(Open open) {
        return buffer(45).put((byte) VERSION).put((byte) OPEN).putLong(open.cursor)
                .put((byte) (open.follow ? 1 : 0)).put((byte) BlockHeader.code(open.tags.kind()))
                .put((byte) code(KINDS, open.from.kind())).putLong(open.tags.first()).putLong(open.tags.second())
                .putLong(open.from.first()).putLong(open.from.second()).flip();
    }

    /** The kind of a request, whose content follows. */
    static int request(ByteBuffer request) {
        request.order(ByteOrder.LITTLE_ENDIAN);
        if (request.remaining() < 2 || request.get() != VERSION) {
            throw broken("a request without version " + VERSION);
        }
        int kind = request.get();
        int bytes = switch (kind) {
            case LIST -> 4;
            case CLOSE -> 8;
            case OPEN -> 43;
            default -> throw broken("a request of kind " + kind);
        };
        if (request.remaining() != bytes) {
            throw broken("a request of kind " + kind + " with " + request.remaining() + " bytes");
        }
        return kind;
    }

    static Open opened(ByteBuffer request) {
        long cursor = request.getLong();
        boolean follow = request.get() == 1;
        int kind = request.get();
        int position = request.get();
        if (position < 0 || position >= KINDS.length || !isCursor(cursor)) {
            throw broken("a position of kind " + position + " for tag " + Long.toHexString(cursor));
        }
        Tags tags = BlockHeader.tags(kind, request.getLong(), request.getLong());
        return new Open(cursor, tags, RecordingPosition.of(KINDS[position], request.getLong(), request.getLong()), follow);
    }

    static boolean isCursor(long tag) {
        return tag > CONTROL && tag <= LAST;
    }

    // ---- answers

    static ByteBuffer ok() {
        return buffer(1).put((byte) OK).flip();
    }

    static ByteBuffer refusal(NetioRecordingException why) {
        byte[] text = text(why);
        return buffer(1 + text.length).put((byte) (1 + code(REASONS, why.reason()))).put(text).flip();
    }

    private static byte[] text(NetioRecordingException why) {
        String text = String.valueOf(why.getMessage());
        return text.substring(0, Math.min(LONGEST, text.length())).getBytes(StandardCharsets.UTF_8);
    }

    private static NetioRecordingException exception(int code, ByteBuffer text) {
        return new NetioRecordingException(code >= 0 && code < REASONS.length ? REASONS[code] : Reason.DISK,
                shown(StandardCharsets.UTF_8.decode(text).toString()));
    }

    /** The text of a peer, which must not look like another line of a log, or move a terminal's cursor. */
    private static String shown(String text) {
        return text.codePoints().limit(LONGEST).map(each -> isPlain(each) ? each : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    private static boolean isPlain(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    /** What a client is told of anything that ends a reader at the server. */
    static NetioRecordingException reason(Throwable why) {
        return switch (why) {
            case NetioRecordingException known -> known;
            case MessageTooLargeException tooLarge -> new NetioRecordingException(Reason.LIMIT, "the reader does not take so"
                    + " large a message: raise maxMessageSize of its client (" + tooLarge.getMessage() + ")", tooLarge);
            case NetioException lost -> new NetioRecordingException(
                    NetioSubscriber.isTransient(lost) ? Reason.UNAVAILABLE : Reason.DISK,
                    "the server of the recording cannot read it: " + lost, lost);
            default -> new NetioRecordingException(Reason.DISK, "the server of the recording has failed: " + why, why);
        };
    }

    /** Makes sure that an answer is no refusal. */
    static ByteBuffer accepted(ByteBuffer answer) {
        answer.order(ByteOrder.LITTLE_ENDIAN);
        if (!answer.hasRemaining()) {
            throw broken("an empty answer");
        }
        int code = answer.get();
        if (code != OK) {
            throw exception(code - 1, answer);
        }
        return answer;
    }

    /** Writes as many streams from {@code from} on as have room in an answer, but at least one. */
    static ByteBuffer streams(List<RecordedTags> all, int from) {
        int end = Math.clamp(from, 0, all.size());
        int begin = end;
        int bytes = 0;
        while (end < all.size() && (bytes == 0 || bytes < ANSWER)) {
            bytes += STREAM_BYTES + all.get(end).runs().size() * RUN_BYTES;
            end++;
        }
        ByteBuffer answer = buffer(9 + bytes).put((byte) OK).putInt(all.size()).putInt(end - begin);
        for (RecordedTags stream : all.subList(begin, end)) {
            Tags tags = stream.tags();
            answer.putInt(BlockHeader.code(tags.kind())).putLong(tags.first()).putLong(tags.second()).putLong(stream.bytes())
                    .putInt(stream.runs().size());
            for (RecordedRun run : stream.runs()) {
                answer.putLong(run.run()).putLong(run.first()).putLong(run.last()).putLong(run.firstTime())
                        .putLong(run.lastTime());
            }
        }
        return answer.flip();
    }

    static Part part(ByteBuffer answer) {
        ByteBuffer from = accepted(answer);
        int all = from.getInt();
        int count = from.getInt();
        List<RecordedTags> streams = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Tags tags = BlockHeader.tags(from.getInt(), from.getLong(), from.getLong());
            long bytes = from.getLong();
            int runs = from.getInt();
            if (runs < 1 || runs > from.remaining() / RUN_BYTES) {
                throw broken(runs + " runs");
            }
            List<RecordedRun> list = new ArrayList<>(runs);
            for (int j = 0; j < runs; j++) {
                list.add(new RecordedRun(from.getLong(), from.getLong(), from.getLong(), from.getLong(), from.getLong()));
            }
            streams.add(new RecordedTags(tags, bytes, list));
        }
        return new Part(all, streams);
    }

    // ---- events, or as the last one why there are no more

    static final NetioEncoder<Object> ENCODER = new NetioEncoder<>() {
        @Override
        public int size(Object item) {
            return EVENT_BYTES + switch (item) {
                case RecordedEvent(SequencedMessage message, long time) -> message.message().payload().remaining();
                case RecordedEvent(Gap gap, long time) -> Long.BYTES;
                case RecordedEvent(RunChange change, long time) -> 2 * Long.BYTES;
                case NetioRecordingException why -> text(why).length;
                default -> throw new IllegalArgumentException(String.valueOf(item));
            };
        }

        @Override
        public void encode(Object item, ByteBuffer target) {
            ByteOrder before = target.order();
            target.order(ByteOrder.LITTLE_ENDIAN);
            switch (item) {
                case RecordedEvent(SequencedMessage message, long time) -> {
                    begin(target, Records.MESSAGE, message.message().status(), message.run(), message.sequence(), time,
                            message.message().tag());
                    target.put(message.message().payload().duplicate());
                }
                case RecordedEvent(Gap gap, long time) -> {
                    begin(target, Records.GAP, 0, gap.run(), gap.from(), time, 0);
                    target.putLong(gap.to());
                }
                case RecordedEvent(RunChange change, long time) -> {
                    begin(target, Records.RUN_CHANGE, 0, change.run(), 0, time, 0);
                    target.putLong(change.last().run()).putLong(change.last().sequence());
                }
                case NetioRecordingException why -> {
                    begin(target, ERROR, code(REASONS, why.reason()), 0, 0, 0, 0);
                    target.put(text(why));
                }
                default -> throw new IllegalArgumentException(String.valueOf(item));
            }
            target.order(before);
        }
    };

    private static void begin(ByteBuffer target, int kind, int status, long run, long sequence, long time, long tag) {
        target.put((byte) kind).put((byte) status).putShort((short) 0).putInt(0).putLong(run).putLong(sequence).putLong(time)
                .putLong(tag);
    }

    /**
     * Reads an event from a message that is not kept.
     *
     * @throws NetioRecordingException if it says why there are no more
     */
    static RecordedEvent event(Tags tags, ByteBuffer message) {
        ByteBuffer from = message.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (from.remaining() < EVENT_BYTES) {
            throw broken("an event of " + from.remaining() + " bytes");
        }
        int kind = from.get();
        int status = Byte.toUnsignedInt(from.get());
        long run = from.position(8).getLong();
        long sequence = from.getLong();
        long time = from.getLong();
        long tag = from.getLong();
        return switch (kind) {
            case Records.MESSAGE -> new RecordedEvent(new SequencedMessage(tags, run, sequence, new TaggedMessage(tag, status,
                    ByteBuffer.allocate(from.remaining()).put(0, from, from.position(), from.remaining()))), time);
            case Records.GAP -> new RecordedEvent(new Gap(tags, run, sequence, from.getLong()), time);
            case Records.RUN_CHANGE -> new RecordedEvent(new RunChange(tags, new Position(from.getLong(), from.getLong()), run),
                    time);
            case ERROR -> throw exception(status, from);
            default -> throw broken("an event of kind " + kind);
        };
    }
}

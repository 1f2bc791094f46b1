// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.DirectoryWorld.check;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A reader of a {@link DirectoryWorld} that goes on with what comes. */
final class DirectoryFollower {
    private final Catalog catalog;
    private final Cursor cursor;
    private final DirectoryModel model;
    private final DirectoryModel.Check check;
    private final Tags tags;
    private final RecordingPosition from;
    /** How many messages were acknowledged before it began. */
    private final int before;
    private boolean any;
    private boolean refused;
    private boolean over;

    DirectoryFollower(Path directory, DirectoryModel model, Tags tags, RecordingPosition from) throws IOException {
        this.model = model;
        this.tags = tags;
        this.from = from;
        catalog = new Catalog(directory);
        cursor = new Cursor(catalog, new ReaderCounters(), tags, from);
        check = model.new Check(tags, true);
        before = model.all(tags).size();
    }

    /** All that a reader is told that begins now, at the beginning. */
    static List<RecordedEvent> all(Path directory, DirectoryModel model, Tags tags) throws IOException {
        List<RecordedEvent> events = new ArrayList<>();
        try {
            Cursor cursor = new Cursor(new Catalog(directory), new ReaderCounters(), tags, RecordingPosition.beginning());
            for (RecordedEvent event = cursor.next(); event != null; event = cursor.next()) {
                events.add(event);
            }
            cursor.release();
        } catch (NetioRecordingException e) {
            check(e.reason() == Reason.NOT_RECORDED && !model.mustHave(tags), "cannot read: " + e);
        }
        return events;
    }

    void poll() {
        try {
            catalog.refresh(true);
            for (RecordedEvent event = cursor.next(); event != null; event = cursor.next()) {
                check(any || from.kind() != RecordingPosition.Kind.TIME || event.time() >= from.first(), "too early: " + event);
                any = true;
                check.accept(event);
            }
            cursor.release();
        } catch (NetioRecordingException e) {
            check(refused && e.reason() == Reason.UNKNOWN_RUN, "a reader has failed: " + e);
            over = true;
        } catch (IOException e) {
            throw new AssertionError("a reader has failed", e);
        } catch (AssertionError e) {
            throw new AssertionError("follower of " + tags + " from " + from + ": " + e.getMessage(), e);
        }
    }

    /** Another recording has begun. */
    void mayBeRefused() {
        refused = true;
    }

    boolean isOver() {
        return over;
    }

    void checkEnd() {
        List<DirectoryModel.Acknowledged> all = model.all(tags);
        boolean isBegun = from.kind() != RecordingPosition.Kind.TIME;
        int begin = from.kind() == RecordingPosition.Kind.BEGINNING ? 0 : before;
        for (DirectoryModel.Acknowledged message : all.subList(begin, all.size())) {
            isBegun |= message.time >= from.first() && message.wasAlwaysThere();
            check(over || !isBegun || !message.wasAlwaysThere() || check.has(message), "follower of " + tags + " from " + from
                    + " was not told of " + message.sent);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last message of each tag, for those who subscribe later: of so many tags and bytes at most. If there are more, it forgets
 * those that have not changed for longest. Sources may share it. Any thread.
 */
final class RetainedMessages {
    private final Tags tags;
    private final int mostTags;
    private final long mostBytes;
    /** The last message of each tag; tags that have not changed for longest come first. */
    private final Map<Long, SharedMessage> last = new LinkedHashMap<>();
    private long bytes;

    RetainedMessages(Tags tags, int mostTags, long mostBytes) {
        this.tags = tags;
        this.mostTags = mostTags;
        this.mostBytes = mostBytes;
    }

    Tags tags() {
        return tags;
    }

    /** Retains {@code message} in the place of the one before with its tag. One that is too large leaves none for its tag. */
    synchronized void add(SharedMessage message) {
        if (!tags.contains(message.tag())) {
            return;
        }
        forget(last.remove(message.tag()));
        int size = message.payload().remaining();
        if (size > mostBytes) {
            return;
        }
        last.put(message.tag(), message);
        bytes += size;
        Iterator<SharedMessage> oldest = last.values().iterator();
        while (last.size() > mostTags || bytes > mostBytes) {
            forget(oldest.next());
            oldest.remove();
        }
    }

    private void forget(@Nullable SharedMessage message) {
        bytes -= message == null ? 0 : message.payload().remaining();
    }

    /** The messages of all {@code these} with a tag of both {@code source} and {@code wanted}. */
    static List<SharedMessage> of(List<RetainedMessages> these, Tags source, Tags wanted) {
        if (these.isEmpty()) {
            return List.of();
        }
        List<SharedMessage> all = new ArrayList<>();
        these.forEach(each -> each.addTo(all, source, wanted));
        return all;
    }

    private synchronized void addTo(List<SharedMessage> all, Tags source, Tags wanted) {
        for (SharedMessage message : last.values()) {
            if (source.contains(message.tag()) && wanted.contains(message.tag())) {
                all.add(message);
            }
        }
    }

    /** Forgets all with a tag of {@code source}, which is there no more. */
    synchronized void clear(Tags source) {
        for (Iterator<SharedMessage> each = last.values().iterator(); each.hasNext();) {
            SharedMessage message = each.next();
            if (source.contains(message.tag())) {
                forget(message);
                each.remove();
            }
        }
    }
}

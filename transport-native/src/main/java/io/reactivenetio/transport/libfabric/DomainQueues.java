// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The completion queues of one domain on one loop, and which endpoints share one. Confined to the loop.
 *
 * <p>Over tcp, whoever reads a queue looks at all sockets that are in it, so sharing saves system calls. From libfabric 1.18 on
 * all sockets of a domain are read anyway, so one queue is enough. Before, each read goes through all endpoints of the queue, and
 * each queue has an allocation of 459,200 bytes: small groups have most of what there is to gain. A tcp queue cannot overflow.
 * A verbs queue can: there each endpoint has its own, with room for all it can post. So has an endpoint that shares receives,
 * because their completions name no endpoint.
 */
final class DomainQueues {
    /** Endpoints of a queue with a descriptor. */
    private static final int GROUP = 16;
    private static final int GROUP_ENTRIES = 1024;
    /** The entries of the queue of a whole domain. What does not fit, tcp keeps in a list. */
    private static final int DOMAIN_ENTRIES = 4096;

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,5})\\.(\\d{1,5})(?!\\d).*");

    private final CompletionQueues queues;
    private final FiDomain domain;
    private final int most;
    private final int entries;
    private final List<SharedCompletions> shared = new ArrayList<>();

    DomainQueues(CompletionQueues queues, FiDomain domain, String provider) {
        this.queues = queues;
        this.domain = domain;
        boolean silent = queues.areSilent();
        this.entries = silent ? DOMAIN_ENTRIES : GROUP_ENTRIES;
        if (silent) {
            this.most = SharedCompletions.MOST;
        } else {
            this.most = provider.equals("tcp") && hasNestedEdges(System.getProperty("os.version")) ? GROUP : 1;
        }
    }

    /**
     * Whether an epoll set in another one that is edge-triggered is reported for new events only. Before Linux 5.5 reading it is
     * enough for another report (fs/eventpoll.c, ep_scan_ready_list), so a queue of which some endpoints are starved would keep
     * the loop awake. Asked of 5.10, because there were repairs until then.
     */
    static boolean hasNestedEdges(String kernel) {
        Matcher numbers = NUMBERS.matcher(kernel);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major > 5 || major == 5 && Integer.parseInt(numbers.group(2)) >= 10;
    }

    /** A place for an endpoint with at most so many completions at a time. */
    QueuePlace place(int completions, CompletionQueue.Owner owner) {
        if (completions > OpContext.MOST_SLOTS) {
            throw new InvalidConnectionParametersException(completions + " buffers: at most " + OpContext.MOST_SLOTS
                    + " have a place in libfabric's operation context");
        }
        if (most == 1 || owner.sharesReceives()) {
            return new QueuePlace(queues.open(domain, completions, owner), null, owner, 0);
        }
        for (SharedCompletions candidate : shared) {
            if (candidate.count() < most) {
                return candidate.join(owner);
            }
        }
        SharedCompletions created = new SharedCompletions(this);
        created.opened(queues.open(domain, entries, created));
        shared.add(created);
        return created.join(owner);
    }

    /** The last endpoint has left {@code queue}, which is about to be closed. */
    void unused(SharedCompletions queue) {
        shared.remove(queue);
    }
}

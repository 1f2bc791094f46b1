// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import java.util.List;

/** The examples, in the order in which they are best read. */
public final class Ladder {
    private static final List<Example> EXAMPLES = List.of(
            new Example("hello", Hello.class, "ten messages from a client to a server", Hello::main),
            new Example("echo", Echo.class, "both directions of one connection at once", Echo::main),
            new Example("fan-in", FanIn.class, "one reader of three detectors, with Flux.merge", FanIn::main),
            new Example("event-building", EventBuilding.class, "three links zipped into events, none far ahead of the others",
                    EventBuilding::main),
            new Example("slow-consumer", SlowConsumer.class, "who waits for a slow reader, and who drops", SlowConsumer::main),
            new Example("leases", GroupedLeases.class, "messages kept where they arrived, grouped by link with groupBy",
                    GroupedLeases::main),
            new Example("region", ZeroCopyRegion.class, "sending from memory of your own, without copying",
                    ZeroCopyRegion::main),
            new Example("publish", PublishSubscribe.class, "one publisher, a fast and a slow subscriber",
                    PublishSubscribe::main),
            new Example("requests", Requests.class, "questions, answers, none, and a failure", Requests::main),
            new Example("loops", SeveralLoops.class, "a server whose connections have a thread each", SeveralLoops::main),
            new Example("guest-loop", GuestLoop.class, "the network on a loop of your own", GuestLoop::main),
            new Example("file-bridge", FileBridge.class, "a file from one end to the other, at the disk's pace",
                    FileBridge::main));

    private Ladder() {
    }

    /** Runs an example. */
    @FunctionalInterface
    public interface Main {
        /** Returns when it is over, and throws if it failed. */
        void run(String... arguments) throws Exception;
    }

    /**
     * An example.
     *
     * @param name what {@code ./netio example} calls it
     * @param type its class, which can be run by itself
     * @param about what it shows, in a line
     * @param main what runs it
     */
    public record Example(String name, Class<?> type, String about, Main main) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** All of them. */
    public static List<Example> all() {
        return EXAMPLES;
    }
}

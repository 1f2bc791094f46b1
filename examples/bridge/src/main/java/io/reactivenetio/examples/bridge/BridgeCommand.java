// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.examples.cli.CliException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Groups the two directions. */
@Command(name = "bridge", description = "Takes a publisher's messages to Kafka, or publishes what is there.",
        subcommands = {ToKafkaCommand.class, FromKafkaCommand.class})
public final class BridgeCommand implements Callable<Integer> {

    /** Called by picocli. */
    public BridgeCommand() {
    }

    /** No direction given. */
    @Override
    public Integer call() {
        throw CliException.usage("which way? to-kafka or from-kafka; netio bridge --help says more");
    }
}

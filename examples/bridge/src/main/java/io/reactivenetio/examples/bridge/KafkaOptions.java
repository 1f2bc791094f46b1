// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where Kafka is, for both ways of the bridge. */
final class KafkaOptions {
    @Option(names = "--bootstrap", paramLabel = "HOST:PORT", required = true,
            description = "Kafka's brokers; several with commas.")
    private String bootstrap = "";

    @Option(names = "--topic", paramLabel = "NAME", required = true, description = "The topic, which has to exist.")
    private String topic = "";

    @Option(names = "--property", paramLabel = "NAME=VALUE",
            description = "A property of Kafka's client, such as compression.type=lz4; may be given several times.")
    private Map<String, String> properties = new LinkedHashMap<>();

    String bootstrap() {
        return bootstrap;
    }

    String topic() {
        return topic;
    }

    Map<String, String> properties() {
        return properties;
    }
}

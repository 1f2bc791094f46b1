// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.page;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.spring.kafka.NetioKafkaSourceCustomizer;
import java.nio.ByteBuffer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What docs/spring.md shows of Kafka. */
@Configuration(proxyBeanMethods = false)
public class Topics {

    // page
    @Bean
    NetioKafkaSourceCustomizer decoder() { // of a topic that no sink has written
        return (name, source) -> source.decoder(record ->
                new TaggedMessage(record.partition(), 0, ByteBuffer.wrap(record.value())));
    }
    // page end
}

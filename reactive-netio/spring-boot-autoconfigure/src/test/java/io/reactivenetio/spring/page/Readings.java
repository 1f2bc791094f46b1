// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.page;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioClientCustomizer;
import io.reactivenetio.spring.NetioClients;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What docs/spring.md shows. */
@Configuration(proxyBeanMethods = false)
public class Readings {
    private static final Logger LOG = LoggerFactory.getLogger(Readings.class);

    // page
    @Component
    static class Hits implements DisposableBean {
        private final LongAdder bytes = new LongAdder();
        private final Disposable reading;

        Hits(NetioClients clients) {
            reading = clients.subscriber("detector").subscribe(7) // messages with tag 7
                    .subscribe(hit -> bytes.add(hit.payload().remaining()));
        }

        @Override
        public void destroy() {
            reading.dispose();
        }
    }
    // page end

    // page
    @Component
    static class Thresholds {
        private final Mono<NetioConnection> detector;

        Thresholds(NetioClients clients) {
            detector = clients.connection("detector"); // made when first asked for, and anew after it was lost
        }

        Mono<ByteBuffer> threshold(ByteBuffer channel) {
            return detector.flatMap(connection -> connection.requester(8).request(channel))
                    .timeout(Duration.ofSeconds(5));
        }
    }
    // page end

    // page
    @Component
    static class Detector {
        Detector(NetioPublisher publisher, Flux<ByteBuffer> hits) {
            publisher.publish(7, hits);
        }
    }
    // page end

    // page
    @Bean
    NetioClientCustomizer logging() {
        return (name, client) -> client.doOnConnected(connection -> LOG.info("{}: {}", name, connection));
    }
    // page end

    /** How many bytes the bean has got. */
    public static long bytes(BeanFactory beans) {
        return beans.getBean(Hits.class).bytes.sum();
    }
}

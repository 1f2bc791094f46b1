// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static io.reactivenetio.examples.Living.forEver;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Function;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What docs/guide.md says of Spring without Spring Boot. */
final class SpringBeans {

    private SpringBeans() {
    }

    @Configuration(proxyBeanMethods = false)
    static class Readout {
        @Bean(destroyMethod = "dispose")
        NetioLoops loops() {
            return NetioLoops.create("readout", 2);
        }

        @Bean(destroyMethod = "dispose") // cancels: the detector sends nothing more, and the connection is closed
        Disposable reading(NetioLoops loops, @Value("${detector.port}") int port, Function<Long, Mono<Long>> store) {
            return forEver(NetioClient.create().runOn(loops).port(port)).concatMap(store, 32).subscribe();
        }

        @Bean
        DisposableServer monitoring(NetioLoops loops, Flux<ByteBuffer> histograms) {
            return NetioServer.create().runOn(loops).handle((in, out) -> out.send(histograms)).bindNow();
        }

        @Bean
        AutoCloseable shutdown(DisposableServer monitoring) {
            return () -> monitoring.disposeNow(Duration.ofSeconds(10)); // until then connections may end by themselves
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.page;

import io.reactivenetio.spring.NetioServerHandler;
import java.nio.charset.StandardCharsets;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** What docs/spring.md shows. */
@Configuration(proxyBeanMethods = false)
public class Greeting {

    // page
    @Bean
    NetioServerHandler greeter() {
        return (in, out) -> out.send(Mono.just(StandardCharsets.UTF_8.encode("hello")));
    }
    // page end
}

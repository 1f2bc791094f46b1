// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the application. */
@SpringBootApplication(proxyBeanMethods = false)
public class EventPage {

    /** Runs until it is interrupted. {@code args} are Spring Boot's, such as {@code --events.brokers=localhost:9092}. */
    public static void main(String[] args) {
        SpringApplication.run(EventPage.class, args);
    }
}

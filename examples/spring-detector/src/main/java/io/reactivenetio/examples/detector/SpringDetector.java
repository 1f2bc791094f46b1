// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.transport.BackendType;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Starts a simulated detector, and the application that reads it out. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringDetector {

    /** Runs until it is interrupted. {@code args} are Spring Boot's, such as {@code --server.port=0}. */
    public static void main(String[] args) {
        start(args);
    }

    static ConfigurableApplicationContext start(String... args) {
        SpringApplication application = new SpringApplication(SpringDetector.class);
        application.addInitializers(SpringDetector::simulate);
        return application.run(args);
    }

    /** A readout of a real detector has host and port of its clients in application.yaml, and nothing like this. */
    private static void simulate(ConfigurableApplicationContext context) {
        Binder settings = Binder.get(context.getEnvironment());
        int rate = settings.bind("detector.rate", Integer.class).get();
        if (rate < 1 || rate > SimulatedDetector.MOST_RATE) {
            throw new InvalidConfigurationPropertyValueException("detector.rate", rate,
                    "choose 1 to " + SimulatedDetector.MOST_RATE + " triggers per second");
        }
        SimulatedDetector detector = new SimulatedDetector(settings.bind("netio.backend", BackendType.class).get(), rate);
        context.getEnvironment().getPropertySources()
                .addFirst(new MapPropertySource("simulated detector", Map.of("detector.port", detector.port())));
        ((GenericApplicationContext) context).registerBean(SimulatedDetector.class, () -> detector);
    }
}

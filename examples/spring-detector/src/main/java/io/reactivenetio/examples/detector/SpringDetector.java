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

/** Starts the application that reads out a detector, and a simulated detector if none is named. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringDetector {

    /** Runs until it is interrupted. {@code args} are Spring Boot's, such as {@code --server.port=0}. */
    public static void main(String[] args) {
        start(args);
    }

    static ConfigurableApplicationContext start(String... args) {
        SpringApplication application = new SpringApplication(SpringDetector.class);
        application.addInitializers(SpringDetector::detector);
        return application.run(args);
    }

    private static void detector(ConfigurableApplicationContext context) {
        Binder settings = Binder.get(context.getEnvironment());
        Detector detector = settings.bind("detector.port", Integer.class).isBound() ? new RealDetector()
                : simulated(context, settings);
        ((GenericApplicationContext) context).registerBean(Detector.class, () -> detector);
    }

    private static SimulatedDetector simulated(ConfigurableApplicationContext context, Binder settings) {
        int rate = settings.bind("detector.rate", Integer.class).get();
        if (rate < 1 || rate > SimulatedDetector.MOST_RATE) {
            throw new InvalidConfigurationPropertyValueException("detector.rate", rate,
                    "choose 1 to " + SimulatedDetector.MOST_RATE + " triggers per second");
        }
        SimulatedDetector detector = new SimulatedDetector(settings.bind("netio.backend", BackendType.class).get(), rate);
        context.getEnvironment().getPropertySources()
                .addFirst(new MapPropertySource("simulated detector", Map.of("detector.port", detector.port())));
        return detector;
    }
}

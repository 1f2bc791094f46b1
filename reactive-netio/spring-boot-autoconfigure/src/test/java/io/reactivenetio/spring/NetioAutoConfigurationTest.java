// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class NetioAutoConfigurationTest {

    @Test
    void shouldStartWithoutAnyProperty() {
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(NetioAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed());
    }
}

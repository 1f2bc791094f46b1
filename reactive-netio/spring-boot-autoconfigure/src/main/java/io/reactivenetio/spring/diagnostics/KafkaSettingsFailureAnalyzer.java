// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.kafka.KafkaSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong with {@code netio.kafka}. */
final class KafkaSettingsFailureAnalyzer extends AbstractFailureAnalyzer<KafkaSettingsException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, KafkaSettingsException cause) {
        return new FailureAnalysis(cause.description() + ".", cause.action() + ".", cause);
    }
}

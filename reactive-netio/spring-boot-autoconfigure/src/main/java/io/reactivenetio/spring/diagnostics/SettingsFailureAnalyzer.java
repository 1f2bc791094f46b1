// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.settings.ContradictingSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells of properties that contradict each other. */
final class SettingsFailureAnalyzer extends AbstractFailureAnalyzer<ContradictingSettingsException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, ContradictingSettingsException cause) {
        return new FailureAnalysis(NetioFailureAnalyzer.capital(String.valueOf(cause.getMessage())) + ".",
                "Change one of these properties, whose names are those of the settings, in lower case with dashes.", cause);
    }
}

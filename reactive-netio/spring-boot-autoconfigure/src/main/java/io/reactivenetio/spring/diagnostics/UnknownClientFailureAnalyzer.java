// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.UnknownClientException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which clients there are when one is asked for that is not configured. */
final class UnknownClientFailureAnalyzer extends AbstractFailureAnalyzer<UnknownClientException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, UnknownClientException cause) {
        String name = cause.name().isEmpty() ? "<name>" : cause.name();
        String action = "Configure the client with netio.clients." + name + ".host and netio.clients." + name + ".port"
                + (cause.known().isEmpty() ? "." : ", or name one of: " + String.join(", ", cause.known()) + ".");
        return new FailureAnalysis(NetioFailureAnalyzer.capital(String.valueOf(cause.getMessage())) + ".", action, cause);
    }
}

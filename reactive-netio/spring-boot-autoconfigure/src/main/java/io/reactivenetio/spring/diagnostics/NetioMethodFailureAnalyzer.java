// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.annotation.NetioMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Has Spring Boot say in words, not as a stack trace, what is wrong with an annotated method. */
final class NetioMethodFailureAnalyzer extends AbstractFailureAnalyzer<NetioMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NetioMethodException cause) {
        Throwable reason = cause.getCause();
        return new FailureAnalysis(reason == null ? cause.description() : cause.description() + ": " + reason.getMessage(),
                cause.action(), cause);
    }
}

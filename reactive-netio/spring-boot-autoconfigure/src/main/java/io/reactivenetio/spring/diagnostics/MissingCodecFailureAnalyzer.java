// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.codec.MissingCodecException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to put on the class path for a codec. */
final class MissingCodecFailureAnalyzer extends AbstractFailureAnalyzer<MissingCodecException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, MissingCodecException cause) {
        return new FailureAnalysis(NetioFailureAnalyzer.capital(String.valueOf(cause.getMessage())) + ".",
                "Add " + cause.needed() + " to the dependencies, or set netio.codec to another kind.", cause);
    }
}

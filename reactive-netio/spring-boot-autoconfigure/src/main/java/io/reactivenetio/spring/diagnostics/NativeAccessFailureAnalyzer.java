// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to enable native access where the JVM denies it. */
final class NativeAccessFailureAnalyzer extends AbstractFailureAnalyzer<IllegalCallerException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, IllegalCallerException cause) {
        String message = String.valueOf(cause.getMessage());
        if (!message.contains("--enable-native-access")) {
            return null; // something else that looks at its caller
        }
        return new FailureAnalysis(NetioFailureAnalyzer.capital(message) + ".", """
                Enable native access, by one of these:

                  - start the JVM with --enable-native-access=ALL-UNNAMED
                  - have Enable-Native-Access: ALL-UNNAMED in the manifest of the jar that is started, with maven-jar-plugin's
                    manifestEntries
                  - set JAVA_TOOL_OPTIONS=--enable-native-access=ALL-UNNAMED in the environment, for a container

                docs/spring.md of reactive-netio has what to copy.""", cause);
    }
}

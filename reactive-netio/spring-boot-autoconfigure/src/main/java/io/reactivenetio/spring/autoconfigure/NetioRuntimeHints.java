// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.autoconfigure;

import io.reactivenetio.transport.backend.BackendProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * What a native image has to keep of the library: the backends, which are found by ServiceLoader. The foreign functions are in
 * reachability-metadata.json, as Spring's hints have no place for them.
 */
final class NetioRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("META-INF/services/" + BackendProvider.class.getName());
        for (String provider : new String[] {"libfabric.LibfabricProvider", "tcp.TcpProvider"}) {
            hints.reflection().registerType(TypeReference.of("io.reactivenetio.transport." + provider),
                    MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
        }
    }
}

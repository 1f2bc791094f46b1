// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.test.NetioTestPair;
import io.reactivenetio.transport.BackendType;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A release compares the packages with the last one that a module exports, and no others. */
class ApiPackagesTest {
    private static final Pattern EXCLUDE = Pattern.compile("<exclude>(io\\.reactivenetio[^<]*)</exclude>");

    @ParameterizedTest
    @ValueSource(classes = {BackendType.class, NetioServer.class, NetioMeters.class, NetioTestPair.class, NetioRecorder.class})
    void shouldBeThoseThatTheModuleExports(Class<?> ofModule) throws Exception {
        List<String> excluded = EXCLUDE.matcher(Files.readString(Path.of("../../pom.xml"))).results()
                .map(found -> found.group(1)).toList();
        assertThat(excluded).hasSizeGreaterThan(10);
        ModuleDescriptor module = ModuleFinder.of(Path.of(ofModule.getProtectionDomain().getCodeSource().getLocation().toURI()))
                .findAll().iterator().next().descriptor();
        Set<String> exported = module.exports().stream().filter(export -> !export.isQualified())
                .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
        assertThat(module.packages()).filteredOn(name -> excluded.stream().noneMatch(pattern -> covers(pattern, name)))
                .as("packages of %s that the release compares", module.name()).containsExactlyInAnyOrderElementsOf(exported);
    }

    private static boolean covers(String pattern, String name) {
        return pattern.endsWith(".*") ? name.startsWith(pattern.substring(0, pattern.length() - 1)) : name.equals(pattern);
    }
}

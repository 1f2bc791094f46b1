// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.sample.SampleApplication;
import io.reactivenetio.testing.AtFullScale;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.loader.tools.Library;
import org.springframework.boot.loader.tools.LibraryScope;
import org.springframework.boot.loader.tools.Repackager;

/** Executable jars, made as Spring Boot's Maven plugin makes them, on JVMs that deny native access unless it is enabled. */
@Timeout(600)
class ExecutableJarTest {
    private static final List<String> DENIED = List.of("--illegal-native-access=deny");
    private static final String[] PROPERTIES = {"netio.backend=tcp", "netio.server.port=0", "sample.publish=true"};

    @TempDir
    private Path folder;

    @AfterEach
    void endWhatIsLeft() throws IOException {
        SampleProcess.endAll();
    }

    @Test
    void shouldHaveNativeAccessByTheManifest() throws Exception {
        Path jar = executable(true);
        try (JarFile made = new JarFile(jar.toFile())) {
            assertThat(made.getManifest().getMainAttributes().getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
            assertThat(made.getManifest().getMainAttributes().getValue("Main-Class")).endsWith("JarLauncher");
        }
        runs(List.of("-jar", jar.toString()));
    }

    @AtFullScale
    @Test
    void shouldKeepItWhenTheJarIsExtracted() throws Exception {
        Path jar = executable(true);
        Path extracted = folder.resolve("extracted");
        assertThat(SampleProcess.java(List.of("-Djarmode=tools", "-jar", jar.toString(), "extract", "--destination",
                extracted.toString())).ended(0)).doesNotContain("Error");
        runs(List.of("-jar", extracted.resolve(jar.getFileName()).toString()));
    }

    @AtFullScale
    @Test
    void shouldSayWhatIsMissingWithoutIt() throws Exception {
        List<String> options = new ArrayList<>(DENIED);
        options.addAll(List.of("-jar", executable(false).toString()));
        assertThat(SampleProcess.java(options, PROPERTIES).ended(1)).contains("APPLICATION FAILED TO START",
                "Enable-Native-Access: ALL-UNNAMED");
    }

    private static void runs(List<String> options) throws Exception {
        List<String> all = new ArrayList<>(DENIED);
        all.addAll(options);
        SampleProcess process = SampleProcess.java(all, PROPERTIES);
        process.await("netio.server listens on");
        process.terminate();
        assertThat(process.ended(143)).doesNotContain("WARNING", "native access is not enabled");
    }

    /** The sample application with all that is on the class path here. */
    private Path executable(boolean nativeAccess) throws IOException {
        List<Library> libraries = new ArrayList<>();
        int number = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                Path packed = folder.resolve("classes-" + number++ + ".jar");
                pack(path, packed, new Manifest());
                libraries.add(library(packed));
            } else if (Files.exists(path)) {
                libraries.add(library(path));
            }
        }
        Manifest manifest = new Manifest();
        if (nativeAccess) {
            manifest.getMainAttributes().putValue("Enable-Native-Access", "ALL-UNNAMED");
        }
        Path original = Files.createDirectory(folder.resolve("original"));
        Path jar = folder.resolve("app.jar");
        pack(original, jar, manifest);
        Repackager repackager = new Repackager(jar.toFile());
        repackager.setBackupSource(false);
        repackager.setMainClass(SampleApplication.class.getName());
        repackager.repackage(callback -> {
            for (Library library : libraries) {
                callback.library(library);
            }
        });
        return jar;
    }

    private static Library library(Path jar) {
        return new Library(jar.toFile(), LibraryScope.RUNTIME);
    }

    private static void pack(Path folder, Path jar, Manifest manifest) throws IOException {
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file, manifest);
                Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                String name = folder.relativize(path).toString();
                if (!name.equals(JarFile.MANIFEST_NAME)) {
                    out.putNextEntry(new JarEntry(name));
                    Files.copy(path, out);
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.testing.TestSettings;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The JVMs that tests start. With {@code netio.test.archive}, a folder of this build, they share an archive of their classes:
 * each then starts in two thirds of the time. Such an archive is of jars, so that folders of classes become jars first.
 */
public final class TestJvm {
    /** More options for each of them. */
    private static final List<String> JAVA_OPTIONS = System.getProperty("netio.test.java", "").isBlank() ? List.of()
            : List.of(System.getProperty("netio.test.java").split(" "));
    /** What each is made of: all this one has, unless {@code netio.test.app} names jars. */
    private static final String OWN_CLASS_PATH = System.getProperty("netio.test.app",
            System.getProperty("java.class.path", "") + File.pathSeparator + System.getProperty("jdk.module.path", ""));
    private static final String FOLDER = System.getProperty("netio.test.archive", "");

    private TestJvm() {
    }

    private static final class Archive {
        static final String CLASS_PATH;
        static final List<String> OPTIONS;

        static {
            try {
                Path folder = Files.createDirectories(Path.of(FOLDER));
                Path archive = folder.resolve("classes.jsa");
                try (FileChannel one = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE); FileLock lock = one.lock()) {
                    CLASS_PATH = jars(folder, !Files.exists(archive) && lock.isValid());
                    if (!Files.exists(archive)) {
                        create(folder, archive);
                    }
                }
                OPTIONS = List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off", "-Xlog:aot*=off");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The class path with jars in place of folders, which are written if they are {@code due}. */
        private static String jars(Path folder, boolean due) throws IOException {
            List<String> jars = new ArrayList<>();
            for (String entry : OWN_CLASS_PATH.split(File.pathSeparator)) {
                if (!Files.isDirectory(Path.of(entry))) {
                    jars.add(entry);
                    continue;
                }
                Path jar = folder.resolve(jars.size() + ".jar");
                if (due) {
                    pack(Path.of(entry), jar);
                }
                jars.add(jar.toString());
            }
            return String.join(File.pathSeparator, jars);
        }

        private static void pack(Path classes, Path jar) throws IOException {
            try (OutputStream out = Files.newOutputStream(jar); JarOutputStream zip = new JarOutputStream(out);
                    Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    zip.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                    Files.copy(file, zip);
                    zip.closeEntry();
                }
            }
        }

        /** Of the classes that a sender has needed by the time it is told that nobody listens. */
        private static void create(Path folder, Path archive) throws IOException {
            Path unfinished = folder.resolve("unfinished.jsa");
            Path message = Files.write(folder.resolve("message"), new byte[1]);
            List<String> command = new ArrayList<>(command(CLASS_PATH, List.of("-XX:ArchiveClassesAtExit=" + unfinished)));
            command.addAll(List.of(Netio.class.getName(), "send", "--backend", "tcp", "--to", "127.0.0.1:1",
                    message.toString()));
            try {
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start().waitFor();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** How such a JVM is started, without the main class. */
    public static List<String> command(List<String> options) {
        if (FOLDER.isEmpty()) {
            return command(OWN_CLASS_PATH, options);
        }
        List<String> all = new ArrayList<>(Archive.OPTIONS);
        all.addAll(options);
        return command(Archive.CLASS_PATH, all);
    }

    private static List<String> command(String classPath, List<String> options) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classPath, "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"));
        command.addAll(JAVA_OPTIONS);
        command.addAll(options);
        return command;
    }

    /** A netio's arguments: those of commands that connect, with {@link #withProvider the provider} of these tests. */
    public static List<String> netioArguments(String... arguments) {
        boolean connects = arguments.length > 0 && List.of("send", "recv", "publish", "subscribe").contains(arguments[0]);
        return connects ? withProvider(arguments) : List.of(arguments);
    }

    /** A netio's arguments, with the provider of these tests if they choose no other. */
    public static List<String> withProvider(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!all.contains("--provider") && !all.contains("--backend")) {
            all.addAll(List.of("--provider", TestSettings.PROVIDER));
        }
        return all;
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What pages of the documents tell a user to write and to run. */
final class Pages {
    static final Path ROOT = Path.of(System.getProperty("netio.test.root"));
    private static final Pattern FILE = Pattern.compile(
            "```(?:java|yaml|xml)\n(?://|#|<!--) (\\S+\\.\\w+)(?: -->)?\n(.*?)```", Pattern.DOTALL);

    private Pages() {
    }

    static String text(String page) throws IOException {
        return Files.readString(ROOT.resolve(page));
    }

    /** The files that {@code page} shows, by the paths in their first lines. */
    static Map<String, String> files(String page) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        for (Matcher file = FILE.matcher(text(page)); file.find();) {
            files.put(file.group(1), file.group(2));
        }
        return files;
    }

    /** The command lines of {@code page} that begin with {@code words}, without their comments. */
    static List<String> commands(String page, String words) throws IOException {
        return text(page).lines().filter(line -> line.startsWith("    " + words))
                .map(line -> line.replaceFirst(" +#.*", "").strip()).toList();
    }

    /** The project file of docs/first-project.md, with the name of a project and what {@link Repository} has. */
    static String pom(String name) throws IOException {
        return files("docs/first-project.md").get("readout/pom.xml")
                .replace("<artifactId>readout<", "<artifactId>" + name + "<").replace("0.1.0-SNAPSHOT", Repository.VERSION);
    }
}

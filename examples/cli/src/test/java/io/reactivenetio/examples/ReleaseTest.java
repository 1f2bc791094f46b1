// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.benchmarks.BuildVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published says what Maven Central wants to know, and the BOM has all of it. */
class ReleaseTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final int DEPTH = 3;
    private static final Pattern NESTED =
            Pattern.compile("(?s)<(parent|dependencyManagement|dependencies|build|profiles|licenses|developers)>.*?</\\1>");

    /** A project of this build: its whole pom, and what of it is about the project itself. */
    private record Project(String pom, String own) {
        String says(String name) {
            return element(own, name);
        }

        String parent() {
            return element(element(pom, "parent"), "artifactId");
        }
    }

    private static String element(String text, String name) {
        Matcher found = Pattern.compile("(?s)<" + name + "(?: [^>]*)?>(.*?)</" + name + ">").matcher(text);
        return found.find() ? found.group(1).strip() : "";
    }

    /** The projects of this build by their artifacts' names. */
    private static Map<String, Project> projects() throws IOException {
        Map<String, Project> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOT, DEPTH)) { // no deeper: other modules are being built
            for (Path pom : files.filter(file -> file.endsWith("pom.xml")).toList()) {
                String text = Files.readString(pom).replaceAll("(?s)<!--.*?-->", "");
                Project project = new Project(text, NESTED.matcher(text).replaceAll(""));
                all.put(project.says("artifactId"), project);
            }
        }
        assertThat(all).hasSizeGreaterThan(10).containsKey("reactive-netio-parent");
        return all;
    }

    /** As Maven inherits it. */
    private static boolean isPublished(Project project, Map<String, Project> all) {
        String says = project.says("unpublished");
        return says.isEmpty() ? isPublished(all.get(project.parent()), all) : says.equals("false");
    }

    @Test
    void shouldHaveEveryPublishedArtifactInTheBom() throws IOException {
        Map<String, Project> all = projects();
        List<String> published = all.entrySet().stream().filter(project -> isPublished(project.getValue(), all))
                .filter(project -> !project.getValue().says("packaging").equals("pom")).map(Map.Entry::getKey).toList();
        String managed = element(element(all.get("reactive-netio-bom").pom(), "dependencyManagement"), "dependencies");
        List<String> dependencies = Stream.of(managed.split("</dependency>"))
                .filter(part -> part.contains("<dependency>")).toList();
        assertThat(published).hasSizeGreaterThan(5).containsExactlyInAnyOrderElementsOf(
                dependencies.stream().map(dependency -> element(dependency, "artifactId")).toList());
        assertThat(dependencies).allMatch(dependency -> element(dependency, "version").equals("${project.version}"));
    }

    @Test
    void shouldSayWhatMavenCentralAsksFor() throws IOException {
        Map<String, Project> all = projects();
        String parent = all.get("reactive-netio-parent").pom();
        assertThat(Stream.of("url", "licenses", "developers", "scm", "issueManagement")
                .filter(name -> element(parent, name).isEmpty())).isEmpty();
        assertThat(all.entrySet().stream().filter(project -> isPublished(project.getValue(), all))
                .filter(project -> project.getValue().says("name").isEmpty() || project.getValue().says("description").isEmpty())
                .map(Map.Entry::getKey)).isEmpty();
    }

    @Test
    void shouldHaveOneVersion() throws IOException {
        Map<String, Project> all = projects();
        String version = all.get("reactive-netio-parent").says("version");
        all.forEach((name, project) -> assertThat(project.parent().isEmpty() ? project.says("version")
                : element(element(project.pom(), "parent"), "version")).as(name).isEqualTo(version));
    }

    @Test
    void shouldPrintVersionAndDate() throws IOException {
        assertThat(new BuildVersion().getVersion()).singleElement().asString()
                .matches("netio \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?, \\d{4}-\\d\\d-\\d\\d");
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The starter's packages build on each other in one direction, and are small. */
class PackagesTest {
    private static final String ALL = "io.reactivenetio.spring";
    private static final int MOST_CLASSES = 24;
    private static final int LARGEST_CIRCLE = 3;
    private static final JavaClasses CLASSES = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ALL);

    @Test
    void shouldHaveNoCircleOfPackages() {
        Map<String, Set<String>> uses = uses(JavaClass::getPackageName);

        assertThat(uses).as("packages that were looked at").hasSizeGreaterThan(10);
        assertThat(circles(uses)).filteredOn(circle -> circle.size() > 1).isEmpty();
    }

    @Test
    void shouldHaveNoCircleOfMoreThanThreeClasses() {
        assertThat(circles(uses(PackagesTest::outermost))).filteredOn(circle -> circle.size() > LARGEST_CIRCLE).isEmpty();
    }

    @Test
    void shouldHaveNoMoreThanTwoDozenClassesInAPackage() {
        Map<String, Set<String>> classes = new TreeMap<>();
        for (JavaClass one : CLASSES) {
            if (!one.getSimpleName().equals("package-info")) {
                classes.computeIfAbsent(one.getPackageName(), name -> new TreeSet<>()).add(outermost(one));
            }
        }

        assertThat(classes.values()).allSatisfy(own -> assertThat(own).hasSizeLessThanOrEqualTo(MOST_CLASSES));
    }

    @Test
    void shouldFindCircles() {
        Map<String, Set<String>> uses = Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("a", "d"), "d", Set.of("d"),
                "e", Set.of("a"));

        assertThat(circles(uses)).containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("d"));
    }

    /** Who uses which others, where {@code part} says what a class belongs to. */
    private static Map<String, Set<String>> uses(Function<JavaClass, String> part) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass from : CLASSES) {
            Set<String> targets = uses.computeIfAbsent(part.apply(from), name -> new TreeSet<>());
            for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().startsWith(ALL)) {
                    targets.add(part.apply(target));
                }
            }
        }
        return uses;
    }

    private static String outermost(JavaClass of) {
        String name = of.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Those that reach each other, and so themselves. */
    private static Set<Set<String>> circles(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(name -> reached.put(name, reached(name, uses)));
        Set<Set<String>> circles = new HashSet<>();
        reached.forEach((name, all) -> {
            Set<String> circle = new TreeSet<>(all);
            circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(name));
            if (!circle.isEmpty()) {
                circles.add(circle);
            }
        });
        return circles;
    }

    private static Set<String> reached(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(uses.getOrDefault(from, Set.of()));
        while (!next.isEmpty()) {
            String name = next.pop();
            if (reached.add(name)) {
                next.addAll(uses.getOrDefault(name, Set.of()));
            }
        }
        return reached;
    }
}

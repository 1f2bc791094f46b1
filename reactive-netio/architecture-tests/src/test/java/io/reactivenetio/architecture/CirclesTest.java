// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Classes that need each other can only be understood together. So at most three may form a circle. A nested class counts as part
 * of the class around it, and that a sealed type permits another one is no dependency.
 */
@AnalyzeClasses(packages = "io.reactivenetio", importOptions = DoNotIncludeTests.class)
class CirclesTest {
    private static final int LARGEST = 3;
    private static final String ALL = "io.reactivenetio";

    @ArchTest
    static void shouldHaveNoCircleOfMoreThanThreeClasses(JavaClasses classes) {
        Map<String, Set<String>> uses = uses(classes);

        assertThat(uses).as("classes that were looked at").hasSizeGreaterThan(300);
        assertThat(new Circles(uses).found()).filteredOn(circle -> circle.size() > LARGEST).isEmpty();
    }

    @Test
    void shouldFindCircles() {
        Map<String, Set<String>> uses = new TreeMap<>(Map.of("a", Set.of("b"), "b", Set.of("c", "e"), "c", Set.of("d"),
                "d", Set.of("a"), "e", Set.of("f"), "f", Set.of("e"), "g", Set.of("a")));

        assertThat(new Circles(uses).found())
                .containsExactlyInAnyOrder(Set.of("a", "b", "c", "d"), Set.of("e", "f"), Set.of("g"));
    }

    /** Which top-level class uses which others. */
    private static Map<String, Set<String>> uses(JavaClasses classes) {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass from : classes) {
            Set<String> targets = uses.computeIfAbsent(outermost(from), name -> new TreeSet<>());
            for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (target.getPackageName().startsWith(ALL)) {
                    targets.add(outermost(target));
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

    /** Finds the classes that reach each other, by Tarjan's algorithm. */
    private static final class Circles {
        private final Map<String, Set<String>> uses;
        private final Map<String, Integer> order = new HashMap<>();
        private final Map<String, Integer> lowest = new HashMap<>();
        private final Deque<String> path = new ArrayDeque<>();
        private final List<Set<String>> found = new ArrayList<>();

        Circles(Map<String, Set<String>> uses) {
            this.uses = uses;
        }

        /** Each class is in one of these sets. */
        List<Set<String>> found() {
            uses.keySet().stream().filter(name -> !order.containsKey(name)).forEach(this::visit);
            return found;
        }

        private int visit(String name) {
            int own = order.size();
            order.put(name, own);
            lowest.put(name, own);
            path.push(name);
            for (String target : uses.getOrDefault(name, Set.of())) {
                if (!order.containsKey(target)) {
                    lowest.merge(name, visit(target), Math::min);
                } else if (path.contains(target)) {
                    lowest.merge(name, Objects.requireNonNull(order.get(target)), Math::min);
                }
            }
            int least = Objects.requireNonNull(lowest.get(name));
            if (least == own) {
                Set<String> circle = new TreeSet<>();
                while (!circle.contains(name)) {
                    circle.add(path.pop());
                }
                found.add(circle);
            }
            return least;
        }
    }
}

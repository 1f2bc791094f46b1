// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A program, or a part of one: a word, its numbers, and the parts that it is made of. */
record Node(Word word, List<Integer> numbers, List<Node> kids) {

    static Node of(Word word, int... numbers) {
        return new Node(word, Arrays.stream(numbers).boxed().toList(), List.of());
    }

    Node with(List<Node> parts) {
        return new Node(word, numbers, List.copyOf(parts));
    }

    Node with(Node... parts) {
        return with(List.of(parts));
    }

    int number(int index) {
        return numbers.get(index);
    }

    /** Its parts that are operators, or those that are not. */
    List<Node> kids(boolean operators) {
        return kids.stream().filter(kid -> kid.word.isOperator() == operators).toList();
    }

    /** All of this tree. */
    List<Node> all() {
        List<Node> all = new ArrayList<>(List.of(this));
        kids.forEach(kid -> all.addAll(kid.all()));
        return all;
    }

    /** Each tree that is this one without one of its sub-trees. */
    List<Node> smaller() {
        List<Node> smaller = new ArrayList<>();
        for (int i = 0; i < kids.size(); i++) {
            if (kids.get(i).word.mayGo() && (kids.get(i).word != Word.TAG || kids.size() > 1)) {
                List<Node> fewer = new ArrayList<>(kids);
                fewer.remove(i);
                smaller.add(with(fewer));
            }
        }
        for (int i = 0; i < kids.size(); i++) {
            for (Node kid : kids.get(i).smaller()) {
                List<Node> changed = new ArrayList<>(kids);
                changed.set(i, kid);
                smaller.add(with(changed));
            }
        }
        return smaller;
    }

    /** As a user would write it. */
    @Override
    public String toString() {
        String text = word.template();
        for (int i = numbers.size() - 1; i >= 0; i--) {
            text = choose(text, i).replace("$" + i, numbers.get(i).toString());
        }
        return text.replace("#", kids(false).stream().map(Node::toString).collect(Collectors.joining(word.separator())))
                .replace("@", kids(true).stream().map(Node::toString).collect(Collectors.joining()));
    }

    /** A number that stands for one of several words. */
    private String choose(String text, int index) {
        int at = text.indexOf("$" + index + "{");
        if (at < 0) {
            return text;
        }
        int end = text.indexOf('}', at);
        String[] words = text.substring(text.indexOf('{', at) + 1, end).split("\\|", -1);
        return text.substring(0, at) + words[numbers.get(index)] + text.substring(end + 1);
    }
}

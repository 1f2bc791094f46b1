// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A vector of docs/wire-vectors.txt. */
record GoldenVector(String format, boolean both, byte[] bytes, List<String> meaning, boolean refused, int line) {
    private static final Path DOCUMENT = Path.of("../../docs/wire-vectors.txt");

    /** All of them, as they stand in the document. */
    static List<GoldenVector> all() {
        try {
            return parse(Files.readAllLines(DOCUMENT));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<GoldenVector> parse(List<String> document) {
        List<GoldenVector> vectors = new ArrayList<>();
        for (int i = 0; i < document.size(); i++) {
            if (document.get(i).startsWith("```vector ")) {
                int end = i + 1;
                while (!document.get(end).equals("```")) {
                    end++;
                }
                vectors.add(parse(document.get(i).split(" "), document.subList(i + 1, end), i + 1));
                i = end;
            }
        }
        return vectors;
    }

    private static GoldenVector parse(String[] head, List<String> lines, int number) {
        StringBuilder digits = new StringBuilder();
        List<String> meaning = new ArrayList<>();
        boolean refused = false;
        for (String line : lines) {
            if (line.startsWith("= ")) {
                meaning.add(line.substring(2));
            } else if (line.startsWith("! ")) {
                refused = true;
            } else {
                digits.append(line.replaceFirst("#.*", "").replace(" ", ""));
            }
        }
        return new GoldenVector(head[1], head[2].equals("both"), HexFormat.of().parseHex(digits), meaning, refused, number);
    }

    @Override
    public String toString() {
        return format + " in line " + line;
    }
}

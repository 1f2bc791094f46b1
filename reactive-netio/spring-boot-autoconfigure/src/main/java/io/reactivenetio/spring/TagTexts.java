// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.Tags;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads tags as annotations and properties have them: {@code 7}, {@code 0x1f}, {@code 16-31}, {@code 0x100/0xff00}, and lists of
 * these.
 */
public final class TagTexts {

    private TagTexts() {
    }

    /**
     * Reads the tags of all texts.
     *
     * @throws IllegalArgumentException if there is none, one is twice or none can be read of a text; it says which
     */
    public static List<Tags> parse(List<String> texts) {
        List<Tags> all = new ArrayList<>();
        for (String text : texts) {
            for (String item : text.split(",", -1)) {
                Tags tags = tags(item.strip());
                if (all.contains(tags)) {
                    throw new IllegalArgumentException(tags + " twice");
                }
                all.add(tags);
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no tag at all");
        }
        return all;
    }

    private static Tags tags(String text) {
        try {
            int slash = text.indexOf('/');
            if (slash >= 0) {
                return Tags.masked(number(text.substring(0, slash)), number(text.substring(slash + 1)));
            }
            int dash = text.indexOf('-');
            return dash < 0 ? Tags.of(number(text))
                    : Tags.range(number(text.substring(0, dash)), number(text.substring(dash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no tag", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "': " + e.getMessage(), e);
        }
    }

    /**
     * Reads one tag.
     *
     * @throws NumberFormatException if it is no number of 64 bits without sign
     */
    public static long number(String text) {
        String digits = text.strip();
        return digits.startsWith("0x") ? Long.parseUnsignedLong(digits, 2, digits.length(), 16)
                : Long.parseUnsignedLong(digits);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.TagTexts;
import io.reactivenetio.spring.annotation.NetioMethodException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.convert.DurationStyle;

/** Makes values of the texts of annotations, which may have placeholders. What is wrong is said with the method and attribute. */
public final class Texts {
    private static final String NUMBERS = "Write tags as 7, 0x1f, 16-31 or 0x100/0xff00, in a list with commas if there are"
            + " several, and each once";

    private static final Duration LONGEST = Duration.ofDays(1);

    private final EmbeddedValueResolver placeholders;

    /** {@code beans} know what placeholders stand for. */
    public Texts(ConfigurableBeanFactory beans) {
        placeholders = new EmbeddedValueResolver(beans);
    }

    /** The text without placeholders and surrounding space. */
    public String text(BeanMethod method, String attribute, String text) {
        try {
            String resolved = Objects.requireNonNullElse(placeholders.resolveStringValue(text), "").strip();
            if (!resolved.contains("${")) { // which a lenient environment leaves
                return resolved;
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw method.refused(attribute + " is '" + text + "', which has a placeholder without a value",
                "Set the property, or give the placeholder a default: ${name:default}");
    }

    /** The number, which is from {@code least} to {@code most}. */
    public int number(BeanMethod method, String attribute, String text, int least, int most) {
        String digits = text(method, attribute, text);
        try {
            int number = Integer.parseInt(digits);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw method.refused(attribute + " is '" + digits + "'", "Set it to a number from " + least + " to " + most);
    }

    /** The duration, which is a day at most. */
    public Duration duration(BeanMethod method, String attribute, String text) {
        String given = text(method, attribute, text);
        try {
            Duration duration = DurationStyle.detectAndParse(given);
            if (!duration.isNegative() && duration.compareTo(LONGEST) <= 0) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw method.refused(attribute + " is '" + given + "'", "Set it to a duration of a day at most, such as 100ms or 2s");
    }

    /** True or false. */
    public boolean bool(BeanMethod method, String attribute, String text) {
        String given = text(method, attribute, text);
        if (given.equals("true") || given.equals("false")) {
            return given.equals("true");
        }
        throw method.refused(attribute + " is '" + given + "'", "Set it to true or false");
    }

    /** The tags of all {@code texts}. */
    public List<Tags> tags(BeanMethod method, String[] texts) {
        try {
            return TagTexts.parse(Arrays.stream(texts).map(text -> text(method, "a tag", text)).toList());
        } catch (NetioMethodException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw method.refused("its tags are " + String.join(", ", texts) + ": " + e.getMessage(), NUMBERS, e);
        }
    }

    /** The tag, if {@code texts} are one tag and no range or pattern; otherwise null. */
    public @Nullable Long singleTag(BeanMethod method, String[] texts) {
        try {
            return texts.length == 1 ? TagTexts.number(text(method, "a tag", texts[0])) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The tag that {@code text} is. */
    public long tag(BeanMethod method, String text) {
        String digits = text(method, "the tag", text);
        try {
            return TagTexts.number(digits);
        } catch (NumberFormatException e) {
            throw method.refused("its tag is '" + digits + "'", "Write one tag, as 7 or 0x1f", e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.wire.TagPattern;

/**
 * A choice of 64-bit tags: one tag, a range, or all tags that have certain bits. Tags are compared as numbers without sign. A
 * choice is immutable.
 */
public final class Tags {
    /** How a choice is made of two numbers. */
    public enum Kind {
        /** One tag, the first number. */
        ONE,
        /** All tags from the first number to the second. */
        RANGE,
        /** All tags that have the bits of the first number where the second has ones. */
        MASK
    }

    private final TagPattern pattern;

    Tags(TagPattern pattern) {
        this.pattern = pattern;
    }

    /** This tag and no other. */
    public static Tags of(long tag) {
        return new Tags(TagPattern.exact(tag));
    }

    /**
     * All tags from {@code first} to {@code last}, both included.
     *
     * @throws IllegalArgumentException if {@code last} is less than {@code first}, compared without sign
     */
    public static Tags range(long first, long last) {
        return new Tags(TagPattern.range(first, last));
    }

    /**
     * All tags that have the bits of {@code tag} where {@code mask} has ones. With mask 0 that is every tag.
     *
     * @throws IllegalArgumentException if {@code tag} has bits outside of the mask
     */
    public static Tags masked(long tag, long mask) {
        return new Tags(TagPattern.masked(tag, mask));
    }

    /**
     * The choice that these numbers say, for one that was written down somewhere.
     *
     * @param first what {@link #first} returned
     * @param second what {@link #second} returned
     * @throws IllegalArgumentException if no choice has these numbers
     */
    public static Tags of(Kind kind, long first, long second) {
        TagPattern.Kind code = switch (kind) {
            case ONE -> TagPattern.Kind.EXACT;
            case RANGE -> TagPattern.Kind.RANGE;
            case MASK -> TagPattern.Kind.MASK;
        };
        return new Tags(new TagPattern(code, first, second));
    }

    /** How this choice is made. */
    public Kind kind() {
        return switch (pattern.kind()) {
            case EXACT -> Kind.ONE;
            case RANGE -> Kind.RANGE;
            case MASK -> Kind.MASK;
        };
    }

    /** The tag itself, the first tag of a range, or the bits that tags must have under the mask. */
    public long first() {
        return pattern.tag();
    }

    /** 0 for a single tag, the last tag of a range, or the mask. */
    public long second() {
        return pattern.second();
    }

    /** Whether {@code tag} is one of these tags. */
    public boolean contains(long tag) {
        return pattern.matches(tag);
    }

    TagPattern pattern() {
        return pattern;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tags tags && pattern.equals(tags.pattern);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    @Override
    public String toString() {
        return switch (pattern.kind()) {
            case EXACT -> "tag " + numbers();
            case RANGE -> "tags " + numbers();
            case MASK -> "tags with " + numbers();
        };
    }

    /** The numbers alone: that of a single tag, or those of the others. */
    String numbers() {
        String tag = Long.toUnsignedString(pattern.tag());
        return switch (pattern.kind()) {
            case EXACT -> tag;
            case RANGE -> tag + " to " + Long.toUnsignedString(pattern.second());
            case MASK -> "0x" + Long.toHexString(pattern.tag()) + " in 0x" + Long.toHexString(pattern.second());
        };
    }
}

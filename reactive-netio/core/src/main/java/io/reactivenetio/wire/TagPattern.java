// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;


/**
 * The tags that a stream is subscribed to.
 *
 * @param kind how the two numbers are meant
 * @param tag the tag itself; the first one of a range; the value under the mask
 * @param second 0; the last tag of the range, included; the mask
 */
public record TagPattern(Kind kind, long tag, long second) {
    /** How a pattern selects tags. */
    public enum Kind {
        EXACT(0),
        RANGE(1),
        MASK(2);

        private static final Kind[] ALL = {EXACT, RANGE, MASK};

        final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /** @throws IllegalArgumentException if no tag can match, or bits are set that mean nothing */
    public TagPattern {
        switch (kind) {
            case EXACT -> check(second == 0, "the second number of an exact tag must be 0", tag, second);
            case RANGE -> check(Long.compareUnsigned(tag, second) <= 0, "a range must not end before it begins", tag, second);
            default -> check((tag & ~second) == 0, "a tag must have no bits outside of its mask", tag, second);
        }
    }

    private static void check(boolean good, String rule, long tag, long second) {
        if (!good) {
            throw new IllegalArgumentException(rule + ": 0x" + Long.toHexString(tag) + ", 0x" + Long.toHexString(second));
        }
    }

    /** This tag and no other. */
    public static TagPattern exact(long tag) {
        return new TagPattern(Kind.EXACT, tag, 0);
    }

    /** All tags from {@code first} to {@code last}, both included, compared without sign. */
    public static TagPattern range(long first, long last) {
        return new TagPattern(Kind.RANGE, first, last);
    }

    /** All tags that are {@code tag} in the bits of {@code mask}. */
    public static TagPattern masked(long tag, long mask) {
        return new TagPattern(Kind.MASK, tag, mask);
    }

    static TagPattern of(int kind, long tag, long second) throws ProtocolException {
        if (kind >= Kind.ALL.length) {
            throw new ProtocolException("SUBSCRIBE with unknown kind " + kind + " of tags; known are 0 to "
                    + (Kind.ALL.length - 1));
        }
        try {
            return new TagPattern(Kind.ALL[kind], tag, second);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("malformed SUBSCRIBE: " + e.getMessage());
        }
    }

    /** Whether {@code candidate} is one of these tags. */
    public boolean matches(long candidate) {
        return switch (kind) {
            case EXACT -> candidate == tag;
            case RANGE -> Long.compareUnsigned(tag, candidate) <= 0 && Long.compareUnsigned(candidate, second) <= 0;
            case MASK -> (candidate & second) == tag;
        };
    }

    /** Whether there is a tag in both patterns. */
    public boolean overlaps(TagPattern other) {
        if (kind == Kind.EXACT) {
            return other.matches(tag);
        }
        if (other.kind == Kind.EXACT) {
            return matches(other.tag);
        }
        if (kind != other.kind) {
            return kind == Kind.RANGE ? other.hasWithin(tag, second) : hasWithin(other.tag, other.second);
        }
        return kind == Kind.RANGE
                ? Long.compareUnsigned(tag, other.second) <= 0 && Long.compareUnsigned(other.tag, second) <= 0
                : (tag & other.second) == (other.tag & second);
    }

    /**
     * Whether a tag of this mask is from {@code first} to {@code last}: looks for the first one that is not below {@code first}.
     */
    private boolean hasWithin(long first, long last) {
        long differing = (first ^ tag) & second;
        if (differing == 0) {
            return true; // first itself
        }
        long bit = Long.highestOneBit(differing);
        if ((first & bit) != 0) { // the mask wants a 0 there: so a bit above has to become 1, the lowest that may and is not
            bit = Long.lowestOneBit(~(second | first) & -(bit << 1));
            if (bit == 0) {
                return false;
            }
        }
        long next = first & -bit | bit | tag & bit - 1;
        return Long.compareUnsigned(next, last) <= 0;
    }
}

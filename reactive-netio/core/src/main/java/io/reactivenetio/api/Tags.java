// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * A choice of 64-bit tags: one tag, a range, or all tags that have certain bits. Tags are compared as numbers without sign.
 *
 * @param kind how the two numbers are meant
 * @param first the tag itself, the first tag of a range, or the bits that tags must have under the mask
 * @param second 0 for a single tag, the last tag of a range, or the mask
 */
public record Tags(Kind kind, long first, long second) {
    /** How a choice is made of two numbers. */
    public enum Kind {
        /** One tag, the first number. */
        ONE,
        /** All tags from the first number to the second, both included. */
        RANGE,
        /** All tags that have the bits of the first number where the second has ones. */
        MASK
    }

    /** @throws IllegalArgumentException if no tag is chosen, or bits are set that mean nothing */
    public Tags {
        switch (kind) {
            case ONE -> check(second == 0, "the second number of a single tag must be 0", first, second);
            case RANGE -> check(Long.compareUnsigned(first, second) <= 0, "a range must not end before it begins", first, second);
            default -> check((first & ~second) == 0, "a tag must have no bits outside of its mask", first, second);
        }
    }

    private static void check(boolean good, String rule, long first, long second) {
        if (!good) {
            throw new IllegalArgumentException(rule + ": 0x" + Long.toHexString(first) + ", 0x" + Long.toHexString(second));
        }
    }

    /** This tag and no other. */
    public static Tags of(long tag) {
        return new Tags(Kind.ONE, tag, 0);
    }

    /**
     * All tags from {@code first} to {@code last}, both included.
     *
     * @throws IllegalArgumentException if {@code last} is less than {@code first}, compared without sign
     */
    public static Tags range(long first, long last) {
        return new Tags(Kind.RANGE, first, last);
    }

    /**
     * All tags that have the bits of {@code tag} where {@code mask} has ones. With mask 0 that is every tag.
     *
     * @throws IllegalArgumentException if {@code tag} has bits outside of the mask
     */
    public static Tags masked(long tag, long mask) {
        return new Tags(Kind.MASK, tag, mask);
    }

    /** Whether this is a single tag. */
    public boolean isOne() {
        return kind == Kind.ONE;
    }

    /** Whether {@code tag} is one of these tags. */
    public boolean contains(long tag) {
        return switch (kind) {
            case ONE -> tag == first;
            case RANGE -> Long.compareUnsigned(first, tag) <= 0 && Long.compareUnsigned(tag, second) <= 0;
            case MASK -> (tag & second) == first;
        };
    }

    /** Whether all of {@code others} are among these tags. */
    public boolean containsAll(Tags others) {
        return contains(others.first)
                && (kind == Kind.MASK ? (second & others.varying()) == 0 : contains(others.last()));
    }

    /** The largest of these tags. */
    private long last() {
        return switch (kind) {
            case ONE -> first;
            case RANGE -> second;
            case MASK -> first | ~second;
        };
    }

    /** The bits in which these tags differ from each other. */
    private long varying() {
        return switch (kind) {
            case ONE -> 0;
            case RANGE -> first == second ? 0 : -1L >>> Long.numberOfLeadingZeros(first ^ second);
            case MASK -> ~second;
        };
    }

    /** Whether there is a tag in both choices. */
    public boolean overlaps(Tags other) {
        if (kind == Kind.ONE) {
            return other.contains(first);
        }
        if (other.kind == Kind.ONE) {
            return contains(other.first);
        }
        if (kind != other.kind) {
            return kind == Kind.RANGE ? other.hasWithin(first, second) : hasWithin(other.first, other.second);
        }
        return kind == Kind.RANGE
                ? Long.compareUnsigned(first, other.second) <= 0 && Long.compareUnsigned(other.first, second) <= 0
                : (first & other.second) == (other.first & second);
    }

    /** Whether a tag of this mask is from {@code from} to {@code to}: looks for the first one that is not below {@code from}. */
    private boolean hasWithin(long from, long to) {
        long differing = (from ^ first) & second;
        if (differing == 0) {
            return true; // from itself
        }
        long bit = Long.highestOneBit(differing);
        if ((from & bit) != 0) { // the mask wants a 0 there: so a bit above has to become 1, the lowest that may and is not
            bit = Long.lowestOneBit(~(second | from) & -(bit << 1));
            if (bit == 0) {
                return false;
            }
        }
        long next = from & -bit | bit | first & bit - 1;
        return Long.compareUnsigned(next, to) <= 0;
    }

    /** The numbers alone: 7 for a single tag, 4096 to 8191 for a range, 0x10 in 0xf0 for a mask. */
    public String numbers() {
        String tag = Long.toUnsignedString(first);
        return switch (kind) {
            case ONE -> tag;
            case RANGE -> tag + " to " + Long.toUnsignedString(second);
            case MASK -> "0x" + Long.toHexString(first) + " in 0x" + Long.toHexString(second);
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case ONE -> "tag " + numbers();
            case RANGE -> "tags " + numbers();
            case MASK -> "tags with " + numbers();
        };
    }
}

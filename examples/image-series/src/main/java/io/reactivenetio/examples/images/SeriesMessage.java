// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

/**
 * A message of a series, with those fields of DECTRIS' Stream V2 that this example needs. A series is a {@link Start}, its images
 * and an {@link End}. Each has the number of the series and an identity that no other series has.
 */
sealed interface SeriesMessage {
    int series();

    String uniqueId();

    /** The beginning of a series. {@code images} is how many there are to be; an aborted series has fewer. */
    record Start(int series, String uniqueId, int width, int height, int images) implements SeriesMessage {
    }

    /** One exposure: {@code width} times {@code height} pixels, row by row, in the byte order of the machine. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares images
    record Image(int series, String uniqueId, int number, int width, int height, short[] pixels) implements SeriesMessage {
        public Image {
            if (width < 1 || height < 1 || pixels.length != (long) width * height) {
                throw new IllegalArgumentException("an image of " + width + " x " + height + " pixels cannot have "
                        + pixels.length);
            }
        }
    }

    /** The end of a series. */
    record End(int series, String uniqueId) implements SeriesMessage {
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORGenerator;
import tools.jackson.dataformat.cbor.CBORParser;

/**
 * Messages of a series as CBOR maps. Pixels are a multi-dimensional array (RFC 8746, tag 40) of 16-bit numbers (tag 69),
 * compressed with LZ4 (DECTRIS' tag 56500), in the one channel {@code threshold_1}. Fields that it does not know are skipped.
 */
final class SeriesCodec {
    private static final int ARRAY = 40;
    private static final int UINT16_LITTLE_ENDIAN = 69;
    private static final int COMPRESSED = 56500;
    private static final String LZ4 = "lz4";
    private static final CBORFactory FACTORY = CBORFactory.builder().build();

    private SeriesCodec() {
    }

    static ByteBuffer encode(SeriesMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CBORGenerator out = (CBORGenerator) FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            out.writeStartObject();
            out.writeStringProperty("type", switch (message) {
                case Start _ -> "start";
                case Image _ -> "image";
                case End _ -> "end";
            });
            out.writeNumberProperty("series_id", message.series());
            out.writeStringProperty("series_unique_id", message.uniqueId());
            if (message instanceof Start start) {
                out.writeNumberProperty("image_size_x", start.width());
                out.writeNumberProperty("image_size_y", start.height());
                out.writeNumberProperty("number_of_images", start.images());
            } else if (message instanceof Image image) {
                out.writeNumberProperty("image_id", image.number());
                writePixels(out, image);
            }
            out.writeEndObject();
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    private static void writePixels(CBORGenerator out, Image image) {
        ByteBuffer pixels = ByteBuffer.allocate(image.pixels().length * Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        pixels.asShortBuffer().put(image.pixels());
        out.writeObjectPropertyStart("data");
        out.writeName("threshold_1");
        out.writeTag(ARRAY);
        out.writeStartArray(null, 2);
        out.writeStartArray(null, 2);
        out.writeNumber(image.height());
        out.writeNumber(image.width());
        out.writeEndArray();
        out.writeTag(UINT16_LITTLE_ENDIAN);
        out.writeTag(COMPRESSED);
        out.writeStartArray(null, 3);
        out.writeString(LZ4);
        out.writeNumber(0);
        out.writeBinary(Lz4Blocks.compress(pixels.array()));
        out.writeEndArray();
        out.writeEndArray();
        out.writeEndObject();
    }

    /**
     * Returns what a message says. The buffer may be used for something else afterwards.
     *
     * @throws IllegalArgumentException if it is no message of a series
     */
    static SeriesMessage decode(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.duplicate().get(bytes);
        try (CBORParser in = (CBORParser) FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
            return new Reader(in).message();
        } catch (JacksonException e) {
            throw new IllegalArgumentException("a message of " + bytes.length + " bytes is not CBOR: " + e.getOriginalMessage(),
                    e);
        }
    }

    /** Reads the fields, in any order. */
    private static final class Reader {
        private final CBORParser in;
        private String type = "";
        private String uniqueId = "";
        private int series = -1;
        private int width = -1;
        private int height = -1;
        private int images = -1;
        private int number = -1;
        private short[] pixels = {};

        Reader(CBORParser in) {
            this.in = in;
        }

        SeriesMessage message() {
            expect(in.nextToken() == JsonToken.START_OBJECT, "a map");
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                in.nextToken();
                field(name);
            }
            expect(in.currentToken() == JsonToken.END_OBJECT && in.nextToken() == null, "one map and nothing behind it");
            expect(!type.isEmpty() && !uniqueId.isEmpty() && series >= 0, "type, series_id and series_unique_id");
            return switch (type) {
                case "start" -> {
                    expect(width > 0 && height > 0 && images >= 0, "image_size_x, image_size_y and number_of_images");
                    yield new Start(series, uniqueId, width, height, images);
                }
                case "image" -> {
                    expect(pixels.length > 0 && number >= 0, "image_id and data of threshold_1");
                    yield new Image(series, uniqueId, number, width, height, pixels);
                }
                case "end" -> new End(series, uniqueId);
                default -> throw new IllegalArgumentException("an unknown type of message: " + type);
            };
        }

        private void field(String name) {
            switch (name) {
                case "type" -> type = text();
                case "series_id" -> series = number();
                case "series_unique_id" -> uniqueId = text();
                case "image_size_x" -> width = number();
                case "image_size_y" -> height = number();
                case "number_of_images" -> images = number();
                case "image_id" -> number = number();
                case "data" -> channels();
                default -> in.skipChildren();
            }
        }

        private String text() {
            expect(in.currentToken() == JsonToken.VALUE_STRING, "a text as " + in.currentName());
            return in.getString();
        }

        private int number() {
            expect(in.currentToken() == JsonToken.VALUE_NUMBER_INT, "a number as " + in.currentName());
            return in.getIntValue();
        }

        private void channels() {
            expect(in.currentToken() == JsonToken.START_OBJECT, "a map of channels");
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean known = "threshold_1".equals(in.currentName());
                in.nextToken();
                if (known) {
                    pixels();
                } else {
                    in.skipChildren();
                }
            }
        }

        private void pixels() {
            expect(isTagged(ARRAY), "an array of pixels");
            expect(in.nextToken() == JsonToken.START_ARRAY && in.nextToken() == JsonToken.VALUE_NUMBER_INT, "dimensions");
            height = in.getIntValue();
            expect(in.nextToken() == JsonToken.VALUE_NUMBER_INT, "two dimensions");
            width = in.getIntValue();
            expect(in.nextToken() == JsonToken.END_ARRAY, "two dimensions");
            long size = (long) width * height * Short.BYTES;
            expect(width > 0 && height > 0 && size <= 1 << 30, "pixels of at most 1 GiB");
            in.nextToken();
            expect(isTagged(COMPRESSED) && in.getCurrentTags().contains(UINT16_LITTLE_ENDIAN), "compressed 16-bit pixels");
            expect(in.nextToken() == JsonToken.VALUE_STRING && LZ4.equals(in.getString()), "LZ4");
            in.nextToken();
            in.skipChildren();
            expect(in.nextToken() == JsonToken.VALUE_EMBEDDED_OBJECT, "compressed bytes");
            byte[] compressed = in.getBinaryValue(); // null if it is one of CBOR's simple values
            expect(compressed != null, "compressed bytes");
            byte[] data = Lz4Blocks.decompress(compressed, (int) size);
            expect(in.nextToken() == JsonToken.END_ARRAY, "three elements of compressed data");
            expect(in.nextToken() == JsonToken.END_ARRAY, "two elements of an array");
            short[] all = new short[data.length / Short.BYTES];
            ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(all);
            pixels = all;
        }

        private boolean isTagged(int tag) {
            return in.currentToken() == JsonToken.START_ARRAY && in.getCurrentTags().contains(tag);
        }

        private static void expect(boolean holds, String what) {
            if (!holds) {
                throw new IllegalArgumentException("a message of a series must have " + what);
            }
        }
    }
}

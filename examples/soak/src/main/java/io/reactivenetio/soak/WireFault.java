// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.transport.BackendType;
import java.util.List;

/** What happens to the bytes between two sides, and how the connection has to come out of it. */
enum WireFault {
    DELAY("bytes are late by 10 to 500 ms", true, 200, false),
    ONE_BYTE("each byte comes alone", true, 50, false),
    REORDER("connects arrive in another order", true, 200, false),
    RESET("RST", false, 20_000, false),
    HALF_CLOSE("one direction ends", false, 20_000, false),
    BLACK_HOLE("nothing passes any more", false, 20_000, false),
    CORRUPT_RARELY("1 of 20,000 bytes is changed, checksums", false, 20_000, true),
    CORRUPT("1 of 1,000 bytes is changed, checksums", false, 20_000, true),
    CORRUPT_OFTEN("1 of 10 bytes is changed, checksums", false, 20_000, true),
    CORRUPT_UNSEEN("1 of 20,000 bytes is changed, no checksums", false, 20_000, false);

    private static final int RARE = 20_000;
    private static final int MEAN = 1_000;
    private static final int OFTEN = 10;

    private final String text;
    private final boolean completes;
    private final int messages;
    private final boolean checksums;

    WireFault(String text, boolean completes, int messages, boolean checksums) {
        this.text = text;
        this.completes = completes;
        this.messages = messages;
        this.checksums = checksums;
    }

    /** Whether everything arrives in spite of it. Otherwise an exact beginning does, and both sides are told. */
    boolean completes() {
        return completes;
    }

    /** Whether a message may be changed without anybody's noticing. */
    boolean isUnseen() {
        return this == CORRUPT_UNSEEN;
    }

    /** How many messages are to be sent over each connection. */
    int messages() {
        return messages;
    }

    boolean checksums() {
        return checksums;
    }

    /** Returns of how many bytes one is changed; 0 if none is. */
    int corruptsOneIn() {
        return switch (this) {
            case CORRUPT_RARELY, CORRUPT_UNSEEN -> RARE;
            case CORRUPT -> MEAN;
            case CORRUPT_OFTEN -> OFTEN;
            default -> 0;
        };
    }

    /** Bytes that are changed can crash a process within releases of libfabric, so those go over plain TCP only. */
    List<BackendType> backends() {
        return corruptsOneIn() > 0 || this == ONE_BYTE ? List.of(BackendType.TCP)
                : List.of(BackendType.TCP, BackendType.LIBFABRIC);
    }

    @Override
    public String toString() {
        return text;
    }
}

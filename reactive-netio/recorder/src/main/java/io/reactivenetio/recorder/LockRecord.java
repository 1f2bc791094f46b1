// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the file of a lock says: whose it is, that its owner lives, and what the next owner has to know.
 *
 * @param owner a random number of the recorder; 0 if the last one has closed it
 * @param beat counts on as long as the owner lives
 * @param host the machine since it was booted, and the process numbers that are seen there
 * @param pid the owner's process
 * @param begun when that process began, so that another one with its number is not taken for it
 * @param file which file this was written to; another one has a copy of it
 * @param highest the highest number that a segment was given
 */
record LockRecord(long owner, long beat, long host, long pid, long begun, long file, int highest) {
    static final int BYTES = 64;

    private static final int MAGIC = 0x4b4c4e52; // RNLK
    private static final int CRC_AT = 60;
    /** Behind the name of the process, in what proc(5) calls stat. */
    private static final int TICKS_AT = 19;
    private static final long HOST = hash(text("/proc/sys/kernel/random/boot_id") + link("/proc/self/ns/pid"));

    /** Creates the record of a recorder of this process. */
    static LockRecord mine(long owner, Object key, int highest) {
        long pid = ProcessHandle.current().pid();
        return new LockRecord(owner, 0, HOST, pid, begun(pid), hash(number(key)), highest);
    }

    LockRecord beaten() {
        return new LockRecord(owner, beat + 1, host, pid, begun, file, highest);
    }

    LockRecord withHighest(int number) {
        return new LockRecord(owner, beat, host, pid, begun, file, number);
    }

    LockRecord closed() {
        return new LockRecord(0, beat, host, pid, begun, file, highest);
    }

    /** Whether nobody writes it any more: it was closed, was copied from another file, or its process has ended. */
    boolean isOver(Object key) {
        return owner == 0 || file != hash(number(key)) || host == HOST && begun != begun(pid);
    }

    /** When a process began, in ticks since the machine was booted, which no clock changes; -1 if it has ended. */
    private static long begun(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[TICKS_AT]);
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    /** Without the device, which has other numbers on other machines. */
    private static String number(Object key) {
        String text = key.toString();
        int at = text.indexOf("ino=");
        return at < 0 ? text : text.substring(at);
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).putInt(Format.VERSION)
                .putLong(owner).putLong(beat).putLong(host).putLong(pid).putLong(begun).putLong(file).putInt(highest);
        return bytes.putInt(Format.crc(bytes, 0, CRC_AT)).flip();
    }

    /** Returns null if these are no such bytes. */
    static @Nullable LockRecord decode(ByteBuffer bytes) {
        ByteBuffer from = bytes.order(ByteOrder.LITTLE_ENDIAN);
        if (from.remaining() != BYTES || from.getInt(0) != MAGIC || from.getInt(4) != Format.VERSION
                || from.getInt(CRC_AT) != Format.crc(from, 0, CRC_AT)) {
            return null;
        }
        return new LockRecord(from.getLong(8), from.getLong(16), from.getLong(24), from.getLong(32), from.getLong(40),
                from.getLong(48), Math.max(0, from.getInt(56)));
    }

    private static String text(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return file; // there is none: only the process says who it was
        }
    }

    private static String link(String file) {
        try {
            return Files.readSymbolicLink(Path.of(file)).toString();
        } catch (IOException e) {
            return file;
        }
    }

    private static long hash(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return crc.getValue() << 32 | Integer.toUnsignedLong(text.hashCode());
    }
}

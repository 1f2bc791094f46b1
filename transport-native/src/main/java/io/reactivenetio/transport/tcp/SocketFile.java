// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The file of a listening Unix socket. It belongs to the listener that has bound it, and is deleted with that. A file whose
 * server has died without doing so is replaced.
 */
final class SocketFile {
    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private final UnixDomainSocketAddress address;
    private final Object inode;

    private SocketFile(UnixDomainSocketAddress address, Object inode) {
        this.address = address;
        this.inode = inode;
    }

    /** The file that was made for a socket that is bound to {@code address}; null if somebody has deleted it since. */
    static @Nullable SocketFile of(UnixDomainSocketAddress address) {
        Object inode = inode(address.getPath());
        return inode == null ? null : new SocketFile(address, inode);
    }

    /** Deletes the file at {@code address} if it is a socket that nobody listens on. Returns whether it did. */
    static boolean deleteStale(UnixDomainSocketAddress address) {
        try {
            int mode = (int) Files.getAttribute(address.getPath(), "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (mode & TYPE) == SOCKET && !isListening(address) && Files.deleteIfExists(address.getPath());
        } catch (IOException e) {
            return false; // the bind says what is in the way
        }
    }

    private static boolean isListening(UnixDomainSocketAddress address) {
        int fd = Sockets.socket(address);
        if (fd < 0) {
            return true; // nobody can tell
        }
        try (Arena arena = Arena.ofConfined()) {
            return Sockets.connect(fd, Sockets.encode(arena, address)) != -Sockets.ECONNREFUSED;
        } finally {
            LibC.close(fd);
        }
    }

    /** Deletes the file when its socket is closed, unless another has taken its place. An inode's number may be in use again. */
    void delete() {
        if (inode.equals(inode(address.getPath()))) {
            deleteStale(address);
        }
    }

    private static @Nullable Object inode(Path path) {
        try {
            return Objects.requireNonNull(Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            return null;
        }
    }
}

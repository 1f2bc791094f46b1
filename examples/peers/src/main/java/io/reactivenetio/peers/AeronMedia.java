// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.DriverTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** Aeron over shared memory, with one media driver for both processes, or over UDP, with one each as on two machines. */
enum AeronMedia {
    IPC("over shared memory, the receiver's process has the media driver"),
    UDP("over UDP, a media driver in each process, MTU 8 KiB and socket buffers of 2 MiB as upstream's benchmarks have them");

    private static final int MTU = 8192;
    private static final int SOCKET_BUFFER = 2 << 20;
    private static final Path MEMORY = Path.of("/dev/shm");

    private final String settings;

    AeronMedia(String settings) {
        this.settings = settings;
    }

    String settings() {
        return settings + ", shared driver threads that back off: there are not as many processors as dedicated ones need";
    }

    /** Returns the channel of a connection that is known by {@code port}. */
    String channel(int port) {
        return this == IPC ? "aeron:ipc" : "aeron:udp?endpoint=" + Loopback.ADDRESS + ":" + port;
    }

    /** {@code first}: of the two processes, the one that listens. */
    Client open(int port, boolean first) {
        boolean drives = first || this == UDP;
        Path parent = Files.isDirectory(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        String folder = parent.resolve("netio-peers-aeron-" + port + (this == UDP && first ? "-receiver" : "")).toString();
        MediaDriver driver = drives ? drive(folder) : null;
        try {
            return new Client(driver, Aeron.connect(new Aeron.Context().aeronDirectoryName(folder)
                    .errorHandler(AeronMedia::report)));
        } catch (RuntimeException e) {
            CloseHelper.close(driver);
            throw e;
        }
    }

    private static MediaDriver drive(String folder) {
        return MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(folder).dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true).threadingMode(ThreadingMode.SHARED).mtuLength(MTU).ipcMtuLength(MTU)
                .socketRcvbufLength(SOCKET_BUFFER).socketSndbufLength(SOCKET_BUFFER)
                .initialWindowLength(SOCKET_BUFFER));
    }

    /**
     * Aeron's own handler ends the process when the media driver has gone, which may happen at the end of a round: the driver is
     * in the other process. Whoever still waits for that one fails by itself.
     */
    private static void report(Throwable problem) {
        if (!(problem instanceof DriverTimeoutException)) {
            problem.printStackTrace();
        }
    }

    /** One process of the two. */
    record Client(@Nullable MediaDriver driver, Aeron aeron) implements AutoCloseable {
        @Override
        public void close() {
            CloseHelper.closeAll(aeron, driver);
        }
    }
}

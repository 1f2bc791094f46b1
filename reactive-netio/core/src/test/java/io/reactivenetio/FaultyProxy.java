// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Passes the bytes of one TCP connection on, until at some byte of one direction something happens to them. */
final class FaultyProxy implements AutoCloseable {
    enum Fault { NONE, CUT, RESET, CORRUPT, STALL }

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Fault fault;
    private final boolean towardsTarget;
    private final long at;
    private volatile Socket near;
    private volatile Socket far;

    FaultyProxy(InetSocketAddress target, Fault fault, boolean towardsTarget, long at) throws IOException {
        this.listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        this.target = target;
        this.fault = fault;
        this.towardsTarget = towardsTarget;
        this.at = at;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            Socket accepted = listener.accept();
            near = accepted;
            Socket connected = new Socket(target.getAddress(), target.getPort());
            far = connected;
            accepted.setTcpNoDelay(true);
            connected.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> pump(accepted, connected, towardsTarget));
            pump(connected, accepted, !towardsTarget);
        } catch (IOException e) {
            close(); // the test is over, or nobody listens
        }
    }

    private void pump(Socket from, Socket to, boolean faulty) {
        byte[] bytes = new byte[4096];
        long passed = 0;
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int n;
            while ((n = in.read(bytes)) > 0) {
                int due = faulty && fault != Fault.NONE && passed <= at && at < passed + n ? (int) (at - passed) : -1;
                if (due >= 0 && fault == Fault.CORRUPT) {
                    bytes[due] ^= 0x10;
                } else if (due >= 0) {
                    out.write(bytes, 0, due);
                    hurt(to);
                    return;
                }
                out.write(bytes, 0, n);
                passed += n;
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close();
        }
    }

    /** A stall keeps both sockets open, and nothing moves any more in this direction. */
    private void hurt(Socket to) throws IOException {
        if (fault == Fault.RESET) {
            near.setSoLinger(true, 0);
            far.setSoLinger(true, 0);
        }
        if (fault != Fault.STALL) {
            to.getOutputStream().flush();
            close();
        }
    }

    @Override
    public void close() {
        close(listener);
        close(near);
        close(far);
    }

    private static void close(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;

/**
 * A loop of this library on the thread of an event loop of Netty 4.2, over epoll: Netty watches the one descriptor and gives the
 * guest a turn when it is readable. So handlers of both meet without changing threads.
 */
public final class NettyHosted implements EpollIoHandle {
    // docs
    private final EventLoop guest = EventLoop.create(EventLoopConfig.defaults().withName("guest"));
    private final FileDescriptor fd = new FileDescriptor(guest.epollFd());
    private final NetioLoops loops = NetioLoops.of(guest);
    private final IoEventLoop host;

    private NettyHosted(IoEventLoop host) {
        this.host = host;
    }

    /** Loops to give to {@code runOn}, whose thread is Netty's. They end with {@code dispose()}, or with {@code host}. */
    public static NetioLoops on(IoEventLoop host) {
        NettyHosted hosted = new NettyHosted(host);
        try {
            host.submit(hosted::begin).syncUninterruptibly(); // from another thread than Netty's
        } catch (RuntimeException e) { // Netty's loop has ended
            hosted.guest.close();
            throw e;
        }
        return hosted.loops;
    }

    private void begin() {
        turn(); // the first one makes this thread the guest's
        host.register(this).addListener((Future<IoRegistration> registered) -> {
            IoRegistration registration = registered.getNow();
            guest.onClose(registration::cancel); // while the descriptor is still open
            registration.submit(EpollIoOps.EPOLLIN);
        });
    }

    private void turn() {
        if (!guest.poll() && !guest.isTerminated()) {
            host.execute(this::turn); // it has more to do; after true it waits for its descriptor
        }
    }

    @Override
    public FileDescriptor fd() {
        return fd;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        turn();
    }

    /** Netty's loop ends. */
    @Override
    public void close() {
        loops.dispose();
        guest.close();
    }
    // docs end
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** What a loop brings itself. */
class EpollLoopIoTest extends LoopIoContract {
    EpollLoopIoTest() {
        super(EventLoop.create("own"));
    }

    @Override
    LoopIo implementation(EventLoop host) {
        return host.io();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** What a loop with io_uring brings itself. */
class RingIoTest extends LoopIoContract {
    RingIoTest() {
        super(EventLoop.create(LoopTesting.onIoUring("ring")));
    }

    @Override
    LoopIo implementation(EventLoop host) {
        return host.io();
    }
}

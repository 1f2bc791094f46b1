// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** What a loop with io_uring brings itself. */
class RingIoTest extends LoopIoContract {
    RingIoTest() {
        super(EventLoop.create(EventLoopConfig.defaults().withName("ring").withMechanism(LoopMechanism.IO_URING)));
    }

    @Override
    LoopIo implementation(EventLoop host) {
        return host.io();
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** Somebody else's, wrapped: late, as a mechanism of completions is. It never cuts what it is asked for. */
class GivenLoopIoTest extends LoopIoContract {
    GivenLoopIoTest() {
        super(EventLoop.create("given"));
    }

    @Override
    LoopIo implementation(EventLoop host) {
        return FaultyLoopIo.late(host.io(), () -> host, 7);
    }
}

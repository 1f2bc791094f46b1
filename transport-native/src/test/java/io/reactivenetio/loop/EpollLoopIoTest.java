// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** What a loop brings itself. */
class EpollLoopIoTest extends LoopIoContract {
    @Override
    LoopIo implementation(EventLoop host) {
        return host.io();
    }
}

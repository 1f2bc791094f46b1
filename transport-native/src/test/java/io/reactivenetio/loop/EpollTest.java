// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.eventfd;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.task.Failures;
import io.reactivenetio.loop.task.LoopCounters;
import io.reactivenetio.loop.thread.Ownership;
import org.junit.jupiter.api.Test;

/** What a table of registrations does with its own descriptor. */
class EpollTest {
    /** Closed twice, it would close what another thread has opened meanwhile: a socket, a file, another loop. */
    @Test
    void shouldNotCloseItsNumberASecondTime() {
        int own = LibC.epollCreate1(LibC.EPOLL_CLOEXEC);
        Epoll epoll = new Epoll(own, 4, new Ownership(), new Failures("twice", new LoopCounters()));
        epoll.close();
        int[] opened = new int[8];
        for (int i = 0; i < opened.length; i++) {
            opened[i] = eventfd(0);
        }
        epoll.close();
        for (int fd : opened) {
            assertThat(LibC.close(fd)).as("descriptor %s, where %s was closed", fd, own).isZero();
        }
    }
}

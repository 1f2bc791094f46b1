// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WorkCompletionStatusTest {
    @Test
    void shouldSayWhatAStatusMeansAndItsNumber() {
        assertThat(WorkCompletionStatus.text(12))
                .startsWith("transport retry counter exceeded: the peer or the way to it is gone")
                .endsWith("(work completion status 12)");
        assertThat(WorkCompletionStatus.text(13)).contains("receiver-not-ready");
        for (int status = -1; status < 40; status++) {
            assertThat(WorkCompletionStatus.text(status)).doesNotStartWith(" ")
                    .endsWith(" (work completion status " + status + ")");
        }
    }
}

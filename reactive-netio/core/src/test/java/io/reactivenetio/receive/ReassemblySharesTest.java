// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.wire.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which connection is given up, however the others have come and gone. */
class ReassemblySharesTest {
    private static final int SHARES = 20;
    private static final int LIMIT = 10_000;

    private final ReassemblyBudget budget = new ReassemblyBudget(LIMIT);
    private final List<ReassemblyBudget.Share> shares = new ArrayList<>();
    private final List<Integer> ended = new ArrayList<>();

    private void open(int number) {
        for (int i = 0; i < number; i++) {
            int index = i;
            shares.add(budget.share(why -> ended.add(index)));
        }
    }

    @Test
    void shouldGiveUpWhoHasMost() throws ProtocolException {
        open(SHARES);
        Random random = new Random(7);
        for (int round = 0; round < 10_000; round++) {
            ReassemblyBudget.Share share = shares.get(random.nextInt(SHARES));
            if (random.nextBoolean()) {
                share.give((int) Math.min(share.held(), random.nextInt(400)));
                continue;
            }
            int bytes = 1 + random.nextInt(400);
            long before = shares.stream().mapToLong(ReassemblyBudget.Share::held).sum();
            long most = shares.stream().mapToLong(each -> each == share ? each.held() + bytes : each.held()).max().orElse(0);
            ended.clear();
            if (before + bytes <= LIMIT) {
                share.take(bytes);
                assertThat(ended).isEmpty();
            } else if (most == share.held() + bytes) {
                assertThatThrownBy(() -> share.take(bytes)).isInstanceOf(ProtocolException.class);
                assertThat(ended).containsExactly(shares.indexOf(share));
                assertThat(share.held()).isZero();
            } else {
                share.take(bytes);
                assertThat(ended).isNotEmpty();
                assertThat(shares.get(ended.getFirst()).held()).isZero();
                assertThat(shares.stream().mapToLong(ReassemblyBudget.Share::held).sum()).isGreaterThanOrEqualTo(before + bytes
                        - most).isLessThanOrEqualTo(LIMIT);
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** Throws once, after a checkpoint that knows all endpoints; and is slow until then, if wanted. */
final class FailOnce implements MapFunction<Told, Told>, CheckpointedFunction, CheckpointListener {
    static final AtomicBoolean FAILED = new AtomicBoolean();

    private static final long serialVersionUID = 1;

    private final int endpoints;
    private final boolean slow;
    private long covering = Long.MAX_VALUE;
    private boolean checkpointed;
    private int since;
    private int n;

    FailOnce(int endpoints, boolean slow) {
        this.endpoints = endpoints;
        this.slow = slow;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {
        // keeps nothing
    }

    /** What the ledger has got before this barrier was sent by a source before its own barrier. */
    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        if (Ledger.LAST.size() == endpoints) {
            covering = Math.min(covering, context.getCheckpointId());
        }
    }

    @Override
    public void notifyCheckpointComplete(long id) {
        checkpointed |= id >= covering;
    }

    @Override
    public Told map(Told told) throws InterruptedException {
        if (slow && ++n % 20 == 0 && !FAILED.get()) {
            Slow.pause();
        }
        if (checkpointed && ++since > 500 && FAILED.compareAndSet(false, true)) {
            throw new IllegalStateException("the failure of this test");
        }
        return told;
    }
}

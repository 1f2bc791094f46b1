// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * The queue of finished operations, in format FI_CQ_FORMAT_MSG; fi_cq(3). One thread. Completions are read in batches
 * into one segment and looked at there; a batch stays readable until the next read. Reading allocates nothing.
 */
public final class FiCompletionQueue extends FiQueue {
    private final MemorySegment read;
    private final MemorySegment readError;
    private final MemorySegment entries;
    private final long entriesAddress;
    private final int batch;

    FiCompletionQueue(FiFunctions functions, long address, int batch) {
        super(functions, address);
        this.read = RawMemory.function(address, FiLayout.CQ_OPS, FiLayout.OPS_CQ_READ);
        this.readError = RawMemory.function(address, FiLayout.CQ_OPS, FiLayout.OPS_CQ_READERR);
        this.entries = memory.allocate(FiLayout.SIZEOF_CQ_ENTRY * batch, 8);
        this.entriesAddress = entries.address();
        this.batch = batch;
    }

    /**
     * Reads up to {@code max} completions, at most as many as a batch has. On tcp this is also what moves data.
     *
     * @return how many there are, -FI_EAGAIN if there is none, -FI_EAVAIL if {@link #readError()} has one, or another
     *     negated error
     */
    public int read(int max) {
        long self = open();
        try {
            return (int) FiCalls.transfer(read, self, entriesAddress, Math.min(max, batch));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The context given with the operation, of completion {@code index} of the last batch. */
    public long context(int index) {
        return entries.get(ValueLayout.JAVA_LONG, index * FiLayout.SIZEOF_CQ_ENTRY + FiLayout.CQ_ENTRY_CONTEXT);
    }

    /** What the operation was: FI_MSG with FI_SEND or FI_RECV. */
    public long flags(int index) {
        return entries.get(ValueLayout.JAVA_LONG, index * FiLayout.SIZEOF_CQ_ENTRY + FiLayout.CQ_ENTRY_FLAGS);
    }

    /** Bytes received; without meaning for a send. */
    public long length(int index) {
        return entries.get(ValueLayout.JAVA_LONG, index * FiLayout.SIZEOF_CQ_ENTRY + FiLayout.CQ_ENTRY_LEN);
    }

    /** Takes the failed completion that {@link #read} announced; null if there is none. The object is reused. */
    public @Nullable FiError readError() {
        if (!fillErrorEntry(readError)) {
            return null;
        }
        error.completion(errorEntry.get(ValueLayout.JAVA_LONG, FiLayout.CQ_ERR_CONTEXT),
                errorEntry.get(ValueLayout.JAVA_LONG, FiLayout.CQ_ERR_FLAGS));
        error.codes(errorEntry.get(ValueLayout.JAVA_INT, FiLayout.CQ_ERR_ERR),
                errorEntry.get(ValueLayout.JAVA_INT, FiLayout.CQ_ERR_PROV_ERRNO));
        return error;
    }
}

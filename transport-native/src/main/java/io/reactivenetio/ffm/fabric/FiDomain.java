// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A domain: one device and its resources; fi_domain(3). One per loop: providers lock per domain. One thread. */
public final class FiDomain extends Fid {
    private static final int LARGEST_BATCH = 256;

    private int sharedReceives;

    FiDomain(FiFunctions functions, long address) {
        super(functions, address);
    }

    /** Opens a completion queue with room for {@code size} completions and a file descriptor to wait on; fi_cq(3). */
    public FiCompletionQueue openCompletionQueue(int size) {
        return openCompletionQueue(size, true);
    }

    /** Opens a completion queue with room for {@code size} completions, with a descriptor to wait on if {@code fd}. */
    public FiCompletionQueue openCompletionQueue(int size, boolean fd) {
        if (size <= 0) {
            throw new IllegalArgumentException("size " + size);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(FiLayout.ROOM, 8);
            attributes.set(ValueLayout.JAVA_LONG, FiLayout.CQ_ATTR_SIZE, size);
            attributes.set(ValueLayout.JAVA_INT, FiLayout.CQ_ATTR_FORMAT, Fi.FI_CQ_FORMAT_MSG);
            attributes.set(ValueLayout.JAVA_INT, FiLayout.CQ_ATTR_WAIT_OBJ, fd ? Fi.FI_WAIT_FD : Fi.FI_WAIT_NONE);
            long queue = openObject("fi_cq_open of " + size, operation(FiLayout.OPS_DOMAIN_CQ_OPEN), attributes.address());
            FiCompletionQueue opened = new FiCompletionQueue(functions, queue, Math.min(size, LARGEST_BATCH));
            return fd ? FiQueue.usable(opened) : opened;
        }
    }

    /**
     * Opens an endpoint for {@code info}: one with a destination connects, one from FI_CONNREQ accepts; fi_endpoint(3).
     * If this fails for a connection request, reject it: the request is not freed otherwise.
     */
    public FiEndpoint openEndpoint(FiInfo info) {
        long endpoint = openObject("fi_endpoint on " + info, operation(FiLayout.OPS_DOMAIN_ENDPOINT), info.address());
        return new FiEndpoint(functions, this, endpoint, info);
    }

    /**
     * Opens a shared receive context with room for {@link FiInfo#rxSize()} receives of {@code info}; fi_srx_context(3). The
     * endpoints for it are opened from infos with {@link FiInfo#sharedReceiveContext()}.
     */
    public FiSharedReceive openSharedReceiveContext(FiInfo info) {
        long context = openObject("fi_srx_context of " + info.rxSize() + " receives",
                operation(FiLayout.OPS_DOMAIN_SRX_CTX), info.receive());
        sharedReceives++;
        return new FiSharedReceive(functions, this, context, () -> sharedReceives--);
    }

    /** fi_close. FI_EBUSY also while shared receive contexts are open, which the providers do not count. */
    @Override
    public void close() {
        if (sharedReceives > 0) {
            check("fi_close of " + this + " with " + sharedReceives + " shared receive contexts open", -Fi.FI_EBUSY);
        }
        super.close();
    }

    /**
     * Registers memory; fi_mr(3). May take long for large segments. The memory stays allocated until the region is
     * closed, which the caller sees to if the segment's arena can be closed.
     *
     * @param access FI_SEND and FI_RECV as needed
     * @param requestedKey unique within the domain: tcp refuses one in use with FI_ENOKEY
     */
    public FiMemoryRegion register(MemorySegment segment, long access, long requestedKey) {
        long self = open();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment register = RawMemory.function(self, FiLayout.DOMAIN_MR, FiLayout.OPS_MR_REG);
            check("fi_mr_reg of " + segment.byteSize() + " bytes", FiCalls.register(register, self, segment.address(),
                    segment.byteSize(), access, requestedKey, out.address()));
            return new FiMemoryRegion(functions, out.get(ValueLayout.JAVA_LONG, 0), segment);
        }
    }

    private MemorySegment operation(long offset) {
        return RawMemory.function(open(), FiLayout.DOMAIN_OPS, offset);
    }
}

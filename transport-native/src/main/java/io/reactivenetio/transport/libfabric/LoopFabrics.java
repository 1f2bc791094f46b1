// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import java.util.HashMap;
import java.util.Map;

/** The fabrics that one loop has opened, by their names, and what all of them have in common. Confined to the loop. */
final class LoopFabrics {
    private final BackendContext backend;
    private final LibFabric library;
    private final ProviderTraits traits;
    private final Map<String, FabricResources> fabrics = new HashMap<>();

    LoopFabrics(BackendContext backend, LibFabric library) {
        this.backend = backend;
        this.library = library;
        this.traits = ProviderTraits.of(backend.config().provider());
    }

    ProviderTraits traits() {
        return traits;
    }

    String text(int code) {
        return library.strerror(code);
    }

    /** What this loop has of the fabric {@code name}, which {@code info} describes. */
    FabricResources resources(String name, FiInfo info) {
        return fabrics.computeIfAbsent(name, fabric -> new FabricResources(backend, library, fabric, info));
    }

    /** Fails if a message may be larger than the provider's largest. */
    void requireFit(FiInfo info, ConnectionParameters parameters) {
        requireFits(info, "receive", parameters.receiveBuffers() > 0 ? parameters.receiveBufferSize() : 0);
        requireFits(info, "send", parameters.sendBuffers() > 0 ? parameters.sendBufferSize() : 0);
        requireFits(info, "zero-copy", parameters.region() != null ? parameters.zeroCopySize() : 0);
        BackendConfig config = backend.config();
        SharedBuffers receives = config.sharedReceiveBuffers();
        requireFits(info, "shared receive", receives != null ? receives.size() : 0);
        SharedBuffers sends = config.sharedSendBuffers();
        requireFits(info, "shared send", sends != null ? sends.size() : 0);
    }

    private static void requireFits(FiInfo info, String what, long size) {
        if (size > info.maxMsgSize()) {
            throw new InvalidConnectionParametersException(what + " size of " + size + " bytes: provider " + info.providerName()
                    + " has messages of at most " + info.maxMsgSize());
        }
    }

    /** Pieces of memory that are registered with network cards at present; none where the provider needs none. */
    int registeredRegions() {
        return fabrics.values().stream().mapToInt(FabricResources::registeredRegions).sum();
    }

    /** How often completion queues have been read. */
    long queueReads() {
        return fabrics.values().stream().mapToLong(fabric -> fabric.queues().reads()).sum();
    }

    /** Closes them, after every endpoint is closed. */
    void close() {
        fabrics.values().forEach(FabricResources::close);
        fabrics.clear();
    }
}

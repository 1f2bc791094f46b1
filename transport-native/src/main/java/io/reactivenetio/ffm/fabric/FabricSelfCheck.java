// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/**
 * Probes at start-up whether the library lays its structs out as {@link FiLayout} says, so that a foreign build is a
 * clear error and not a crash later: the library copies a filled {@code fi_info} and answers one query, and both are
 * read back.
 */
final class FabricSelfCheck {
    private static final String PROVIDER = "netio-self-check";
    private static final String DOMAIN = "netio-domain";
    private static final InetSocketAddress SOURCE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4321);

    private static final int LONGEST_NAME = 256;

    private final FiFunctions functions;
    private final String library;

    /** {@code library} names it in messages, with its version and where it is from. */
    FabricSelfCheck(FiFunctions functions, String library) {
        this.functions = functions;
        this.library = library;
    }

    void run() {
        expect(ValueLayout.ADDRESS.byteSize() == 8 && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN,
                "this binding needs a 64-bit little-endian machine");
        checkFreshInfo();
        checkCopiedInfo();
        checkAnswers();
    }

    private void expect(boolean condition, String what) {
        if (!condition) {
            throw new FabricUnavailableException(library + " is not laid out as expected: " + what);
        }
    }

    /** A fresh fi_info has its attribute structs, and nothing else is set. */
    private void checkFreshInfo() {
        long info = functions.duplicateInfo(0);
        for (long field = 0; field < FiLayout.INFO_NIC; field += Long.BYTES) {
            boolean attribute = field >= FiLayout.INFO_TX_ATTR;
            expect(RawMemory.getLong(info, field) != 0 == attribute, "fi_info, offset " + field);
        }
        functions.freeInfo(info);
    }

    /** Text and addresses are copied to new memory only if the library finds them where they were put. */
    private void checkCopiedInfo() {
        try (FiInfo hints = FiInfo.hints(functions).providerName(PROVIDER).domainName(DOMAIN).srcAddress(SOURCE)
                .addrFormat(Fi.FI_SOCKADDR_IN).endpointType(Fi.FI_EP_MSG).mrMode(Fi.FI_MR_LOCAL).txSize(7);
                FiInfo copy = hints.copy()) {
            expect(!sameText(hints, copy, FiLayout.INFO_FABRIC_ATTR, FiLayout.FABRIC_PROV_NAME), "fi_fabric_attr.prov_name");
            expect(!sameText(hints, copy, FiLayout.INFO_DOMAIN_ATTR, FiLayout.DOMAIN_NAME), "fi_domain_attr.name");
            expect(RawMemory.getLong(hints.address(), FiLayout.INFO_SRC_ADDR)
                    != RawMemory.getLong(copy.address(), FiLayout.INFO_SRC_ADDR), "fi_info.src_addr");
            expect(copy.providerName().equals(PROVIDER) && copy.domainName().equals(DOMAIN), "names in fi_info");
            expect(SOURCE.equals(copy.srcAddress()), "address in fi_info");
            expect(copy.endpointType() == Fi.FI_EP_MSG && copy.mrMode() == Fi.FI_MR_LOCAL && copy.txSize() == 7,
                    "attributes in fi_info");
        }
    }

    private static boolean sameText(FiInfo a, FiInfo b, long struct, long field) {
        return RawMemory.getLong(RawMemory.getLong(a.address(), struct), field)
                == RawMemory.getLong(RawMemory.getLong(b.address(), struct), field);
    }

    /** Whatever connected endpoints the library offers must look like it. Offering none is not an error here. */
    private void checkAnswers() {
        try (FiInfo hints = FiInfo.hints(functions).caps(Fi.FI_MSG).endpointType(Fi.FI_EP_MSG)
                        .mode(Fi.FI_CONTEXT | Fi.FI_CONTEXT2);
                FiInfo answers = FiInfo.answers(functions, null, null, 0, hints)) {
            for (FiInfo answer : answers.list()) {
                expect(answer.endpointType() == Fi.FI_EP_MSG, "fi_ep_attr.type");
                expect((answer.caps() & Fi.FI_MSG) != 0, "fi_info.caps");
                expect(isPlausible(answer.providerName()), "fi_fabric_attr.prov_name");
                expect(isPlausible(answer.domainName()), "fi_domain_attr.name");
                expect(answer.txSize() > 0 && answer.txSize() < 1 << 24, "fi_tx_attr.size");
                expect(answer.rxSize() > 0 && answer.rxSize() < 1 << 24, "fi_rx_attr.size");
                expect(answer.maxMsgSize() > 0, "fi_ep_attr.max_msg_size");
                expect(RawMemory.getInt(answer.fabric(), FiLayout.FABRIC_API_VERSION) == functions.requestVersion(),
                        "fi_fabric_attr.api_version");
            }
        } catch (FabricException e) {
            if (e.code() != Fi.FI_ENODATA) {
                throw new FabricUnavailableException(library + " does not answer: " + e.getMessage(), e);
            }
        }
    }

    private static boolean isPlausible(String text) {
        return !text.isEmpty() && text.length() < LONGEST_NAME && text.chars().allMatch(c -> c > ' ' && c < 127);
    }
}

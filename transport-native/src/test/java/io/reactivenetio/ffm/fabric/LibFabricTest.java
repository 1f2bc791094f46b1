// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LibFabricTest {
    private final LibFabric fabric = LibFabric.load();

    @Test
    void shouldLoadOnce() {
        assertThat(LibFabric.load()).isSameAs(fabric);
    }

    @Test
    void shouldKnowItsVersion() {
        assertThat(fabric.version()).isGreaterThanOrEqualTo(1 << 16 | 14);
        assertThat(fabric.versionString()).matches("\\d+\\.\\d+\\.\\d+.*")
                .startsWith((fabric.version() >>> 16) + "." + (fabric.version() & 0xffff) + ".");
        assertThat(fabric.requestVersion()).isLessThanOrEqualTo(fabric.version()).isLessThanOrEqualTo(1 << 16 | 17);
    }

    @Test
    void shouldKnowItsFile() throws Exception {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            assertThat(maps.filter(line -> line.endsWith(" " + fabric.path()))).isNotEmpty();
        }
    }

    @Test
    void shouldKnowTheVersionsOfItsProviders() {
        try (FiInfo hints = fabric.hints().providerName("tcp"); FiInfo answer = fabric.getInfo(null, null, 0, hints)) {
            assertThat(answer.providerVersion()).matches("[1-9]\\d*\\.\\d+");
        }
    }

    @Test
    void shouldExplainErrorsOfEitherSign() {
        assertThat(fabric.strerror(Fi.FI_ECONNREFUSED)).isEqualTo("Connection refused");
        assertThat(fabric.strerror(-Fi.FI_ETRUNC)).isEqualToIgnoringCase("Truncation error");
    }

    @Test
    void shouldWalkAllProviders() {
        try (FiInfo hints = fabric.hints(); FiInfo answers = fabric.getInfo(null, null, 0, hints)) {
            List<FiInfo> all = answers.list();

            assertThat(all).extracting(FiInfo::providerName).anyMatch(name -> name.equals("tcp"))
                    .allMatch(name -> name.matches("[a-z0-9_;]+"));
            assertThat(all).extracting(FiInfo::domainName).noneMatch(String::isEmpty);
            assertThat(all).extracting(FiInfo::endpointType).allMatch(type -> type >= Fi.FI_EP_MSG && type <= Fi.FI_EP_RDM);
        }
    }

    @Test
    void shouldDescribeTheTcpProvider() {
        try (FiInfo hints = Loopback.hints(fabric).providerName("tcp");
                FiInfo info = fabric.getInfo("127.0.0.1", "4711", Fi.FI_NUMERICHOST, hints)) {
            assertThat(info.providerName()).isEqualTo("tcp");
            assertThat(info.endpointType()).isEqualTo(Fi.FI_EP_MSG);
            assertThat(info.caps() & Fi.FI_MSG).isNotZero();
            assertThat(info.destAddress()).isEqualTo(new InetSocketAddress("127.0.0.1", 4711));
            assertThat(info.txSize()).isPositive();
            assertThat(info.rxSize()).isPositive();
            assertThat(info.txIovLimit()).isPositive();
            assertThat(info.maxMsgSize()).isPositive();
            assertThat(info.handle()).isZero();
            assertThat(info.toString()).contains("tcp").contains("127.0.0.1:4711");
        }
    }

    @Test
    void shouldReportWhatNobodyOffers() {
        try (FiInfo hints = fabric.hints().providerName("no-such-provider")) {
            assertThatThrownBy(() -> fabric.getInfo("127.0.0.1", "1", 0, hints))
                    .isInstanceOfSatisfying(FabricException.class, e -> {
                        assertThat(e.code()).isEqualTo(Fi.FI_ENODATA);
                        assertThat(e.operation()).isEqualTo("fi_getinfo for 127.0.0.1 port 1");
                    })
                    .hasMessage("fi_getinfo for 127.0.0.1 port 1: No data available (61)");
        }
    }

    @Test
    void shouldKeepAddressesWithTheirScope() throws Exception {
        byte[] linkLocal = InetAddress.getByName("fe80::1:2").getAddress();
        InetSocketAddress scoped = new InetSocketAddress(java.net.Inet6Address.getByAddress(null, linkLocal, 1), 9);
        try (FiInfo hints = fabric.hints()) {
            assertThat(hints.srcAddress()).isNull();
            assertThat(hints.srcAddress(scoped).srcAddress()).isEqualTo(scoped);
            assertThat(((java.net.Inet6Address) hints.srcAddress().getAddress()).getScopeId()).isEqualTo(1);
            InetSocketAddress highPort = new InetSocketAddress("10.1.2.3", 65535);
            assertThat(hints.srcAddress(highPort).srcAddress()).isEqualTo(highPort);
            assertThat(hints.destAddress(highPort).destAddress()).isEqualTo(highPort);
        }
    }

    @Test
    void shouldRefuseUnresolvedAddresses() {
        try (FiInfo hints = fabric.hints()) {
            assertThatThrownBy(() -> hints.srcAddress(InetSocketAddress.createUnresolved("nowhere", 1)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldGuardInfoAndItsViewsAfterClose() {
        FiInfo hints = fabric.hints();
        FiInfo head = fabric.getInfo(null, null, 0, hints);
        FiInfo view = head.next();
        FiInfo copy = view.copy();
        view.close();
        assertThat(head.providerName()).isNotEmpty();

        head.close();
        head.close();
        hints.close();

        assertThatThrownBy(head::providerName).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(view::domainName).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(head::next).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fabric.openFabric(view)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> hints.caps(1)).isInstanceOf(IllegalStateException.class);
        assertThat(copy.providerName()).isNotEmpty();
        copy.close();
    }

    @Test
    void shouldRefuseVariablesThatComeTooLate() {
        assertThatThrownBy(() -> LibFabric.setVariable("FI_LOG_LEVEL", "warn"))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("FI_LOG_LEVEL");
    }
}

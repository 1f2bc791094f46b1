// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransportPropertiesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            backend=tcp                                      | backendType                      | TCP
            provider=verbs                                   | backend.provider                 | verbs
            framing=raw                                      | framing                          | RAW
            receive-buffers.size=8KB                         | buffers.receiveBufferSize        | 8192
            receive-buffers.size=8KB                         | buffers.receiveBuffers           | 32
            receive-buffers.number=7                         | buffers.receiveBuffers           | 7
            receive-buffers.number=7                         | buffers.receiveBufferSize        | 61440
            send-buffers.size=16KB                           | buffers.sendBufferSize           | 16384
            send-buffers.number=9                            | buffers.sendBuffers              | 9
            framing=raw,shared-receive-buffers.number=100    | framing.common.receiveBuffers.number | 100
            framing=page,shared-receive-buffers.size=4KB     | framing.common.receiveBuffers.size | 4096
            framing=raw,shared-send-buffers.number=100       | framing.common.sendBuffers.number | 100
            max-message-size=1MB                             | framing.maxMessage               | 1048576
            reassembly-budget=200MB                          | framing.reassemblyBudget         | 209715200
            serve-timeout=2s                                 | framing.serveNanos               | 2000000000
            max-streams=17                                   | framing.maxStreams               | 17
            prefetch=100                                     | framing.prefetch.messages        | 100
            prefetch=100                                     | framing.prefetch.bytes           | 16777216
            prefetch=100,prefetch-bytes=1MB                  | framing.prefetch.bytes           | 1048576
            checksums=true                                   | framing.checksums                | true
            framing=page,page-watermark=4KB                  | framing.watermark                  | 4096
            framing=page,flush-interval=1ms                  | framing.flushNanos               | 1000000
            framing=raw,end-signal=peer-close                | framing.common.end               | PEER_CLOSE
            connect-timeout=3s                               | backend.connectTimeout           | PT3S
            keep-alive=30s                                   | backend.keepAlive                | PT30S
            byte-order=little-endian                         | byteOrder                        | LITTLE_ENDIAN
            lease-policy=wait                                | leasePolicy                      | WAIT
            wiretap=true                                     | wiretap.category                 | io.reactivenetio.wiretap
            """)
    void shouldSetWhatAPropertySays(String properties, String setting, String value) {
        String[] given = properties.split(",");
        Contexts.tcp().withPropertyValues(prefixed("netio.clients.daq.", given)).withPropertyValues("netio.clients.daq.port=7000")
                .run(context -> assertThat(Contexts.setting(context.getBean(NetioClients.class).client("daq"), setting))
                        .hasToString(value));
        Contexts.tcp().withPropertyValues(prefixed("netio.server.", given)).withPropertyValues("netio.server.port=0")
                .run(context -> assertThat(Contexts.setting(context.getBean(NetioServer.class), setting)).hasToString(value));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            backend=verbs                    | backend                       | LIBFABRIC
            provider=' '                     | provider                      | blank
            framing=streams                  | framing                       | STREAM
            receive-buffers.size=0B          | receive-buffers               | at least 1 byte
            receive-buffers.size=3GB         | receive-buffers               | less than 2 GB
            receive-buffers.size=many        | receive-buffers.size          | many
            receive-buffers.number=-1        | receive-buffers               | between 0 and 1048576
            send-buffers.number=2000000      | send-buffers                  | between 0 and 1048576
            shared-send-buffers.number=10    | shared-send-buffers           | framing to raw or page on both sides
            shared-receive-buffers.number=10 | shared-receive-buffers        | framing to raw or page on both sides
            max-message-size=0B              | max-message-size              | at least 1 byte
            max-message-size=2GB             | max-message-size              | less than 2 GB
            serve-timeout=-1s                | serve-timeout                 | negative
            prefetch=-1                      | prefetch                      | -1
            prefetch-bytes=1MB               | prefetch-bytes                | set that, too
            prefetch=1,prefetch-bytes=0B     | prefetch-bytes                | at least 1 byte
            max-streams=16777217             | max-streams                   | 0 to 16777216
            reassembly-budget=0B             | reassembly-budget             | at least 1 byte
            framing=page,page-watermark=0B   | page-watermark                | 0
            framing=page,flush-interval=2h   | flush-interval                | hour
            page-watermark=4KB               | page-watermark                | framing to page on both sides
            framing=raw,flush-interval=1ms   | flush-interval                | framing to page on both sides
            end-signal=error                 | end-signal                    | framing to raw or page on both sides
            framing=raw,prefetch=5           | prefetch                      | connections with raw framing have no such setting
            framing=page,prefetch-bytes=1MB  | prefetch-bytes                | framing to stream on both sides
            framing=raw,max-message-size=1MB | max-message-size              | framing to stream on both sides
            framing=page,reassembly-budget=1MB | reassembly-budget           | framing to stream on both sides
            framing=raw,serve-timeout=1s     | serve-timeout                 | framing to stream on both sides
            framing=page,max-streams=1       | max-streams                   | framing to stream on both sides
            framing=raw,checksums=false      | checksums                     | framing to stream on both sides
            framing=page,send-buffers.size=1KB,page-watermark=2KB |          | page watermark of 2048 bytes is more than
            connect-timeout=0s               | connect-timeout               | positive
            keep-alive=-1s                   | keep-alive                    | positive
            byte-order=middle-endian         | byte-order                    | LITTLE_ENDIAN
            lease-policy=keep                | lease-policy                  | WAIT
            receive-buffers.number=0         |                               | 1 to 65535 receive buffers of 1024 to 16777216
            receive-buffers.size=1B          |                               | 1 to 65535 receive buffers of 1024
            receive-buffers.size=1GB         |                               | 32 of 1073741824
            receive-buffers.number=100000    |                               | 100000 of 61440
            send-buffers.size=1B             |                               | send buffers of at least 1024 bytes: 1
            reassembly-budget=1MB            |                               | reassembly budget is 1048576; it must be 67108864
            """)
    void shouldSayWhatIsWrong(String properties, String name, String text) {
        String[] given = properties.replace("'", "").split(",");
        for (String prefix : new String[] {"netio.server.", "netio.clients.daq."}) {
            Contexts.tcp().withPropertyValues(prefix + "port=7123").withPropertyValues(prefixed(prefix, given))
                    .run(context -> assertThat(Contexts.failure(context)).contains(prefix + (name == null ? "" : name))
                            .containsIgnoringCase(text));
        }
    }

    @Test
    void shouldUseTheBackendOfAllUnlessOneHasItsOwn() {
        Contexts.any().withPropertyValues("netio.backend=tcp", "netio.provider=verbs", "netio.clients.a.port=1",
                "netio.clients.b.port=2", "netio.clients.b.provider=efa").run(context -> {
                    NetioClients clients = context.getBean(NetioClients.class);
                    assertThat(Contexts.setting(clients.client("a"), "backendType")).hasToString("TCP");
                    assertThat(Contexts.setting(clients.client("a"), "backend.provider")).isEqualTo("verbs");
                    assertThat(Contexts.setting(clients.client("b"), "backend.provider")).isEqualTo("efa");
                });
    }

    private static String[] prefixed(String prefix, String[] properties) {
        String[] all = properties.clone();
        for (int i = 0; i < all.length; i++) {
            all[i] = prefix + all[i];
        }
        return all;
    }
}

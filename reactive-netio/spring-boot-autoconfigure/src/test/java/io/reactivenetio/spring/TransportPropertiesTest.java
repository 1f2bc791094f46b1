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
            framing=raw,shared-receive-buffers.number=100    | backend.sharedReceiveBuffers.number | 100
            framing=page,shared-receive-buffers.size=4KB     | backend.sharedReceiveBuffers.size | 4096
            framing=raw,shared-send-buffers.number=100       | backend.sharedSendBuffers.number | 100
            max-message-size=1MB                             | streams.maxMessage               | 1048576
            reassembly-budget=200MB                          | streams.reassemblyBudget         | 209715200
            serve-timeout=2s                                 | streams.serveNanos               | 2000000000
            max-streams=17                                   | streams.maxStreams               | 17
            prefetch=100                                     | streams.prefetch.messages        | 100
            prefetch=100                                     | streams.prefetch.bytes           | 16777216
            prefetch=100,prefetch-bytes=1MB                  | streams.prefetch.bytes           | 1048576
            checksums=true                                   | streams.checksums                | true
            framing=page,page-watermark=4KB                  | pages.watermark                  | 4096
            framing=page,flush-interval=1ms                  | pages.flushInterval              | PT0.001S
            framing=raw,end-signal=peer-close                | endSignal                        | PEER_CLOSE
            connect-timeout=3s                               | backend.connectTimeout           | PT3S
            keep-alive=30s                                   | backend.keepAlive                | PT30S
            byte-order=little-endian                         | byteOrder                        | LITTLE_ENDIAN
            lease-policy=wait                                | leasePolicy                      | WAIT
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
            page-watermark=0B                | page-watermark                | 0
            flush-interval=2h                | flush-interval                | hour
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
            end-signal=error                 |                               | endSignal(ERROR) is for RAW and PAGE framing
            framing=raw,prefetch=5           |                               | prefetch(5) is for STREAM framing
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

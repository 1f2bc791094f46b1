// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.wire.Handshake.Role;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeTest {
    private static final Handshake CLIENT = handshake(Role.CONNECTS, 1, 1, 2, 1, 0);
    private static final Handshake SERVER = handshake(Role.ACCEPTS, 1, 1, 2, 1, 0);

    private static Handshake handshake(Role role, int lowest, int highest, int framing, int supported, int required) {
        return new Handshake(role, lowest, highest, framing, supported, required, 61_440, 28, 4, 1 << 26, 1000, 1L << 27, 5000);
    }

    private static ByteBuffer encoded(Handshake handshake) {
        ByteBuffer data = ByteBuffer.allocate(56);
        handshake.encode(data);
        assertThat(data.position()).isEqualTo(Handshake.SIZE).isLessThan(56);
        return data.rewind();
    }

    /** As a peer that does not check what it says. */
    private static ByteBuffer forged(int offset, int bytes, long value) {
        ByteBuffer data = encoded(SERVER);
        for (int i = 0; i < bytes; i++) {
            data.put(offset + i, (byte) (value >>> 8 * i));
        }
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(data.array(), 0, 44);
        for (int i = 0; i < 4; i++) {
            data.put(44 + i, (byte) (crc.getValue() >>> 8 * i));
        }
        return data;
    }

    @Test
    void shouldReadWhatItWroteAndIgnoreThePadding() throws Exception {
        assertThat(Handshake.decode(encoded(CLIENT))).isEqualTo(CLIENT);
        assertThat(Handshake.decode(encoded(SERVER).limit(48))).isEqualTo(SERVER);
    }

    @Test
    void shouldBeginWithANumberThatIsNoLength() {
        assertThat(encoded(CLIENT).order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt(0)).isNegative();
    }

    @Test
    void shouldRefuseEverySingleFlippedBit() {
        for (int bit = 0; bit < 48 * 8; bit++) {
            ByteBuffer data = encoded(CLIENT);
            data.put(bit / 8, (byte) (data.get(bit / 8) ^ 1 << bit % 8));
            assertThatThrownBy(() -> Handshake.decode(data)).isInstanceOf(ProtocolException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void shouldRefuseTooFewBytesAsNotOneOfOurs(int bytes) {
        assertThatThrownBy(() -> Handshake.decode(encoded(CLIENT).limit(bytes))).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("not a handshake of reactive-netio").hasMessageContaining("first " + bytes + " bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 47})
    void shouldRefuseOneThatIsCutOff(int bytes) {
        assertThatThrownBy(() -> Handshake.decode(encoded(CLIENT).limit(bytes))).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("cut off: it has " + bytes + " of 48");
    }

    @ParameterizedTest
    @CsvSource({"2, 3", "255, 255", "0, 0"})
    void shouldRefuseVersionsBeforeAnythingElseIsRead(int lowest, int highest) {
        ByteBuffer data = encoded(CLIENT).put(4, (byte) lowest).put(5, (byte) highest).limit(8);
        assertThatThrownBy(() -> Handshake.decode(data)).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("speaks versions " + lowest + " to " + highest);
    }

    @ParameterizedTest
    @CsvSource({
        "4, 1, 0, lowest version is 0", "7, 1, 0, role 0", "7, 1, 3, role 3", "12, 4, 2, features are required",
        "16, 4, 1023, page size is 1023", "16, 4, 16777217, page size is 16777217", "16, 4, 4294967295, page size is -1",
        "20, 2, 0, data pages is 0", "22, 1, 2, control pages is 2", "24, 4, 0, largest message is 0",
        "24, 4, 2147483648, largest message is 2147483648", "28, 4, 16777217, streams is 16777217",
        "28, 4, 4294967295, streams is 4294967295", "32, 8, 67108863, budget is 67108863", "32, 8, -1, budget is -1",
        "40, 4, 9, in ms, if any, is 9", "40, 4, 3600001, is 3600001", "40, 4, 4294967295, is 4294967295",
    })
    void shouldRefuseLimitsThatMakeNoSense(int offset, int bytes, long value, String text) {
        assertThatThrownBy(() -> Handshake.decode(forged(offset, bytes, value))).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("makes no sense").hasMessageContaining(text);
    }

    @Test
    void shouldNotSayWhatMakesNoSenseItself() {
        assertThatThrownBy(() -> new Handshake(Role.ACCEPTS, 1, 1, 2, 0, 0, 100, 1, 3, 1, 0, 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("page size is 100; it must be 1024 to 16777216");
    }

    @Test
    void shouldAgreeOnTheHighestVersionAndCommonFeatures() throws Exception {
        Agreement agreement = handshake(Role.CONNECTS, 1, 5, 2, 0b1101, 0b100)
                .negotiate(handshake(Role.ACCEPTS, 2, 3, 2, 0b111, 1));
        assertThat(agreement.version()).isEqualTo(3);
        assertThat(agreement.checksums()).isTrue();
        assertThat(CLIENT.negotiate(SERVER).checksums()).isFalse();
        assertThat(CLIENT.negotiate(SERVER).credits().maySendData()).isTrue();
    }

    @Test
    void shouldSayWhyTwoSidesCannotWorkTogether() {
        refused(CLIENT, CLIENT, "both sides say that they connect; was our own handshake sent back?");
        refused(CLIENT, handshake(Role.ACCEPTS, 2, 3, 2, 1, 0),
                "the peer speaks versions 2 to 3 of the format, this side 1 to 1");
        refused(CLIENT, handshake(Role.ACCEPTS, 1, 1, 1, 1, 0), "the peer uses framing 1, this side 2");
        refused(CLIENT, handshake(Role.ACCEPTS, 1, 1, 2, 7, 6), "requires features that this side does not have: bits 0x6");
        refused(handshake(Role.CONNECTS, 1, 1, 2, 1, 1), handshake(Role.ACCEPTS, 1, 1, 2, 0, 0),
                "the peer does not have features that this side requires: bits 0x1");
    }

    private static void refused(Handshake own, Handshake peer, String text) {
        assertThatThrownBy(() -> own.negotiate(peer)).isInstanceOf(ProtocolException.class).hasMessageContaining(text);
        assertThatThrownBy(() -> peer.negotiate(own)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void shouldComeToTheSameVerdictOnBothSides() {
        Random random = new Random(1);
        int good = 0;
        for (int i = 0; i < 20_000; i++) {
            Handshake client = random(Role.CONNECTS, random);
            Handshake server = random(Role.ACCEPTS, random);
            String verdict = verdict(client, server);
            assertThat(verdict(server, client)).isEqualTo(verdict);
            good += verdict.equals("refused") ? 0 : 1;
        }
        assertThat(good).isBetween(1_000, 19_000);
    }

    private static Handshake random(Role role, Random random) {
        int lowest = 1 + random.nextInt(3);
        int supported = random.nextInt(8) | random.nextInt(8);
        return handshake(role, lowest, lowest + random.nextInt(3), random.nextInt(10) == 0 ? 1 : 2, supported,
                supported & random.nextInt(8) & random.nextInt(8));
    }

    private static String verdict(Handshake own, Handshake peer) {
        try {
            Agreement agreement = own.negotiate(peer);
            return agreement.version() + " " + agreement.checksums();
        } catch (ProtocolException e) {
            return "refused";
        }
    }
}

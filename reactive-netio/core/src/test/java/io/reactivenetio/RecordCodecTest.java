// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The codecs of records: what they write, and what they refuse. */
class RecordCodecTest {
    private record All(boolean first, byte second, short third, char fourth, int fifth, long sixth, float seventh,
            double eighth) {
    }

    private record Point(int x, int y) {
    }

    private record Hit(long time, Point at, short charge, Track track) {
    }

    private record Track(Point from, Point to) {
    }

    private record Nothing() {
    }

    private record Boxed<T extends Comparable<T>>(int number, T value) {
    }

    private record Generic<T>(int number) {
    }

    private record Chain(int number, Chain next) {
    }

    private record Around(int number, Within within) {
    }

    private record Within(Point at, Around around) {
    }

    private record Named(Point at, String name) {
    }

    private record Outer(long time, Named named) {
    }

    private record Numbers(int[] numbers) {
    }

    private enum Colour { RED }

    private record Painted(Colour colour) {
    }

    /** With accessors and a constructor of its own. */
    private record Checked(int low, int high) {
        private Checked {
            if (low > high) {
                throw new IllegalArgumentException(low + " > " + high);
            }
        }

        @Override
        public int low() {
            return low + 1;
        }
    }

    private static <R> ByteBuffer encoded(NetioCodec<R> codec, R value, ByteOrder order) {
        ByteBuffer target = ByteBuffer.allocate(codec.size(value)).order(order);
        codec.encode(value, target);
        assertThat(target.remaining()).isZero();
        return target.flip();
    }

    private static void shouldComeBack(ByteOrder order, ByteBuffer target) {
        NetioCodec<All> codec = NetioCodec.ofRecord(All.class);
        All all = new All(true, (byte) -2, (short) -3, '\u20ac', -5, Long.MIN_VALUE + 6, -7.5f, Math.PI);
        assertThat(codec.size(all)).isEqualTo(30);
        target.order(order).position(3).limit(33);
        codec.encode(all, target);
        assertThat(target.position()).isEqualTo(33);
        target.flip();
        ByteBuffer expected = ByteBuffer.allocate(33).order(order).position(3).put((byte) 1).put((byte) -2).putShort((short) -3)
                .putChar('\u20ac').putInt(-5).putLong(Long.MIN_VALUE + 6).putFloat(-7.5f).putDouble(Math.PI).flip();
        assertThat(target.order(ByteOrder.BIG_ENDIAN)).isEqualTo(expected.order(ByteOrder.BIG_ENDIAN));
        assertThat(codec.decode(target.order(order).position(3))).isEqualTo(all);
        assertThat(target.remaining()).isZero();
    }

    @Test
    void shouldWriteTheComponentsOneBehindTheOther() {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            shouldComeBack(order, ByteBuffer.allocate(40));
            shouldComeBack(order, ByteBuffer.allocateDirect(40));
        }
    }

    @Test
    void shouldWriteRecordsWithinRecords() {
        NetioCodec<Hit> codec = NetioCodec.ofRecord(Hit.class);
        Hit hit = new Hit(1, new Point(2, 3), (short) 4, new Track(new Point(5, 6), new Point(7, 8)));
        ByteBuffer bytes = encoded(codec, hit, ByteOrder.BIG_ENDIAN);
        assertThat(bytes).isEqualTo(ByteBuffer.allocate(34).putLong(1).putInt(2).putInt(3).putShort((short) 4).putInt(5).putInt(6)
                .putInt(7).putInt(8).flip());
        assertThat(codec.decode(bytes)).isEqualTo(hit);
    }

    @Test
    void shouldNameAComponentThatIsNull() {
        NetioCodec<Hit> codec = NetioCodec.ofRecord(Hit.class);
        assertThatThrownBy(() -> encoded(codec, new Hit(1, null, (short) 2, null), ByteOrder.BIG_ENDIAN))
                .isInstanceOf(NullPointerException.class).hasMessage("component at is null");
        assertThatThrownBy(() -> encoded(codec, new Hit(1, new Point(1, 2), (short) 2, new Track(new Point(1, 2), null)),
                ByteOrder.BIG_ENDIAN)).isInstanceOf(NullPointerException.class).hasMessage("component track.to is null");
    }

    @Test
    void shouldMakeARecordWithoutComponentsAnEmptyMessage() {
        NetioCodec<Nothing> codec = NetioCodec.ofRecord(Nothing.class);
        assertThat(encoded(codec, new Nothing(), ByteOrder.BIG_ENDIAN).remaining()).isZero();
        assertThat(codec.decode(ByteBuffer.allocate(0))).isEqualTo(new Nothing());
    }

    @Test
    void shouldTakeTypeParametersThatAreNotUsed() {
        NetioCodec<Generic<String>> codec = codec(Generic.class);
        assertThat(codec.decode(encoded(codec, new Generic<>(7), ByteOrder.BIG_ENDIAN))).isEqualTo(new Generic<String>(7));
    }

    @SuppressWarnings("unchecked")
    private static <R> NetioCodec<R> codec(Class<?> type) {
        return (NetioCodec<R>) NetioCodec.ofRecord(type.asSubclass(Record.class));
    }

    @Test
    void shouldTakeEveryByteButZeroForTrue() {
        record Flag(boolean flag) {
        }

        NetioCodec<Flag> codec = NetioCodec.ofRecord(Flag.class);
        assertThat(codec.decode(ByteBuffer.wrap(new byte[] {0})).flag()).isFalse();
        assertThat(codec.decode(ByteBuffer.wrap(new byte[] {-128})).flag()).isTrue();
    }

    @Test
    void shouldUseTheConstructorAndAccessorsOfTheRecord() {
        NetioCodec<Checked> codec = NetioCodec.ofRecord(Checked.class);
        assertThat(encoded(codec, new Checked(1, 5), ByteOrder.BIG_ENDIAN)).isEqualTo(
                ByteBuffer.allocate(8).putInt(2).putInt(5).flip());
        assertThatThrownBy(() -> codec.decode(ByteBuffer.allocate(8).putInt(0, 9))).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("9 > 0");
    }

    @Test
    void shouldReturnTheSameCodecForTheSameClass() {
        assertThat(NetioCodec.ofRecord(Point.class)).isSameAs(NetioCodec.ofRecord(Point.class))
                .hasToString("codec of " + Point.class.getName());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 9, 16})
    void shouldRefuseMessagesOfAnotherSize(int bytes) {
        assertThatThrownBy(() -> NetioCodec.ofRecord(Point.class).decode(ByteBuffer.allocate(bytes)))
                .isInstanceOf(IllegalArgumentException.class).hasMessage("a message of " + bytes + " bytes; "
                        + Point.class.getName() + " has 8 bytes: the sender uses another codec, or another version of it");
    }

    @Test
    void shouldNameTheComponentThatHasNoFixedSize() {
        assertThatThrownBy(() -> NetioCodec.ofRecord(Outer.class)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("component named.name of " + Outer.class.getName() + " is a java.lang.String, which has no fixed"
                        + " size: use boolean, byte, short, char, int, long, float, double or records of these, or write a"
                        + " NetioCodec for it");
        assertThatThrownBy(() -> NetioCodec.ofRecord(Numbers.class)).hasMessageContaining("component numbers")
                .hasMessageContaining("is a int[]");
        assertThatThrownBy(() -> codec(Boxed.class)).hasMessageContaining("component value")
                .hasMessageContaining("is a java.lang.Comparable");
        assertThatThrownBy(() -> NetioCodec.ofRecord(Painted.class)).hasMessageContaining("component colour");
    }

    @Test
    void shouldRefuseRecordsWithoutEnd() {
        assertThatThrownBy(() -> NetioCodec.ofRecord(Chain.class)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("component next of " + Chain.class.getName() + " is within a " + Chain.class.getName());
        assertThatThrownBy(() -> NetioCodec.ofRecord(Around.class)).hasMessageContaining("component within.around of "
                + Around.class.getName() + " is within a " + Around.class.getName());
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void shouldRefuseClassesThatAreNoRecords() {
        assertThatThrownBy(() -> NetioCodec.ofRecord((Class) String.class)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("java.lang.String is no record class");
        assertThatThrownBy(() -> NetioCodec.ofRecord(Record.class)).hasMessage("java.lang.Record is no record class");
    }

    // ---- classes that are compiled here

    private static Path compiled(Path directory, String name, String... sources) throws IOException {
        Path source = Files.createDirectories(directory.resolve("source"));
        String[] arguments = new String[sources.length / 2 + 2];
        arguments[0] = "-d";
        arguments[1] = directory.resolve(name).toString();
        for (int i = 0; i < sources.length; i += 2) {
            Path file = source.resolve(sources[i]);
            Files.createDirectories(file.getParent());
            arguments[2 + i / 2] = Files.writeString(file, sources[i + 1]).toString();
        }
        assertThat(ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, arguments)).isZero();
        return directory.resolve(name);
    }

    private static Class<?> inModule(Path directory, String directive, String access) throws Exception {
        Path classes = compiled(directory, "other", "module-info.java", "module other { " + directive + " }",
                "some/where/Pair.java", "package some.where; " + access + " record Pair(int first, Single second) { }",
                "some/where/Single.java", "package some.where; " + access + " record Single(long only) { }");
        Configuration configuration = ModuleLayer.boot().configuration().resolve(ModuleFinder.of(classes), ModuleFinder.of(),
                Set.of("other"));
        return ModuleLayer.boot().defineModulesWithOneLoader(configuration, null).findLoader("other")
                .loadClass("some.where.Pair");
    }

    @ParameterizedTest
    @CsvSource({"opens some.where;, ''", "exports some.where;, public", "opens some.where; exports some.where;, ''"})
    void shouldReachRecordsOfModulesThatLetIt(String directive, String access, @TempDir Path directory) throws Exception {
        NetioCodec<Record> codec = codec(inModule(directory, directive, access));
        ByteBuffer message = ByteBuffer.allocate(12).putInt(1).putLong(2).flip();
        Record decoded = codec.decode(message);
        assertThat(decoded).hasToString("Pair[first=1, second=Single[only=2]]");
        assertThat(encoded(codec, decoded, ByteOrder.BIG_ENDIAN)).isEqualTo(message.flip());
    }

    @ParameterizedTest
    @CsvSource({"'', ''", "'', public", "exports some.where;, ''"})
    void shouldSayWhatToDoAboutRecordsOfOtherModules(String directive, String access, @TempDir Path directory) throws Exception {
        Class<?> type = inModule(directory, directive, access);
        assertThatThrownBy(() -> codec(type)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("some.where.Pair cannot be accessed: have the module-info of other say \"opens some.where"
                        + " to io.reactivenetio;\"")
                .hasMessageContaining("or make the class public and export its package");
    }

    /** A codec is kept as long as its record class, and no longer. */
    @Test
    void shouldLetGoOfAClassLoaderAndItsRecords(@TempDir Path directory) throws Exception {
        Path classes = compiled(directory, "short", "Pair.java", "public record Pair(int first, long second) { }");
        WeakReference<ClassLoader> loader = used(classes);
        Eventually.await("the class loader is collected", () -> {
            System.gc();
            return loader.get() == null;
        });
    }

    private static WeakReference<ClassLoader> used(Path classes) throws Exception {
        try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
            NetioCodec<Record> codec = codec(loader.loadClass("Pair"));
            Record decoded = codec.decode(ByteBuffer.allocate(12));
            assertThat(encoded(codec, decoded, ByteOrder.BIG_ENDIAN).remaining()).isEqualTo(12);
            return new WeakReference<>(loader);
        }
    }

    /** 512 method handles: one for each component, and one for the constructor of each record. */
    @Test
    void shouldTakeLargeRecordsAndRefuseLargerOnes(@TempDir Path directory) throws Exception {
        String many = String.join(", ", IntStream.range(0, 250).mapToObj(i -> "int c" + i).toList());
        Path classes = compiled(directory, "large", "Many.java", "public record Many(" + many + ") { }",
                "Two.java", "public record Two(Many first, Many second) { }",
                "Three.java", "public record Three(Many first, Many second, Many third) { }",
                "Deep.java", "public record Deep(Two first, Two second) { }");
        try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
            NetioCodec<Record> codec = codec(loader.loadClass("Two"));
            ByteBuffer message = ByteBuffer.allocate(2_000);
            for (int i = 0; i < 500; i++) {
                message.putInt(i);
            }
            Record decoded = codec.decode(message.flip());
            assertThat(encoded(codec, decoded, ByteOrder.BIG_ENDIAN)).isEqualTo(message.flip());
            for (String name : List.of("Three", "Deep")) {
                Class<?> type = loader.loadClass(name);
                assertThatThrownBy(() -> codec(type)).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(name + " has more than 512 components, together with those of its records");
            }
        }
    }
}

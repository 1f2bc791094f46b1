// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.spring.Contexts;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that cannot do what their annotations ask for: the application does not start, and says why. */
class WrongMethodsTest {
    public static class NoMessage {
        @NetioListener("7")
        public void on() {
        }
    }

    public static class TwoMessages {
        @NetioListener("7")
        public void on(ByteBuffer one, String two) {
        }
    }

    public static class TagOfText {
        @NetioListener("7")
        public void on(ByteBuffer one, @NetioTag String tag) {
        }
    }

    public static class StatusOfLong {
        @NetioListener("7")
        public void on(ByteBuffer one, @NetioStatus long status) {
        }
    }

    public static class FluxAndNothing {
        @NetioListener("7")
        public void on(Flux<ByteBuffer> all) {
        }
    }

    public static class FluxAndTag {
        @NetioListener("7")
        public Mono<Void> on(Flux<ByteBuffer> all, @NetioTag long tag) {
            return Mono.empty();
        }
    }

    public static class MonoOfMessage {
        @NetioListener("7")
        public Mono<Void> on(Mono<ByteBuffer> one) {
            return Mono.empty();
        }
    }

    public static class FluxOnVirtualThreads {
        @NetioListener(tags = "7", blocking = BlockingMode.VIRTUAL_THREADS)
        public Mono<Void> on(Flux<ByteBuffer> all) {
            return Mono.empty();
        }
    }

    public static class BatchWithoutFlux {
        @NetioListener("7")
        public void on(MessageBatch batch) {
        }
    }

    public static class BatchesOfTwoStreams {
        @NetioListener({"7", "16-31"})
        public Flux<Boolean> on(Flux<MessageBatch> batches) {
            return batches.map(MessageBatch::next);
        }
    }

    public static class FluxOfWhat {
        @NetioListener("7")
        public Mono<Void> on(Flux<?> all) {
            return Mono.empty();
        }
    }

    public static class NoCodec {
        @NetioListener("7")
        public void on(StringBuilder what) {
        }
    }

    public static class BadTag {
        @NetioListener("seven")
        public void on(ByteBuffer message) {
        }
    }

    public static class BadRange {
        @NetioListener("9-7")
        public void on(ByteBuffer message) {
        }
    }

    public static class NoTags {
        @NetioListener
        public void on(ByteBuffer message) {
        }
    }

    public static class TagTwice {
        @NetioListener({"7", "0x7"})
        public void on(ByteBuffer message) {
        }
    }

    public static class NoValue {
        @NetioListener("${nobody.has.set.it}")
        public void on(ByteBuffer message) {
        }
    }

    public static class NoClient {
        @NetioListener(tags = "7", client = "monitor")
        public void on(ByteBuffer message) {
        }
    }

    public static class BadConcurrency {
        @NetioListener(tags = "7", concurrency = "0")
        public void on(ByteBuffer message) {
        }
    }

    public static class BadDelay {
        @NetioListener(tags = "7", retryDelay = "soon")
        public void on(ByteBuffer message) {
        }
    }

    public static class BadStartup {
        @NetioListener(tags = "7", autoStartup = "maybe")
        public void on(ByteBuffer message) {
        }
    }

    public static class TwoPolicies {
        @NetioListener(tags = "7", whenSlow = {SlowPolicy.ERROR, SlowPolicy.DROP_NEWEST})
        public void on(ByteBuffer message) {
        }
    }

    public static class NoHandler {
        @NetioListener(tags = "7", errorHandler = "nobody")
        public void on(ByteBuffer message) {
        }
    }

    public static class TwoListeners {
        @NetioListener("7")
        public void on(ByteBuffer message) {
        }

        @NetioListener("8")
        public void on(Lease message) {
        }
    }

    public static class Private {
        @NetioListener("7")
        private void on(ByteBuffer message) {
        }
    }

    public static class Packaged {
        @NetioListener("7")
        void on(ByteBuffer message) {
        }
    }

    public static class Static {
        @NetioListener("7")
        public static void on(ByteBuffer message) {
        }
    }

    public static class TwoForOneTag {
        @NetioMapping("7")
        public String one() {
            return "";
        }

        @NetioMapping("0x7")
        public String other() {
            return "";
        }
    }

    public static class RangeMapping {
        @NetioMapping("1-7")
        public String one() {
            return "";
        }
    }

    public static class FluxOfAnswers {
        @NetioMapping("7")
        public Flux<String> all() {
            return Flux.empty();
        }
    }

    public static class NoEncoder {
        @NetioMapping("7")
        public StringBuilder answer() {
            return null;
        }
    }

    public static class TwoQuestions {
        @NetioMapping("7")
        public String answer(String one, String other) {
            return null;
        }
    }

    public static class MappingOfNoClient {
        @NetioMapping(value = "7", client = "monitor")
        public String answer() {
            return null;
        }
    }

    public static class PublishNothing {
        @NetioPublish("7")
        public String publish() {
            return null;
        }
    }

    public static class PublishVoid {
        @NetioPublish("7")
        public Mono<Void> publish() {
            return null;
        }
    }

    public static class PublishWithParameter {
        @NetioPublish("7")
        public Flux<String> publish(@NetioTag long tag) {
            return null;
        }
    }

    public static class PublishRangeOfValues {
        @NetioPublish("7-8")
        public Flux<String> publish() {
            return Flux.empty();
        }
    }

    public static class PublishEachRetained {
        @NetioPublish(tags = "7", each = true, retainLast = true)
        public Flux<ByteBuffer> source() {
            return Flux.empty();
        }
    }

    public static class PublishTwoTags {
        @NetioPublish({"7", "8"})
        public Flux<TaggedMessage> publish() {
            return Flux.empty();
        }
    }

    public static class PublishEachWithTags {
        @NetioPublish(tags = "7", each = true)
        public Flux<TaggedMessage> publish() {
            return Flux.empty();
        }
    }

    public static class PublishNull {
        @NetioPublish("7")
        public Flux<String> publish() {
            return null;
        }
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(NoMessage.class, "on(): it takes no message", "Let it take one ByteBuffer"),
                Arguments.of(TwoMessages.class, "it takes 2 parameters that could be the message", "@NetioTag long"),
                Arguments.of(TagOfText.class, "a parameter with @NetioTag is of type String", "Make it long"),
                Arguments.of(StatusOfLong.class, "a parameter with @NetioStatus is of type long", "Make it int"),
                Arguments.of(FluxAndNothing.class, "it takes a Flux and returns void", "Return the Mono or Flux"),
                Arguments.of(FluxAndTag.class, "beside a Flux it takes a tag", "Flux<TaggedMessage>"),
                Arguments.of(MonoOfMessage.class, "it takes a Mono", "Take a Flux, or one message"),
                Arguments.of(FluxOnVirtualThreads.class, "on virtual threads", "Leave blocking out"),
                Arguments.of(BatchWithoutFlux.class, "it takes a MessageBatch, which is valid only", "Take a Flux<MessageBatch>"),
                Arguments.of(BatchesOfTwoStreams.class, "it takes batches, and its tags are 2 streams", "have a method for each"),
                Arguments.of(FluxOfWhat.class, "it takes a Flux, and does not say of what", "Take a Flux<ByteBuffer>"),
                Arguments.of(NoCodec.class, "nothing decodes java.lang.StringBuilder", "NetioCodec<StringBuilder>"),
                Arguments.of(BadTag.class, "its tags are seven: 'seven' is no tag", "Write tags as 7, 0x1f, 16-31"),
                Arguments.of(BadRange.class, "'9-7': a range must not end before it begins", "Write tags as"),
                Arguments.of(NoTags.class, "no tag at all", "Write tags as"),
                Arguments.of(TagTwice.class, "tag 7 twice", "each once"),
                Arguments.of(NoValue.class, "'${nobody.has.set.it}', which has a placeholder without a value",
                        "Set the property"),
                Arguments.of(NoClient.class, "no client 'monitor': configured under netio.clients are detector",
                        "Set netio.clients.monitor.host and netio.clients.monitor.port, or name another client"),
                Arguments.of(BadConcurrency.class, "concurrency is '0'", "Set it to a number from 1"),
                Arguments.of(BadDelay.class, "retryDelay is 'soon'", "such as 100ms"),
                Arguments.of(BadStartup.class, "autoStartup is 'maybe'", "true or false"),
                Arguments.of(TwoPolicies.class, "whenSlow has 2 policies", "Leave one"),
                Arguments.of(NoHandler.class, "there is no error handler 'nobody'", "Declare a bean of NetioErrorHandler"),
                Arguments.of(TwoListeners.class, "another listener has the id 'wrong.on'", "Set an id of its own"),
                Arguments.of(Private.class, "the method is private", "Make it public"),
                Arguments.of(Packaged.class, "the method is package-private", "Make it public"),
                Arguments.of(Static.class, "the method is static", "Make it an instance method"),
                Arguments.of(TwoForOneTag.class, "tag 7 is answered by @NetioMapping method", "Give one of them another tag"),
                Arguments.of(RangeMapping.class, "its tag is '1-7'", "Write one tag"),
                Arguments.of(FluxOfAnswers.class, "an answer is one message", "Return a Mono"),
                Arguments.of(NoEncoder.class, "nothing encodes java.lang.StringBuilder", "Return ByteBuffers"),
                Arguments.of(TwoQuestions.class, "it takes 2 parameters", "or nothing"),
                Arguments.of(MappingOfNoClient.class, "no client 'monitor'", "netio.clients.monitor.port"),
                Arguments.of(PublishNothing.class, "in which there are no messages", "Return a Flux"),
                Arguments.of(PublishVoid.class, "in which there are no messages", "Return a Flux"),
                Arguments.of(PublishWithParameter.class, "it takes a parameter", "each = true"),
                Arguments.of(PublishRangeOfValues.class, "its messages have no tags, and are for tags 7 to 8",
                        "Flux<TaggedMessage>"),
                Arguments.of(PublishEachRetained.class, "it is called for each subscription", "leave each out"),
                Arguments.of(PublishTwoTags.class, "for one tag, range or pattern, and there are 2", "each = true"),
                Arguments.of(PublishEachWithTags.class, "its messages say tags of their own", "leave each out"),
                Arguments.of(PublishNull.class, "it has returned null", "Return a Flux"));
    }

    private static ApplicationContextRunner application() {
        return Detector.application("netio.clients.detector.port=1", "netio.server.port=0")
                .withClassLoader(new FilteredClassLoader("tools.jackson")); // with which everything can be decoded
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldSayWhatIsWrongAndWhatToDo(Class<?> bean, String problem, String action) {
        application().withBean("wrong", Object.class, () -> instance(bean)).run(context -> {
            assertThat(context).hasFailed();
            Throwable failure = context.getStartupFailure();
            assertThat(failure).isInstanceOf(NetioMethodException.class).hasMessageContaining(problem)
                    .hasMessageContaining(bean.getName() + ".").hasMessageContaining(action);
            assertThat(Contexts.analysis(failure)).contains("method " + bean.getName()).contains(action);
        });
    }

    private static Object instance(Class<?> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static class Mapped {
        @NetioMapping("7")
        public String answer() {
            return "";
        }
    }

    public static class Publishing {
        @NetioPublish("7")
        public Flux<String> publish() {
            return Flux.empty();
        }
    }

    @Test
    void shouldSayThatThereIsNoServer() {
        for (Class<?> bean : new Class<?>[] {Mapped.class, Publishing.class}) {
            Detector.application(new String[0]).withBean("bean", Object.class, () -> instance(bean)).run(context ->
                    assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                            .hasMessageContaining("there is no server").hasMessageContaining("Set netio.server.port"));
        }
    }

    @Test
    void shouldSayThatTheServerHasNoRequests() {
        application().withPropertyValues("netio.server.framing=raw").withBean("bean", Mapped.class).run(context ->
                assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                        .hasMessageContaining("netio.server.framing is RAW").hasMessageContaining("Leave it out"));
    }

    @Test
    void shouldSayThatAClientHasNoTags() {
        Detector.application("netio.clients.detector.port=1", "netio.clients.detector.framing=raw")
                .withBean("bean", Listening.class).run(context ->
                        assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                                .hasMessageContaining("Listening.on(ByteBuffer): its client cannot subscribe")
                                .hasMessageContaining("framing out, on both sides"));
    }

    public static class Listening {
        @NetioListener("7")
        public void on(ByteBuffer message) {
        }
    }

    @Test
    void shouldSayThatNoClientIsConfigured() {
        Detector.application(new String[0]).withBean("bean", Listening.class).run(context ->
                assertThat(context.getStartupFailure()).isInstanceOf(NetioMethodException.class)
                        .hasMessageContaining("configured under netio.clients are none")
                .hasMessageContaining("Set netio.clients.<name>.host and netio.clients.<name>.port"));
    }

    @Test
    void shouldAskWhichOfSeveralClients() {
        Detector.application("netio.clients.a.port=1", "netio.clients.b.port=2").withBean("bean", Listening.class)
                .run(context -> assertThat(context.getStartupFailure()).hasMessageContaining("which client?")
                        .hasMessageContaining("Say which one with client="));
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import com.google.protobuf.Message;
import io.reactivenetio.NetioServer;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.NetioProperties.CodecKind;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.codec.cbor.JacksonCborDecoder;
import org.springframework.http.codec.cbor.JacksonCborEncoder;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.http.codec.protobuf.ProtobufDecoder;
import org.springframework.http.codec.protobuf.ProtobufEncoder;
import org.springframework.util.MimeType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Finds codecs for the types of values, with those of Spring that are on the class path. */
@AutoConfiguration(after = NetioAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(NetioServer.class)
@EnableConfigurationProperties(NetioProperties.class)
public final class NetioCodecAutoConfiguration {
    private static final String JSON = "netioJsonCodec";
    private static final String CBOR = "netioCborCodec";
    private static final String PROTOBUF = "netioProtobufCodec";

    /** Called by Spring. */
    public NetioCodecAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    NetioCodecs netioCodecs(NetioProperties properties, BeanFactory beans) {
        CodecKind kind = properties.codec();
        String name = switch (kind) {
            case AUTO, JSON -> JSON;
            case CBOR -> CBOR;
            case PROTOBUF -> PROTOBUF;
        };
        boolean isThere = beans.containsBean(name);
        if (!isThere && kind != CodecKind.AUTO) {
            throw new MissingCodecException(kind, needed(kind));
        }
        return new FoundCodecs(beans, kind, isThere ? beans.getBean(name, SpringCodec.class) : null);
    }

    /** What has to be on the class path for {@code kind}. */
    static String needed(CodecKind kind) {
        String web = "org.springframework:spring-web";
        return switch (kind) {
            case AUTO, JSON -> "org.springframework.boot:spring-boot-starter-jackson, and " + web;
            case CBOR -> "org.springframework.boot:spring-boot-starter-jackson, tools.jackson.dataformat:jackson-dataformat-cbor,"
                    + " and " + web;
            case PROTOBUF -> "com.google.protobuf:protobuf-java, and " + web;
        };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JacksonJsonEncoder.class, JsonMapper.class})
    static final class Json {
        @Bean(JSON)
        @Lazy
        SpringCodec netioJsonCodec(ObjectProvider<JsonMapper> mapper) {
            JsonMapper json = mapper.getIfAvailable(JsonMapper::new);
            return new SpringCodec(new JacksonJsonEncoder(json), new JacksonJsonDecoder(json),
                    new MimeType("application", "json"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JacksonCborEncoder.class, CBORMapper.class})
    static final class Cbor {
        @Bean(CBOR)
        @Lazy
        SpringCodec netioCborCodec(ObjectProvider<CBORMapper> mapper) {
            CBORMapper cbor = mapper.getIfAvailable(CBORMapper::new);
            return new SpringCodec(new JacksonCborEncoder(cbor), new JacksonCborDecoder(cbor),
                    new MimeType("application", "cbor"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ProtobufEncoder.class, Message.class})
    static final class Protobuf {
        @Bean(PROTOBUF)
        @Lazy
        SpringCodec netioProtobufCodec() {
            return new SpringCodec(new ProtobufEncoder(), new ProtobufDecoder(), new MimeType("application", "x-protobuf"));
        }
    }
}

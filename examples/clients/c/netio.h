/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An end of reactive-netio's wire format in C11, for detectors and other programs that are not written in Java.
 * Copy netio.h and netio.c. They need Linux and libc, and nothing else. It speaks plain TCP. With netio_fabric.c as well, and
 * NETIO_LIBFABRIC defined for the compiler, it also speaks libfabric, and with that RDMA.
 *
 * - There are no threads of its own and no locks: one thread uses a netio and all that belongs to it. Callbacks come within
 *   netio_turn() and netio_run() only, but for those of functions that say otherwise. A callback may call any function here,
 *   except netio_turn(), netio_run() and netio_free().
 * - Nothing blocks, but for netio_run(), and the look-up of a host's name in netio_connect() and netio_listen(); addresses as
 *   numbers are not looked up. What does not fit is refused with NETIO_NO_RESOURCES, and a callback `ready` says when there is
 *   room again.
 * - What is sent is gathered in pages, which leave at the end of a turn, or when they are full.
 * - Memory is bounded by the settings. All memory is from malloc. No message takes a malloc of its own, unless it comes in parts.
 * - A peer that breaks the rules of the wire format gets ERROR 6, and its connection ends. Nothing ends the process.
 */
#ifndef NETIO_H
#define NETIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ssl_ctx_st;

/** What functions return. All but NETIO_OK are negative. */
enum {
    NETIO_OK = 0,
    NETIO_NO_RESOURCES = -1, /**< no credit, no demand or no room now; `ready` is called when there is */
    NETIO_CLOSED = -2,       /**< the connection or the stream has ended */
    NETIO_INVALID = -3,      /**< an argument that cannot be */
    NETIO_TOO_LARGE = -4,    /**< the message is larger than the peer takes, or than this end's queue */
    NETIO_NO_MEMORY = -5,
    NETIO_SYSTEM = -6        /**< errno tells more */
};

/** The codes of ERROR, which say why a stream or a connection has ended. */
enum {
    NETIO_LOST = -1,    /**< the connection ended before the stream did, or without a word */
    NETIO_COMPLETE = 0, /**< of a stream: all has been sent; of a connection: this side has closed it */
    NETIO_CANCELLED = 1,
    NETIO_SOURCE_FAILED = 2,
    NETIO_NOT_SERVED = 3,
    NETIO_LIMIT = 4,
    NETIO_TOO_SLOW = 5,
    NETIO_BROKEN_RULES = 6,
    NETIO_SHUTDOWN = 7,
    NETIO_FORBIDDEN = 8 /**< this side has no right to the tag */
};

enum netio_framing { NETIO_RAW, NETIO_PAGE, NETIO_STREAM };

/** What happens when a subscriber is slow. In a subscription, DEFAULT leaves it to the publisher. In netio_serve() it is WAIT. */
enum netio_policy {
    NETIO_POLICY_DEFAULT,
    NETIO_POLICY_WAIT,   /**< netio_publish() answers NETIO_NO_RESOURCES */
    NETIO_POLICY_NEWEST, /**< the new message is dropped for this subscriber */
    NETIO_POLICY_OLDEST, /**< the oldest that waits for this subscriber is dropped */
    NETIO_POLICY_FAIL    /**< this subscriber's stream ends with NETIO_TOO_SLOW */
};

enum netio_tag_kind { NETIO_EXACT, NETIO_RANGE, NETIO_MASK };

/** A set of tags: `tag` alone; from `tag` to `second`; or each t with (t & second) == tag. */
typedef struct netio_tags {
    enum netio_tag_kind kind;
    uint64_t tag;
    uint64_t second;
} netio_tags;

typedef struct netio netio;
typedef struct netio_listener netio_listener;
typedef struct netio_connection netio_connection;
typedef struct netio_source netio_source;       /**< tags that are served */
typedef struct netio_stream netio_stream;       /**< a stream that is received */
typedef struct netio_requester netio_requester;
typedef struct netio_responder netio_responder;

/** A message that was received. The payload lies in the page it came in, and is there until the callback returns. */
typedef struct netio_message {
    const void *data;
    size_t length;
    uint64_t tag;
    uint8_t status;
} netio_message;

/** The limits of a connection. netio_settings_default() sets them all; those of the handshake are in docs/wire-format.md. */
typedef struct netio_settings {
    enum netio_framing framing;    /**< NETIO_STREAM */
    bool checksums;                /**< whether checksums are required; false */
    uint32_t page;                 /**< bytes of the largest page that this side receives and sends; 61,440 */
    uint32_t data_pages;           /**< D; 28 */
    uint32_t control_pages;        /**< R; 8 */
    uint32_t message;              /**< bytes of the largest message that this side receives; 64 MiB */
    uint32_t streams;              /**< how many the peer may subscribe to at a time; 4,096 */
    uint64_t budget;               /**< bytes of all messages that come in parts at a time; 128 MiB */
    uint32_t keepalive_ms;         /**< the interval that this side promises, 0 none; 15,000 */
    uint32_t send_bytes;           /**< bytes that wait on stream 0 at most, unless it is a single message; 16 KiB */
    uint32_t handshake_ms;         /**< how long connecting and the handshake may take; 10,000 */
    uint32_t wait_ms;              /**< how long a subscription waits for its tags to be served; 1,000 */
    uint32_t accepted;             /**< of a listener: how many connections it has at a time; 1,024 */
    const char *name;              /**< who this side is when it connects to a listener that asks, UTF-8, 255 bytes at most; NULL */
    const void *secret;            /**< what proves that, on plain TCP; both are copied */
    size_t secret_length;          /**< bytes of the secret; 16 at least */
    struct ssl_ctx_st *tls;        /**< an SSL_CTX of OpenSSL: all is sealed with TLS, see netio_tls.c. A listener's is its own
                                        until that is closed; NULL */
    const char *tls_name;          /**< the name in the listener's certificate; NULL: the host that is connected to */
    const char *provider;          /**< NULL: plain TCP; "verbs", "tcp": libfabric's provider of that name; NULL */
} netio_settings;

void netio_settings_default(netio_settings *settings);

/** What an application is told of a connection. Any function may be NULL. The structure is copied. */
typedef struct netio_connection_events {
    void *user;
    /** The connection is made, and its handshake, if there is one. */
    void (*connected)(void *user, netio_connection *connection);
    /** It has ended or could not be made. The pointer is invalid when this returns. Its streams have had their ends. */
    void (*closed)(void *user, netio_connection *connection, int code, const char *text);
    /** netio_send() was refused, and has room now. */
    void (*ready)(void *user, netio_connection *connection);
    /** The peer has cancelled what this side sends on stream 0. */
    void (*cancelled)(void *user, netio_connection *connection);
} netio_connection_events;

/** What an application is told of a stream that it receives. Any function may be NULL. The structure is copied. */
typedef struct netio_stream_events {
    void *user;
    void (*message)(void *user, netio_stream *stream, const netio_message *message);
    /** The publisher's number of the next message. The run is 0 if it does not tell it. */
    void (*subscribed)(void *user, netio_stream *stream, uint64_t next, uint64_t run);
    /** That many messages were dropped for this subscriber. */
    void (*dropped)(void *user, netio_stream *stream, uint64_t count);
    /** How many messages wait at the publisher, and how many may. */
    void (*queued)(void *user, netio_stream *stream, uint32_t waiting, uint32_t limit);
    /** The stream's end, once. The pointer is invalid when this returns. */
    void (*end)(void *user, netio_stream *stream, int code, const char *text);
} netio_stream_events;

/* ---- The loop ---- */

/** @param memory bytes that messages in parts may take, of all connections together; 0: 256 MiB */
netio *netio_new(uint64_t memory);
/** Closes all at once. Streams and connections have no callbacks for it. */
void netio_free(netio *context);
/** A descriptor to be polled for reading. It is readable when netio_turn() has something to do. */
int netio_fd(const netio *context);
/** In how many milliseconds netio_turn() must be called even if the descriptor is not readable; 0: now, -1: never. */
int netio_timeout(netio *context);
/** Reads, calls back, sends. Never waits. Returns NETIO_OK or NETIO_SYSTEM. */
int netio_turn(netio *context);
/** Waits until there is something to do, at most so many milliseconds, -1 without limit, and does it. */
int netio_run(netio *context, int timeout_ms);

/* ---- Connections ---- */

/** Listens. @param host address or name, NULL for all; @param port 0 for any. NULL on error, and errno says which. */
netio_listener *netio_listen(netio *context, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events);
uint16_t netio_listener_port(const netio_listener *listener);
/** Ends the listener, not its connections. */
void netio_listener_close(netio_listener *listener);
/** Begins to connect; `connected` or `closed` tells the outcome. NULL on error, and errno says which. */
netio_connection *netio_connect(netio *context, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events);
/**
 * Closes, after what is in pages already. With code 0 nothing is told; NETIO_SHUTDOWN and others are told to the peer as ERROR.
 * Calls `closed` and the ends of its streams before it returns.
 */
void netio_close(netio_connection *connection, int code, const char *text);
/** Any pointer of the application, NULL at first. */
void netio_connection_set_user(netio_connection *connection, void *user);
void *netio_connection_user(const netio_connection *connection);
enum netio_framing netio_framing_of(const netio_connection *connection);
/** Whether requests may have headers here. */
bool netio_has_headers(const netio_connection *connection);

/* ---- Stream 0, and all there is with RAW and PAGE ---- */

/** Sends a message, or refuses it whole. The bytes are copied. RAW has neither tag nor status. */
int netio_send(netio_connection *connection, uint64_t tag, uint8_t status, const void *data, size_t length);
/** How many accepted messages have not left for a page yet. */
uint64_t netio_send_waiting(const netio_connection *connection);
/** Ends stream 0 behind what was accepted, with COMPLETE or an ERROR. With RAW and PAGE it closes the connection then. */
int netio_send_end(netio_connection *connection, int code, const char *text);
/** Receives what the peer sends on stream 0. Once for a connection, from `connected` on. Nothing comes before netio_more(). */
netio_stream *netio_receive(netio_connection *connection, const netio_stream_events *events);

/* ---- Subscribing ---- */

/** Subscribes, from `connected` on. Nothing comes before netio_more(). NULL if it cannot be, and errno says why. */
netio_stream *netio_subscribe(netio_connection *connection, const netio_tags *tags, enum netio_policy policy,
        const netio_stream_events *events);
/** Asks for n messages more. INT64_MAX or more is without bound. */
int netio_more(netio_stream *stream, uint64_t n);
/** No message comes any more. `end` comes when the peer has answered; with RAW and PAGE, reading just stops. */
void netio_cancel(netio_stream *stream);

/* ---- Serving tags ---- */

typedef struct netio_source_settings {
    enum netio_policy policy; /**< for subscribers that leave it to the publisher */
    uint32_t queue;           /**< messages that wait for one subscriber at most; 0: 1,024 */
    uint64_t queue_bytes;     /**< bytes that wait for one subscriber at most, unless it is one message; 0: 16 MiB */
    void *user;
    /** netio_publish() was refused, and has room now. */
    void (*ready)(void *user, netio_source *source);
} netio_source_settings;

/** Serves tags on all connections, those that exist and those to come. NULL if they are served already. */
netio_source *netio_serve(netio *context, const netio_tags *tags, const netio_source_settings *settings);
/**
 * Publishes a message to whoever has subscribed to its tag. The bytes are copied. With NETIO_NO_RESOURCES nobody gets it.
 * Without subscribers it is gone. NETIO_TOO_LARGE: no subscriber could take it.
 */
int netio_publish(netio_source *source, uint64_t tag, uint8_t status, const void *data, size_t length);
uint32_t netio_subscribers(const netio_source *source);
/** Messages that were dropped for subscribers, one for each subscriber that misses it. */
uint64_t netio_dropped(const netio_source *source);
/** Serves no more. Its streams end behind what waits for them, with COMPLETE or an ERROR. The pointer is invalid. */
void netio_source_end(netio_source *source, int code, const char *text);

/* ---- Requests and answers ---- */

enum { NETIO_ANSWER = 2, NETIO_ANSWER_EMPTY = 3, NETIO_ANSWER_FAILED = 4, NETIO_ANSWER_CANCELLED = 5 };

typedef struct netio_header {
    const char *key; /**< not ended by a zero, as the value */
    size_t key_length;
    const char *value;
    size_t value_length;
} netio_header;

typedef struct netio_requester_settings {
    uint32_t parallel; /**< requests under way at most; 0: 256 */
    void *user;
    /** The answer, once for each request: its status, or NETIO_LOST, or the code of ERROR as -100 - code. */
    void (*answer)(void *user, netio_requester *requester, uint64_t number, int status, const void *data, size_t length);
    /** netio_request() was refused, and has room now. */
    void (*ready)(void *user, netio_requester *requester);
} netio_requester_settings;

/** Requests to the peer of a connection. It lives until the connection is closed. NULL: errno says why. */
netio_requester *netio_requester_new(netio_connection *connection, uint64_t tag, const netio_requester_settings *settings);
/** @param headers left out if the peer does not support them; @param number gets the request's number */
int netio_request(netio_requester *requester, const netio_header *headers, size_t header_count, const void *data, size_t length,
        uint64_t *number);
/** Asks the peer to cancel. The answer comes regardless. */
int netio_request_cancel(netio_requester *requester, uint64_t number);

typedef struct netio_responder_settings {
    uint32_t concurrency; /**< requests it works on at a time; 0: 16 */
    void *user;
    /** A request. netio_answer() answers it, now or later. The headers and the payload are there until this returns. */
    void (*request)(void *user, netio_responder *responder, uint64_t number, const netio_header *headers, size_t header_count,
            const void *data, size_t length);
    /** The requester has cancelled, or waits no more. It is still to be answered, with NETIO_ANSWER_CANCELLED for example. */
    void (*cancelled)(void *user, netio_responder *responder, uint64_t number);
} netio_responder_settings;

/** Answers requests of the peer of a connection. It lives until the connection is closed. NULL: errno says why. */
netio_responder *netio_respond(netio_connection *connection, uint64_t tag, const netio_responder_settings *settings);
/** NETIO_INVALID if there is no such request under way, as when its connection is over. */
int netio_answer(netio_responder *responder, uint64_t number, int status, const void *data, size_t length);
/** Answers no more. What has not been answered is not. The pointer is invalid when the connection is closed. */
void netio_responder_end(netio_responder *responder);

/** CRC-32C, as in the wire format: of `length` bytes, continued from `crc`, which is 0 at first. */
uint32_t netio_crc32c(uint32_t crc, const void *data, size_t length);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The line protocol of docs/conformance.md on standard input and output, for the end in netio.c. */
#define _GNU_SOURCE
#include "netio.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LARGEST 67108864u
#define MAX 4096
#define LATE_MS 300u

/* What has come: see "Messages" in the page. */
struct total { uint64_t count, bytes, dropped; uint32_t crc, last; bool sum; };

struct send { struct send *next; uint64_t count, done, size, tag; int status, end; };

struct conn {
    netio_connection *c;
    unsigned number;
    bool open;
    struct send *first, **last;
};

struct stream {
    netio_stream *in;
    netio_requester *requester;
    const struct conn *c; /* of request */
    uint64_t s, demand, cancel, since;
    bool cancelled, ended, plain;
    struct total total;
    /* of request */
    uint64_t count, size, parallel, sent, answered, cancel_ms;
    bool headers;
    struct { uint64_t number, index, at; bool used; } *calls;
};

struct source { netio_source *source; netio_tags tags; bool gone, waits; };
struct emit { struct emit *next; struct source *source; uint64_t first, span, count, done, size; int status, end; char name[64]; };
struct responder { netio_responder *responder; const struct conn *c; char mode; };
struct late { struct late *next; const struct responder *of; uint64_t number, at; };

static netio *context;
static netio_listener *listeners[64];
static struct conn conns[MAX];
static struct stream *streams[MAX];
static struct source *sources[MAX];
static struct responder *responders[MAX];
static struct late *lates;
static unsigned listener_count, conn_count, stream_count, source_count, responder_count;
static struct emit *emits, **emits_last = &emits;
static bool resetting;

static uint8_t pattern[251 + LARGEST + 251];

static const uint8_t *message(uint64_t n) { return pattern + 7 * (n % 251) % 251; }

static void account(struct total *t, uint64_t tag, uint8_t status, const void *data, size_t n) {
    uint8_t head[13];
    for (int i = 0; i < 8; i++) { head[i] = (uint8_t)(tag >> 8 * i); }
    head[8] = status;
    for (int i = 0; i < 4; i++) { head[9 + i] = (uint8_t)(n >> 8 * i); }
    uint32_t own = netio_crc32c(netio_crc32c(0, head, sizeof head), data, n);
    t->crc = t->sum ? t->crc + own : netio_crc32c(netio_crc32c(t->crc, head, sizeof head), data, n);
    t->last = own;
    t->count++;
    t->bytes += n;
}

/* ---- Fields of a line ---- */

static const char *field(const char *line, const char *key) {
    static char value[256];
    size_t n = strlen(key);
    for (const char *p = strchr(line, ' '); p != NULL; p = strchr(p + 1, ' ')) {
        if (strncmp(p + 1, key, n) == 0 && p[1 + n] == '=') {
            size_t length = strcspn(p + 2 + n, " ");
            if (length >= sizeof value) { return NULL; }
            memcpy(value, p + 2 + n, length);
            value[length] = 0;
            return value;
        }
    }
    return NULL;
}

static uint64_t number(const char *line, const char *key, uint64_t otherwise) {
    const char *v = field(line, key);
    return v == NULL ? otherwise : strcmp(v, "max") == 0 ? INT64_MAX : strtoull(v, NULL, 10);
}

static netio_tags tags_of(const char *line) {
    const char *v = field(line, "tags");
    netio_tags t = {NETIO_EXACT, 0, 0};
    if (v != NULL) {
        char *end;
        t.tag = strtoull(v, &end, 10);
        if (*end == '-' || *end == '/') {
            t.kind = *end == '-' ? NETIO_RANGE : NETIO_MASK;
            t.second = strtoull(end + 1, NULL, 10);
        }
    }
    return t;
}

static int policy_of(const char *line) {
    static const char *names[] = {"default", "wait", "newest", "oldest", "fail"};
    const char *v = field(line, "policy");
    for (int i = 0; i < 5 && v != NULL; i++) {
        if (strcmp(v, names[i]) == 0) { return i; }
    }
    return v == NULL ? 0 : -1;
}

static struct conn *conn_of(const char *line) {
    uint64_t c = number(line, "c", 0);
    return c >= 1 && c <= conn_count && conns[c - 1].open ? &conns[c - 1] : NULL;
}

static struct stream *stream_of(const char *line) {
    uint64_t s = number(line, "s", UINT64_MAX);
    for (unsigned i = stream_count; i > 0; i--) {
        if (streams[i - 1]->s == s) { return streams[i - 1]; }
    }
    return NULL;
}

static void failed(const char *text) { printf("error text=%s\n", text); }

/* ---- Receiving ---- */

static void told_end(struct stream *s, int code) {
    if (!s->ended && !resetting) {
        s->ended = true;
        char name[16];
        snprintf(name, sizeof name, "%d", code);
        printf("event end s=%" PRIu64 " code=%s count=%" PRIu64 " bytes=%" PRIu64 " crc=%08x last=%08x dropped=%" PRIu64 "\n", s->s,
                code == NETIO_LOST ? "lost" : name, s->total.count, s->total.bytes, s->total.crc, s->total.last, s->total.dropped);
    }
}

static void cancel_stream(struct stream *s) {
    if (!s->cancelled && s->in != NULL) {
        s->cancelled = true;
        netio_cancel(s->in);
        if (s->plain) { told_end(s, NETIO_CANCELLED); }
    }
}

static void on_message(void *user, netio_stream *in, const netio_message *m) {
    struct stream *s = user;
    if (s->cancelled) { return; }
    account(&s->total, m->tag, m->status, m->data, m->length);
    if (s->total.count == s->cancel) {
        cancel_stream(s);
    } else if (s->demand > 0 && s->demand < INT64_MAX && ++s->since == s->demand) {
        s->since = 0;
        netio_more(in, s->demand);
    }
}

static void on_dropped(void *user, netio_stream *in, uint64_t n) { (void)in; ((struct stream *)user)->total.dropped += n; }

static void on_end(void *user, netio_stream *in, int code, const char *text) {
    struct stream *s = user;
    (void)in;
    (void)text;
    s->in = NULL;
    told_end(s, s->cancelled && code != NETIO_LOST ? NETIO_CANCELLED : code);
}

static struct stream *stream_new(const char *line) {
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL || stream_count == MAX) { abort(); }
    s->s = number(line, "s", 0);
    s->demand = number(line, "demand", INT64_MAX);
    s->cancel = number(line, "cancel", UINT64_MAX);
    streams[stream_count++] = s;
    return s;
}

static void begin(struct stream *s, bool plain) {
    s->plain = plain;
    if (s->demand > 0) { netio_more(s->in, s->demand); }
    if (s->cancel == 0) { cancel_stream(s); }
}

/* ---- Sending ---- */

static void told_sent(struct conn *c, const struct send *s, const char *code) {
    if (s->end < 0 && !resetting) { printf("event sent c=%u count=%" PRIu64 " code=%s\n", c->number, s->done, code); }
}

static void drop_sends(struct conn *c, const char *code) {
    while (c->first != NULL) {
        struct send *s = c->first;
        c->first = s->next;
        told_sent(c, s, code);
        free(s);
    }
    c->last = &c->first;
}

static void go_on_sending(struct conn *c) {
    while (c->open && c->first != NULL) {
        struct send *s = c->first;
        if (s->end >= 0) {
            netio_send_end(c->c, s->end, s->end == 0 ? "" : "the source has failed");
            if (!c->open) { return; }
        }
        while (s->end < 0 && s->done < s->count) {
            int r = netio_send(c->c, s->tag, (uint8_t)s->status, message(s->done), s->size);
            if (r == NETIO_NO_RESOURCES) { return; }
            if (r != NETIO_OK) {
                fprintf(stderr, "send: %d\n", r);
                drop_sends(c, "1");
                return;
            }
            s->done++;
        }
        if (s->end < 0 && netio_send_waiting(c->c) > 0) { return; }
        c->first = s->next;
        if (c->first == NULL) { c->last = &c->first; }
        told_sent(c, s, "0");
        free(s);
    }
}

static void add_send(struct conn *c, struct send s) {
    struct send *kept = malloc(sizeof *kept);
    if (kept == NULL) { abort(); }
    *kept = s;
    kept->next = NULL;
    *c->last = kept;
    c->last = &kept->next;
    go_on_sending(c);
}

/* ---- Connections ---- */

static struct conn *conn_new(netio_connection *connection) {
    if (conn_count == MAX) { abort(); }
    struct conn *c = &conns[conn_count++];
    *c = (struct conn){.c = connection, .number = conn_count, .open = true};
    c->last = &c->first;
    netio_connection_set_user(connection, c);
    return c;
}

static void on_connected(void *user, netio_connection *connection) {
    (void)user;
    struct conn *c = netio_connection_user(connection);
    if (c == NULL) { c = conn_new(connection); }
    printf("event connected c=%u\n", c->number);
}

static void on_closed(void *user, netio_connection *connection, int code, const char *text) {
    (void)user;
    struct conn *c = netio_connection_user(connection);
    if (c != NULL && c->open) {
        c->open = false;
        drop_sends(c, "lost");
        for (unsigned i = 0; i < stream_count; i++) {
            if (streams[i]->requester != NULL && streams[i]->c == c) {
                told_end(streams[i], NETIO_LOST);
                streams[i]->requester = NULL;
            }
        }
        if (!resetting) { printf("event closed c=%u code=%d text=%s\n", c->number, code < 0 ? 0 : code, text); }
    }
}

static void on_ready(void *user, netio_connection *connection) {
    (void)user;
    go_on_sending(netio_connection_user(connection));
}

static void on_cancelled(void *user, netio_connection *connection) {
    (void)user;
    drop_sends(netio_connection_user(connection), "1");
}

#ifdef NETIO_LIBFABRIC
#define TRANSPORTS ",libfabric"
#else
#define TRANSPORTS ""
#endif

static const netio_connection_events events = {.connected = on_connected, .closed = on_closed, .ready = on_ready,
    .cancelled = on_cancelled};

static bool settings_of(const char *line, netio_settings *s) {
    netio_settings_default(s);
    const char *v = field(line, "framing");
    s->framing = v == NULL || strcmp(v, "stream") == 0 ? NETIO_STREAM : strcmp(v, "page") == 0 ? NETIO_PAGE : NETIO_RAW;
    v = field(line, "transport");
    s->provider = v != NULL && strcmp(v, "libfabric") == 0 ? "tcp" : NULL;
    v = field(line, "checksums");
    s->checksums = v != NULL && strcmp(v, "required") == 0;
    s->page = (uint32_t)number(line, "page", s->page);
    s->data_pages = (uint32_t)number(line, "data", s->data_pages);
    s->control_pages = (uint32_t)number(line, "control", s->control_pages);
    s->message = (uint32_t)number(line, "message", s->message);
    s->streams = (uint32_t)number(line, "streams", s->streams);
    s->keepalive_ms = (uint32_t)number(line, "keepalive", s->keepalive_ms);
    s->budget = 2 * (uint64_t)s->message > s->budget ? 2 * (uint64_t)s->message : s->budget;
    return true;
}

/* ---- Publishing ---- */

static void go_on_emitting(void) {
    while (emits != NULL) {
        struct emit *e = emits;
        struct source *s = e->source;
        if (e->end >= 0 && !s->gone) {
            netio_source_end(s->source, e->end, "unpublished");
            s->gone = true;
        }
        while (!s->gone && e->done < e->count) {
            if (s->waits && netio_subscribers(s->source) == 0) { return; }
            int r = netio_publish(s->source, e->first + e->done % e->span, (uint8_t)e->status, message(e->done), e->size);
            if (r == NETIO_NO_RESOURCES) { return; }
            e->done++;
        }
        if (e->end < 0) { printf("event emitted tags=%s count=%" PRIu64 "\n", e->name, e->done); }
        emits = e->next;
        if (emits == NULL) { emits_last = &emits; }
        free(e);
    }
}

static void on_source_ready(void *user, netio_source *s) { (void)user; (void)s; go_on_emitting(); }

static struct source *source_of(uint64_t tag) {
    for (unsigned i = source_count; i > 0; i--) {
        const netio_tags *t = &sources[i - 1]->tags;
        bool has = t->kind == NETIO_EXACT ? tag == t->tag : t->kind == NETIO_RANGE ? t->tag <= tag && tag <= t->second
                : (tag & t->second) == t->tag;
        if (has && !sources[i - 1]->gone) { return sources[i - 1]; }
    }
    return NULL;
}

static bool add_emit(struct emit e) {
    e.source = source_of(e.first);
    struct emit *kept = malloc(sizeof *kept);
    if (kept == NULL) { abort(); }
    if (e.source == NULL) {
        free(kept);
        return false;
    }
    *kept = e;
    kept->next = NULL;
    *emits_last = kept;
    emits_last = &kept->next;
    return true;
}

/* ---- Requests ---- */

static void go_on_requesting(struct stream *s) {
    netio_header header = {"kit", 3, "yes", 3};
    while (s->requester != NULL && !s->ended && s->sent < s->count && s->sent - s->answered < s->parallel) {
        uint64_t id;
        if (netio_request(s->requester, &header, s->headers ? 1 : 0, message(s->sent), s->size, &id) != NETIO_OK) { return; }
        for (uint64_t i = 0; i < s->parallel; i++) {
            if (!s->calls[i].used) {
                s->calls[i].number = id;
                s->calls[i].index = s->sent;
                s->calls[i].used = true;
                s->calls[i].at = 0;
                break;
            }
        }
        s->sent++;
    }
}

static void on_answer(void *user, netio_requester *requester, uint64_t id, int status, const void *data, size_t n) {
    struct stream *s = user;
    (void)requester;
    for (uint64_t i = 0; i < s->parallel; i++) {
        if (s->calls[i].used && s->calls[i].number == id) {
            s->calls[i].used = false;
            s->answered++;
            if (status < 0) {
                told_end(s, status == NETIO_LOST ? NETIO_LOST : -100 - status);
                return;
            }
            account(&s->total, s->calls[i].index, (uint8_t)status, data, status == NETIO_ANSWER_FAILED ? 0 : n);
        }
    }
    if (s->answered == s->count) { told_end(s, 0); }
}

static void on_request_ready(void *user, netio_requester *requester) { (void)requester; go_on_requesting(user); }

static void reply(netio_responder *r, uint64_t id, int status, const void *data, size_t n) {
    int result = netio_answer(r, id, status, data, n);
    if (result != NETIO_OK) { fprintf(stderr, "answer: %d\n", result); }
}

static uint64_t clock_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static void answer_later(const struct responder *of, uint64_t number) {
    struct late *late = malloc(sizeof *late), **last = &lates;
    if (late == NULL) { abort(); }
    *late = (struct late){.of = of, .number = number, .at = clock_ms() + LATE_MS};
    while (*last != NULL) { last = &(*last)->next; }
    *last = late;
}

/* Answers what has waited long enough, cancelled or not. Says in how many ms to look again, or -1. */
static int answer_late(void) {
    while (lates != NULL && clock_ms() >= lates->at) {
        struct late *late = lates;
        lates = late->next;
        if (late->of->c->open) { reply(late->of->responder, late->number, NETIO_ANSWER_EMPTY, NULL, 0); }
        free(late);
    }
    return lates == NULL ? -1 : 5;
}

static void on_request(void *user, netio_responder *r, uint64_t id, const netio_header *headers, size_t count, const void *data,
        size_t n) {
    (void)headers;
    (void)count;
    switch (((struct responder *)user)->mode) {
    case 'e': reply(r, id, NETIO_ANSWER, data, n); break;
    case 'm': reply(r, id, NETIO_ANSWER_EMPTY, NULL, 0); break;
    case 'f': reply(r, id, NETIO_ANSWER_FAILED, "failed", 6); break;
    case 'l': answer_later(user, id); break;
    default: break;
    }
}

static void on_request_cancelled(void *user, netio_responder *r, uint64_t id) {
    if (((struct responder *)user)->mode == 'l') { return; }
    netio_answer(r, id, NETIO_ANSWER_CANCELLED, NULL, 0);
}

/* Cancels the requests that have waited long enough. Says in how many ms to look again, or -1. */
static int cancel_requests(void) {
    int wait = -1;
    for (unsigned i = 0; i < stream_count; i++) {
        struct stream *s = streams[i];
        for (uint64_t k = 0; s->calls != NULL && !s->ended && s->cancel_ms != UINT64_MAX && k < s->parallel; k++) {
            if (s->calls[k].used && s->requester != NULL) {
                uint64_t now = clock_ms();
                if (s->calls[k].at == 0) { s->calls[k].at = now + s->cancel_ms; }
                if (now >= s->calls[k].at) { netio_request_cancel(s->requester, s->calls[k].number); }
                wait = 5;
            }
        }
    }
    return wait;
}

/* ---- Commands ---- */

static void reset(void) {
    resetting = true;
    netio_free(context);
    for (unsigned i = 0; i < conn_count; i++) {
        if (conns[i].open) { conns[i].open = false; drop_sends(&conns[i], "lost"); }
    }
    for (unsigned i = 0; i < stream_count; i++) { free(streams[i]->calls); free(streams[i]); }
    for (unsigned i = 0; i < source_count; i++) { free(sources[i]); }
    while (lates != NULL) {
        struct late *late = lates;
        lates = late->next;
        free(late);
    }
    for (unsigned i = 0; i < responder_count; i++) { free(responders[i]); }
    while (emits != NULL) {
        struct emit *e = emits;
        emits = e->next;
        free(e);
    }
    emits_last = &emits;
    stream_count = source_count = responder_count = listener_count = 0;
    context = netio_new(1u << 30);
    resetting = false;
}

static void do_connection_command(const char *line, const char *command) {
    struct conn *c = conn_of(line);
    netio_tags tags = tags_of(line);
    struct stream *s;
    if (c == NULL) {
        if (strcmp(command, "close") == 0) { printf("ok\n"); } else { failed("there is no such connection"); }
    } else if (strcmp(command, "send") == 0) {
        printf("ok\n");
        add_send(c, (struct send){.count = number(line, "count", 1), .size = number(line, "size", 0), .tag = number(line, "tag", 0),
            .status = (int)number(line, "status", 0), .end = -1});
    } else if (strcmp(command, "end") == 0) {
        printf("ok\n");
        add_send(c, (struct send){.end = (int)number(line, "code", 0)});
    } else if (strcmp(command, "receive") == 0 || strcmp(command, "subscribe") == 0) {
        int policy = policy_of(line);
        s = stream_new(line);
        netio_stream_events e = {.user = s, .message = on_message, .dropped = on_dropped, .end = on_end};
        s->in = command[0] == 'r' ? netio_receive(c->c, &e) : netio_subscribe(c->c, &tags, (enum netio_policy)policy, &e);
        if (s->in == NULL) {
            s->ended = true;
            failed("the stream cannot be");
            return;
        }
        printf("ok\n");
        begin(s, netio_framing_of(c->c) != NETIO_STREAM);
    } else if (strcmp(command, "respond") == 0) {
        const char *mode = field(line, "mode");
        struct responder *r = calloc(1, sizeof *r);
        if (r == NULL) { abort(); }
        r->c = c;
        r->mode = mode == NULL || strcmp(mode, "echo") == 0 ? 'e' : strcmp(mode, "empty") == 0 ? 'm' : mode[0];
        netio_responder_settings settings = {.concurrency = (uint32_t)number(line, "concurrency", 16), .user = r, .request = on_request,
            .cancelled = on_request_cancelled};
        responders[responder_count++] = r;
        r->responder = netio_respond(c->c, number(line, "tag", 0), &settings);
        if (r->responder == NULL) { failed("it cannot respond"); } else { printf("ok\n"); }
    } else if (strcmp(command, "request") == 0) {
        s = stream_new(line);
        s->count = number(line, "count", 1);
        s->size = number(line, "size", 0);
        s->parallel = number(line, "parallel", 1);
        s->cancel_ms = number(line, "cancel", UINT64_MAX);
        const char *headers = field(line, "headers");
        s->headers = headers != NULL && strcmp(headers, "yes") == 0;
        s->total.sum = true;
        s->calls = calloc(s->parallel, sizeof *s->calls);
        netio_requester_settings settings = {.parallel = (uint32_t)s->parallel, .user = s, .answer = on_answer, .ready = on_request_ready};
        s->c = c;
        s->requester = netio_requester_new(c->c, number(line, "tag", 0), &settings);
        if (s->requester == NULL) { failed("it cannot request"); } else { printf("ok\n"); go_on_requesting(s); }
    } else { /* close */
        const char *told = field(line, "told");
        bool say = told != NULL && strcmp(told, "yes") == 0;
        printf("ok\n");
        netio_close(c->c, say ? NETIO_SHUTDOWN : 0, say ? "shuts down" : "");
    }
}

static void do_command(const char *line) {
    char command[32] = "";
    sscanf(line, "%31s", command);
    netio_settings settings;
    netio_tags tags = tags_of(line);
    struct stream *s = stream_of(line);
    if (strcmp(command, "hello") == 0) {
        printf("ok name=c framings=raw,page,stream roles=connect,listen,send,receive,publish,subscribe,request,respond"
               " extras=checksums,keepalive,shutdown,policies,patterns,headers,late message=%u transports=tcp%s\n", LARGEST, TRANSPORTS);
    } else if (strcmp(command, "listen") == 0 && settings_of(line, &settings)) {
        netio_listener *l = listener_count == 64 ? NULL : netio_listen(context, "127.0.0.1", 0, &settings, &events);
        if (l == NULL) { failed("cannot listen"); return; }
        listeners[listener_count++] = l;
        printf("ok port=%u\n", netio_listener_port(l));
    } else if (strcmp(command, "connect") == 0 && settings_of(line, &settings)) {
        netio_connection *c = netio_connect(context, "127.0.0.1", (uint16_t)number(line, "port", 0), &settings, &events);
        if (c == NULL) { failed("cannot connect"); return; }
        printf("ok c=%u\n", conn_new(c)->number);
    } else if (strstr(" send end receive subscribe respond request close ", command) != NULL) {
        do_connection_command(line, command);
    } else if (strcmp(command, "more") == 0 || strcmp(command, "cancel") == 0 || strcmp(command, "total") == 0) {
        if (s == NULL) { failed("there is no such stream"); return; }
        if (command[0] == 't') {
            printf("ok count=%" PRIu64 " bytes=%" PRIu64 " crc=%08x last=%08x dropped=%" PRIu64 "\n", s->total.count, s->total.bytes,
                    s->total.crc, s->total.last, s->total.dropped);
            return;
        }
        printf("ok\n");
        if (command[0] == 'c') { cancel_stream(s); } else if (s->in != NULL) { netio_more(s->in, number(line, "n", 1)); }
    } else if (strcmp(command, "publish") == 0) {
        int policy = policy_of(line);
        struct source *source = calloc(1, sizeof *source);
        if (source == NULL || source_count == MAX) { abort(); }
        netio_source_settings ss = {.policy = (enum netio_policy)policy, .queue = (uint32_t)number(line, "queue", 0),
            .queue_bytes = 1u << 30, .user = source, .ready = on_source_ready};
        source->tags = tags;
        source->waits = policy <= 1;
        source->source = netio_serve(context, &tags, &ss);
        source->gone = source->source == NULL;
        sources[source_count++] = source;
        if (source->gone) { failed("it is published already"); } else { printf("ok\n"); }
    } else if (strcmp(command, "subscribers") == 0) {
        unsigned n = 0;
        for (unsigned i = 0; i < source_count; i++) { n += sources[i]->gone ? 0 : netio_subscribers(sources[i]->source); }
        printf("ok count=%u\n", n);
    } else if (strcmp(command, "emit") == 0 || strcmp(command, "unpublish") == 0) {
        struct emit e = {.first = tags.tag, .span = tags.kind == NETIO_RANGE ? tags.second - tags.tag + 1 : 1,
            .count = number(line, "count", 1), .size = number(line, "size", 0), .status = (int)number(line, "status", 0), .end = -1};
        const char *name = field(line, "tags");
        snprintf(e.name, sizeof e.name, "%s", name == NULL ? "" : name);
        if (command[0] == 'u') { e.end = (int)number(line, "code", 0); e.count = 0; }
        if (!add_emit(e)) { failed("it is not published"); } else { printf("ok\n"); go_on_emitting(); }
    } else if (strcmp(command, "reset") == 0) {
        reset();
        printf("ok\n");
    } else if (strcmp(command, "quit") == 0) {
        printf("ok\n");
        netio_free(context);
        fflush(stdout);
        exit(0);
    } else {
        printf("error unsupported\n");
    }
}

int main(void) {
    static char line[65536];
    size_t used = 0;
    for (size_t i = 0; i < sizeof pattern; i++) { pattern[i] = (uint8_t)(i % 251); }
    context = netio_new(1u << 30);
    if (context == NULL) { return 1; }
    for (;;) {
        int wait = cancel_requests();
        int late = answer_late(), own = netio_timeout(context);
        if (late >= 0) { wait = late; }
        struct pollfd fds[2] = {{.fd = 0, .events = POLLIN}, {.fd = netio_fd(context), .events = POLLIN}};
        poll(fds, 2, wait < 0 || (own >= 0 && own < wait) ? own : wait);
        netio_turn(context);
        for (unsigned i = 0; i < conn_count; i++) {
            if (conns[i].open && conns[i].first != NULL) { go_on_sending(&conns[i]); }
        }
        for (unsigned i = 0; i < stream_count; i++) {
            if (streams[i]->requester != NULL) { go_on_requesting(streams[i]); }
        }
        go_on_emitting();
        if (fds[0].revents != 0) {
            ssize_t n = read(0, line + used, sizeof line - used - 1);
            if (n <= 0) { break; }
            used += (size_t)n;
            char *at = line, *end;
            line[used] = 0;
            while ((end = strchr(at, '\n')) != NULL) {
                *end = 0;
                do_command(at);
                at = end + 1;
            }
            used -= (size_t)(at - line);
            memmove(line, at, used);
        }
        fflush(stdout);
    }
    netio_free(context);
    return 0;
}

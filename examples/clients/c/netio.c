/* SPDX-License-Identifier: Apache-2.0 */
/* The code behind netio.h: first what is pure bytes, then connections, streams, tags that are served, requests, the loop. */
#define _GNU_SOURCE
#include "netio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define UNBOUNDED ((uint64_t)INT64_MAX)
#define CONNECTION_STREAM 0xffffffffu
#define NO_STREAM 0xffffffffu
#define HANDSHAKE 48
#ifndef NETIO_BUFFER
#define NETIO_BUFFER (1u << 18) /* bytes a connection reads and writes at a time, unless its pages are larger */
#endif
#define PREFIX 4         /* bytes of a page's length on TCP */
#define TEXT 512         /* bytes of an ERROR's text */
#define LINGER_MS 1000   /* how long a connection that was closed reads on, so that the peer gets our last page */
#define MAX_HEADERS 64
#define FEATURE_CRC 1u
#define FEATURE_HEADERS 2u
#define FEATURE_RUN 4u
#define FEATURE_TLS 8u
#define FEATURE_ACCESS 16u
#ifdef NETIO_TLS
#define TLS true
#else
#define TLS false
#endif
#define FEATURES (FEATURE_CRC | FEATURE_HEADERS | FEATURE_RUN)

/* ---- Bytes ---- */

static uint16_t get16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t get32(const uint8_t *p) { return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16; }
static uint64_t get64(const uint8_t *p) { return (uint64_t)get32(p) | (uint64_t)get32(p + 4) << 32; }
static void put16(uint8_t *p, uint32_t v) { p[0] = (uint8_t)v; p[1] = (uint8_t)(v >> 8); }
static void put32(uint8_t *p, uint32_t v) { put16(p, v & 0xffff); put16(p + 2, v >> 16); }
static void put64(uint8_t *p, uint64_t v) { put32(p, (uint32_t)v); put32(p + 4, (uint32_t)(v >> 32)); }
static void copy(void *to, const void *from, size_t n) { if (n != 0) memcpy(to, from, n); }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t add_demand(uint64_t a, uint64_t b) { return b >= UNBOUNDED - a ? UNBOUNDED : a + b; }

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static uint64_t random64(void) {
    uint64_t v = 0;
    if (getrandom(&v, sizeof v, 0) != (ssize_t)sizeof v || v == 0) {
        v = now_ms() * 0x9e3779b97f4a7c15u | 1u;
    }
    return v;
}

/* ---- CRC-32C ---- */

static uint32_t crc_table[8][256];

static void crc_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) {
            c = (c & 1u) != 0 ? c >> 1 ^ 0x82f63b78u : c >> 1;
        }
        crc_table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (int k = 1; k < 8; k++) {
            crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 0xff];
        }
    }
}

static uint32_t crc_by_table(uint32_t c, const uint8_t *p, size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
        uint32_t low = c ^ get32(p);
        uint32_t high = get32(p + 4);
        c = crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^ crc_table[5][low >> 16 & 0xff] ^ crc_table[4][low >> 24]
                ^ crc_table[3][high & 0xff] ^ crc_table[2][high >> 8 & 0xff] ^ crc_table[1][high >> 16 & 0xff]
                ^ crc_table[0][high >> 24];
    }
    for (; n > 0; p++, n--) {
        c = c >> 8 ^ crc_table[0][(c ^ *p) & 0xff];
    }
    return c;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define CRC_BY_PROCESSOR 1
__attribute__((target("sse4.2"))) static uint32_t crc_by_processor(uint32_t crc, const uint8_t *p, size_t n) {
    uint64_t c = crc;
    for (; n >= 8; p += 8, n -= 8) {
        c = __builtin_ia32_crc32di(c, get64(p));
    }
    for (; n > 0; p++, n--) {
        c = __builtin_ia32_crc32qi((uint32_t)c, *p);
    }
    return (uint32_t)c;
}
#endif

uint32_t netio_crc32c(uint32_t crc, const void *data, size_t length) {
    static int way; /* 0: unknown, 1: table, 2: processor */
    if (way == 0) {
        crc_tables();
        way = 1;
#ifdef CRC_BY_PROCESSOR
        way = __builtin_cpu_supports("sse4.2") ? 2 : 1;
#endif
    }
#ifdef CRC_BY_PROCESSOR
    if (way == 2) {
        return ~crc_by_processor(~crc, data, length);
    }
#endif
    return ~crc_by_table(~crc, data, length);
}

/* ---- Sets of tags ---- */

static bool tags_valid(const netio_tags *t) {
    switch (t->kind) {
    case NETIO_EXACT: return t->second == 0;
    case NETIO_RANGE: return t->tag <= t->second;
    case NETIO_MASK: return (t->tag & ~t->second) == 0;
    default: return false;
    }
}

static bool tags_have(const netio_tags *t, uint64_t tag) {
    switch (t->kind) {
    case NETIO_EXACT: return tag == t->tag;
    case NETIO_RANGE: return t->tag <= tag && tag <= t->second;
    default: return (tag & t->second) == t->tag;
    }
}

static void tags_bounds(const netio_tags *t, uint64_t *low, uint64_t *high) {
    *low = t->tag;
    *high = t->kind == NETIO_EXACT ? t->tag : t->kind == NETIO_RANGE ? t->second : t->tag | ~t->second;
}

/* Whether each tag of b is one of a. */
static bool tags_contain(const netio_tags *a, const netio_tags *b) {
    uint64_t low, high, a_low, a_high;
    tags_bounds(b, &low, &high);
    tags_bounds(a, &a_low, &a_high);
    if (a->kind != NETIO_MASK) {
        return a_low <= low && high <= a_high;
    }
    if (b->kind == NETIO_MASK) {
        return (b->second & a->second) == a->second && (b->tag & a->second) == a->tag;
    }
    uint64_t differ = low ^ high; /* its highest bit and all below it take both values within the range */
    for (unsigned s = 1; s < 64; s <<= 1) {
        differ |= differ >> s;
    }
    return (low & a->second) == a->tag && (a->second & differ) == 0;
}

/* The smallest tag from `low` on that a mask has; false if there is none. It is `low`, or differs first where it has a bit more. */
static bool tags_next(const netio_tags *mask, uint64_t low, uint64_t *found) {
    uint64_t differ = (low ^ mask->tag) & mask->second;
    *found = low;
    for (unsigned k = 0; differ != 0 && k < 64; k++) {
        uint64_t bit = (uint64_t)1 << k;
        uint64_t above = ~(bit | (bit - 1));
        if ((differ & above) == 0 && (low & bit) == 0 && ((mask->second & bit) == 0 || (mask->tag & bit) != 0)) {
            *found = (low & above) | bit | (mask->tag & (bit - 1));
            return true;
        }
    }
    return differ == 0;
}

/* Whether some tag is one of both. */
static bool tags_meet(const netio_tags *a, const netio_tags *b) {
    uint64_t low, high, a_low, a_high;
    if (a->kind == NETIO_MASK && b->kind == NETIO_MASK) {
        return ((a->tag ^ b->tag) & a->second & b->second) == 0;
    }
    if (b->kind == NETIO_MASK) {
        return tags_meet(b, a);
    }
    tags_bounds(b, &low, &high);
    if (a->kind == NETIO_MASK) {
        return tags_next(a, low, &low) && low <= high;
    }
    tags_bounds(a, &a_low, &a_high);
    return a_low <= high && low <= a_high;
}

/* ---- Frames: a pure function of bytes, which says why it refuses them ---- */

enum { KIND_DATA = 0, KIND_SUBSCRIBE = 0xc1, KIND_REQUEST, KIND_CANCEL, KIND_COMPLETE, KIND_ERROR, KIND_PING, KIND_PONG,
    KIND_SUBSCRIBED = 0x88, KIND_DROPPED, KIND_QUEUED, KIND_UNKNOWN = 0x80 };
enum { FIRST = 1, LAST = 2, STREAM = 4, TAG = 8, STATUS = 16 };

struct frame {
    int kind;
    uint32_t flags;
    uint32_t stream;
    uint32_t total;
    bool own_tag;         /* the stream's own */
    uint64_t tag;
    uint64_t second;
    uint64_t n;           /* of REQUEST, COMPLETE, PING, PONG, SUBSCRIBED, DROPPED, QUEUED */
    uint64_t run;
    uint32_t code;        /* of ERROR, and of QUEUED: how many may wait */
    uint8_t status;
    uint8_t tags;
    uint8_t policy;
    const uint8_t *data;  /* payload, or text */
    uint32_t length;
};

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t data_credits;
    uint32_t control_credits;
    bool data;            /* the page was sent on a data credit */
    bool any;             /* it has had a frame */
    uint32_t stream;      /* NO_STREAM before the first DATA */
    bool own_tag;
    uint64_t tag;
};

static const char *reader_open(struct reader *r, const uint8_t *page, size_t n, bool crc) {
    memset(r, 0, sizeof *r);
    if (n < 4) {
        return "a page is shorter than its header";
    }
    r->data_credits = get16(page);
    r->control_credits = page[2];
    if ((page[3] & ~3u) != 0) {
        return "unknown flags of a page";
    }
    if (((page[3] & 1u) != 0) != crc) {
        return crc ? "a page without checksum" : "a page with a checksum";
    }
    r->data = (page[3] & 2u) != 0;
    size_t header = 4;
    if (crc) {
        if (n < 8) {
            return "a page is shorter than its header";
        }
        if (netio_crc32c(netio_crc32c(0, page, 4), page + 8, n - 8) != get32(page + 4)) {
            return "the checksum of a page is wrong";
        }
        header = 8;
    }
    if (r->data && n == header) {
        return "a data page without frames";
    }
    r->at = page + header;
    r->end = page + n;
    r->stream = NO_STREAM;
    return NULL;
}

static const char *read_data(struct reader *r, struct frame *f, uint32_t head) {
    f->kind = KIND_DATA;
    f->flags = head >> 24;
    f->length = head & 0xffffff;
    if ((f->flags & 0xe0u) != 0) {
        return "unknown flags of DATA";
    }
    if (!r->data) {
        return "DATA on a control credit";
    }
    if ((f->flags & FIRST) == 0 && (f->flags & (TAG | STATUS)) != 0) {
        return "a tag or status amid a message";
    }
    bool parts = (f->flags & (FIRST | LAST)) == FIRST;
    size_t fields = ((f->flags & STREAM) != 0 ? 4u : 0u) + (parts ? 4u : 0u) + ((f->flags & TAG) != 0 ? 8u : 0u)
            + ((f->flags & STATUS) != 0 ? 1u : 0u);
    if ((size_t)(r->end - r->at) < fields + f->length) {
        return "DATA is longer than its page";
    }
    if ((f->flags & STREAM) != 0) {
        r->stream = get32(r->at);
        r->at += 4;
        r->own_tag = true;
    }
    if (r->stream == NO_STREAM) {
        return "DATA of no stream";
    }
    if (parts) {
        f->total = get32(r->at);
        r->at += 4;
        if (f->total > INT32_MAX || f->total <= f->length) {
            return "the first part of a message has a wrong total";
        }
    } else {
        f->total = f->length;
    }
    if ((f->flags & TAG) != 0) {
        r->tag = get64(r->at);
        r->at += 8;
        r->own_tag = false;
    }
    f->status = 0;
    if ((f->flags & STATUS) != 0) {
        f->status = *r->at++;
    }
    if ((f->flags & FIRST) == 0 && f->length == 0) {
        return "an empty part";
    }
    f->stream = r->stream;
    f->own_tag = r->own_tag;
    f->tag = r->tag;
    f->data = r->at;
    r->at += f->length;
    return NULL;
}

/* Reads the next frame. The caller sees to it that r->at < r->end. */
static const char *read_frame(struct reader *r, struct frame *f) {
    if (r->end - r->at < 4) {
        return "a frame is shorter than its header";
    }
    uint32_t head = get32(r->at);
    uint32_t length = head & 0xffffff;
    r->at += 4;
    r->any = true;
    if (head >> 31 == 0) {
        return read_data(r, f, head);
    }
    if ((size_t)(r->end - r->at) < length) {
        return "a control frame is longer than its page";
    }
    const uint8_t *p = r->at;
    r->at += length;
    f->kind = (int)(head >> 24);
    switch (f->kind) { /* the lengths */
    case KIND_SUBSCRIBE: if (length != 24) { return "wrong length of SUBSCRIBE"; } break;
    case KIND_CANCEL: if (length != 4) { return "wrong length of CANCEL"; } break;
    case KIND_REQUEST: case KIND_COMPLETE: case KIND_DROPPED: case KIND_QUEUED:
        if (length != 12) { return "wrong length of a control frame"; }
        break;
    case KIND_PING: case KIND_PONG: if (length != 8) { return "wrong length of PING or PONG"; } break;
    case KIND_SUBSCRIBED: if (length != 12 && length != 20) { return "wrong length of SUBSCRIBED"; } break;
    case KIND_ERROR: if (length < 8 || length > 8 + TEXT) { return "wrong length of ERROR"; } break;
    default:
        if (f->kind >= 0xc0) {
            return "an unknown critical frame";
        }
        f->kind = KIND_UNKNOWN;
        return NULL;
    }
    if (f->kind == KIND_PING || f->kind == KIND_PONG) {
        f->n = get64(p);
        return NULL;
    }
    f->stream = get32(p);
    if (f->stream == CONNECTION_STREAM && f->kind != KIND_ERROR) {
        return "a frame for stream 0xffffffff";
    }
    switch (f->kind) {
    case KIND_SUBSCRIBE: {
        f->tags = p[4];
        f->policy = p[5];
        f->tag = get64(p + 8);
        f->second = get64(p + 16);
        netio_tags tags = {NETIO_EXACT, f->tag, f->second};
        if (f->stream == 0 || f->tags > 2 || f->policy > 4 || get16(p + 6) != 0) {
            return "a wrong SUBSCRIBE";
        }
        tags.kind = f->tags == 0 ? NETIO_EXACT : f->tags == 1 ? NETIO_RANGE : NETIO_MASK;
        return tags_valid(&tags) ? NULL : "wrong tags of SUBSCRIBE";
    }
    case KIND_REQUEST: case KIND_DROPPED:
        f->n = get64(p + 4);
        return f->n == 0 || f->n > UNBOUNDED ? "a number of messages is not 1 to 2^63-1" : NULL;
    case KIND_COMPLETE:
        f->n = get64(p + 4);
        return f->n > UNBOUNDED ? "the number of COMPLETE is too large" : NULL;
    case KIND_SUBSCRIBED:
        f->n = get64(p + 4);
        f->run = length == 20 ? get64(p + 12) : 0;
        return length == 20 && f->run == 0 ? "SUBSCRIBED has run 0" : NULL;
    case KIND_QUEUED:
        f->n = get32(p + 4);
        f->code = get32(p + 8);
        return f->n > INT32_MAX || f->code == 0 || f->code > INT32_MAX ? "wrong numbers of QUEUED" : NULL;
    case KIND_ERROR:
        f->code = get32(p + 4);
        f->data = p + 8;
        f->length = length - 8;
        return NULL;
    default: return NULL; /* CANCEL */
    }
}

/* The messages of a page with PAGE. */
struct page_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool tagged;
    uint64_t tag;
};

static const char *read_message(struct page_reader *r, netio_message *m) {
    if (r->end - r->at < 4) {
        return "a message is shorter than its header";
    }
    uint32_t head = get32(r->at);
    size_t length = head & 0x3fffffff;
    size_t fields = (head >> 30 & 1u) + (head >> 31) * 8u;
    r->at += 4;
    if ((size_t)(r->end - r->at) < fields + length) {
        return "a message is longer than its page";
    }
    m->status = 0;
    if ((head >> 30 & 1u) != 0) {
        m->status = *r->at++;
    }
    if (head >> 31 != 0) {
        r->tag = get64(r->at);
        r->at += 8;
        r->tagged = true;
    }
    if (!r->tagged) {
        return "the first message of a page has no tag";
    }
    m->tag = r->tag;
    m->data = r->at;
    m->length = length;
    r->at += length;
    return NULL;
}

/* ---- Handshake ---- */

struct handshake {
    uint8_t lowest, highest, framing, role;
    uint32_t supported, required, page, data, control, message, streams, keepalive;
    uint64_t budget;
};

static void write_handshake(uint8_t *p, const struct handshake *h) {
    put32(p, 0xff4f494e);
    p[4] = h->lowest;
    p[5] = h->highest;
    p[6] = h->framing;
    p[7] = h->role;
    put32(p + 8, h->supported);
    put32(p + 12, h->required);
    put32(p + 16, h->page);
    put16(p + 20, h->data);
    p[22] = (uint8_t)h->control;
    p[23] = HANDSHAKE;
    put32(p + 24, h->message);
    put32(p + 28, h->streams);
    put64(p + 32, h->budget);
    put32(p + 40, h->keepalive);
    put32(p + 44, netio_crc32c(0, p, 44));
}

static const char *read_handshake(const uint8_t *p, size_t n, struct handshake *h) {
    if (n < HANDSHAKE) {
        return n >= 4 && get32(p) != 0xff4f494e ? "the peer does not speak this protocol" : "the handshake is cut off";
    }
    if (get32(p) != 0xff4f494e) {
        return "the peer does not speak this protocol";
    }
    h->lowest = p[4];
    h->highest = p[5];
    h->framing = p[6];
    h->role = p[7];
    if (h->lowest == 0 || h->highest < h->lowest) {
        return "wrong versions in the handshake";
    }
    if (h->lowest > 1) {
        return "the peer speaks later versions only";
    }
    if (p[23] != HANDSHAKE) {
        return "wrong length of the handshake";
    }
    if (netio_crc32c(0, p, 44) != get32(p + 44)) {
        return "the checksum of the handshake is wrong";
    }
    h->supported = get32(p + 8);
    h->required = get32(p + 12);
    h->page = get32(p + 16);
    h->data = get16(p + 20);
    h->control = p[22];
    h->message = get32(p + 24);
    h->streams = get32(p + 28);
    h->budget = get64(p + 32);
    h->keepalive = get32(p + 40);
    if (h->role < 1 || h->role > 2 || (h->required & ~h->supported) != 0 || h->page < 1024 || h->page > 16777216 || h->data == 0
            || h->control < 3 || h->message == 0 || h->message > INT32_MAX || h->streams > 1u << 24 || h->budget < h->message
            || h->budget > UNBOUNDED || (h->keepalive != 0 && (h->keepalive < 10 || h->keepalive > 3600000))) {
        return "a value of the handshake is out of range";
    }
    return NULL;
}

/* ---- Access: how a side that connects proves that it knows a secret ---- */

enum { ACCESS_CHALLENGE = 1, ACCESS_SECRET = 2, ACCESS_ACCEPTED = 4, ACCESS_REFUSED = 5 };
enum { SHA_BLOCK = 64, PROOF = 32, NONCE = 32, ACCESS_MOST = 1024 };

struct sha256 {
    uint32_t h[8];
    uint64_t bytes;
    uint8_t block[SHA_BLOCK];
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t v, int bits) { return v >> bits | v << (32 - bits); }

static void sha_begin(struct sha256 *s) {
    *s = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static void sha_take_block(struct sha256 *s) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) {
        const uint8_t *p = s->block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t one = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + sha_k[i] + w[i];
        uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) {
        s->h[i] += v[i];
    }
}

static void sha_take(struct sha256 *s, const void *data, size_t n) {
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++) {
        s->block[s->bytes++ % SHA_BLOCK] = p[i];
        if (s->bytes % SHA_BLOCK == 0) {
            sha_take_block(s);
        }
    }
}

static void sha_end(struct sha256 *s, uint8_t *digest) {
    uint64_t bits = s->bytes * 8;
    uint8_t length[8], one = 0x80, zero = 0;
    for (int i = 0; i < 8; i++) {
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    sha_take(s, &one, 1);
    while (s->bytes % SHA_BLOCK != SHA_BLOCK - 8) {
        sha_take(s, &zero, 1);
    }
    sha_take(s, length, sizeof length);
    for (int i = 0; i < PROOF; i++) {
        digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
    }
}

/* Who this side is, and what it proves that with. */
struct access {
    uint8_t key[SHA_BLOCK]; /* the secret as a key of HMAC, which is a block (RFC 2104) */
    char name[256];
    uint8_t peer[HANDSHAKE], expected[PROOF];
    bool answered;
};

static void access_key(struct access *a, const void *secret, size_t n) {
    if (n > SHA_BLOCK) {
        struct sha256 s;
        sha_begin(&s);
        sha_take(&s, secret, n);
        sha_end(&s, a->key);
    } else {
        copy(a->key, secret, n);
    }
}

/* The proof of one side, 1 of the one that connects and 2 of the other: HMAC-SHA-256 over all that both have said. */
static void access_prove(const struct access *a, uint8_t side, const uint8_t *own, const uint8_t *challenge, const uint8_t *answer,
        uint8_t *proof) {
    uint8_t pad[SHA_BLOCK], inner[PROOF];
    struct sha256 s;
    for (int i = 0; i < SHA_BLOCK; i++) {
        pad[i] = a->key[i] ^ 0x36;
    }
    sha_begin(&s);
    sha_take(&s, pad, sizeof pad);
    sha_take(&s, &side, 1);
    sha_take(&s, a->peer, HANDSHAKE);
    sha_take(&s, own, HANDSHAKE);
    sha_take(&s, challenge, NONCE);
    sha_take(&s, answer, NONCE);
    sha_take(&s, a->name, strlen(a->name));
    sha_end(&s, inner);
    for (int i = 0; i < SHA_BLOCK; i++) {
        pad[i] ^= 0x36 ^ 0x5c;
    }
    sha_begin(&s);
    sha_take(&s, pad, sizeof pad);
    sha_take(&s, inner, sizeof inner);
    sha_end(&s, proof);
}

/* Takes what the accepting side says, and writes what to answer. Returns what is wrong; the length of the answer, 0 for none. */
static const char *access_take(struct access *a, const uint8_t *own, const uint8_t *p, size_t n, uint8_t *answer, size_t *length,
        bool *accepted) {
    size_t name = strlen(a->name);
    *length = 0;
    if (n == 1 + NONCE && p[0] == ACCESS_CHALLENGE && !a->answered) {
        uint8_t *nonce = answer + 2 + name;
        answer[0] = ACCESS_SECRET;
        answer[1] = (uint8_t)name;
        copy(answer + 2, a->name, name);
        if (getrandom(nonce, NONCE, 0) != NONCE) {
            return "no random numbers to prove the secret with";
        }
        access_prove(a, 1, own, p + 1, nonce, nonce + NONCE);
        access_prove(a, 2, own, p + 1, nonce, a->expected);
        a->answered = true;
        *length = 2 + name + NONCE + PROOF;
        return NULL;
    }
    if (n == 1 + PROOF && p[0] == ACCESS_ACCEPTED && a->answered) {
        uint8_t differs = 0;
        for (int i = 0; i < PROOF; i++) {
            differs |= p[1 + i] ^ a->expected[i];
        }
        *accepted = differs == 0;
        return differs == 0 ? NULL : "the other side does not know the secret";
    }
    return n >= 1 && p[0] == ACCESS_REFUSED ? "the other side does not accept who this one is"
            : "the peer broke the rules before it was known who connects";
}

/* ---- Headers of requests ---- */

static bool utf8_valid(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n;) {
        uint32_t c = p[i];
        size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
        if (more > 3 || n - i <= more) {
            return false;
        }
        c = more == 0 ? c : c & (0x3fu >> more);
        for (size_t k = 1; k <= more; k++) {
            if ((p[i + k] & 0xc0) != 0x80) {
                return false;
            }
            c = c << 6 | (p[i + k] & 0x3fu);
        }
        if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff))) {
            return false;
        }
        i += more + 1;
    }
    return true;
}

/* Returns why they are refused. *used gets the bytes before the request's own payload. */
static const char *read_headers(const uint8_t *p, size_t n, netio_header *headers, size_t *count, size_t *used) {
    *count = 0;
    if (n < 2) {
        return "the length of headers is cut off";
    }
    size_t size = get16(p);
    if (size > 4096 || size > n - 2) {
        return "headers are too long";
    }
    *used = 2 + size;
    const uint8_t *end = p + 2 + size;
    for (p += 2; p < end;) {
        size_t k = *p++;
        if (k == 0 || (size_t)(end - p) < k + 2) {
            return "a header is cut off";
        }
        size_t v = get16(p + k);
        if ((size_t)(end - p) - k - 2 < v) {
            return "a header is cut off";
        }
        if (*count == MAX_HEADERS || !utf8_valid(p, k) || !utf8_valid(p + k + 2, v)) {
            return "too many headers, or not UTF-8";
        }
        for (size_t i = 0; i < *count; i++) {
            if (headers[i].key_length == k && memcmp(headers[i].key, p, k) == 0) {
                return "a header comes twice";
            }
        }
        headers[(*count)++] = (netio_header){(const char *)p, k, (const char *)p + k + 2, v};
        p += k + 2 + v;
    }
    return NULL;
}

/* ---- What there is ---- */

/* What was freed in a callback, and may be in use further up the stack. It goes at the end of the turn. */
struct garbage {
    struct garbage *next;
    void (*destroy)(void *);
};

/* A message that waits. `stored` bytes of it follow, rounded up to 8; `sent` of those have left. */
struct entry {
    uint64_t number, tag;
    uint32_t total, stored, sent;
    uint8_t status;
    bool dropped; /* amid the queue: the head could not be, as it has left in part */
};

struct queue {
    uint8_t *bytes;
    size_t capacity, head, tail;
    uint64_t payload; /* bytes of the messages that are not dropped */
    uint32_t count;   /* of those messages */
};

enum role { ROLE_ZERO, ROLE_WAITING, ROLE_SOURCE, ROLE_ANSWERS, ROLE_REQUESTS, ROLE_NONE };

/* A stream that this side sends. */
struct out {
    struct garbage garbage;
    netio_connection *c;
    struct out *hash_next, *ready_next, *source_next, **source_link;
    enum role role;
    bool ready, ended, ending, partial, subscribed, tell_numbers;
    uint32_t id, limit;
    uint64_t limit_bytes, demand, sent, offered, expected, base, run, dropped, deadline;
    netio_tags tags;
    enum netio_policy policy;
    struct queue q;
    netio_source *source;
    netio_requester *requester;
    netio_responder *responder;
    uint32_t end_code, total;
    char end_text[128];
};

/* A stream that this side receives. */
struct netio_stream {
    struct garbage garbage;
    netio_connection *c;
    netio_stream *ctl_next;
    netio_stream_events events;
    netio_tags tags;
    enum netio_policy policy;
    enum role role; /* NONE: of the application */
    netio_requester *requester;
    netio_responder *responder;
    uint32_t id;
    bool ctl, open, taken, subscribe, cancel, cancelled, partial, early_end;
    uint64_t granted, ask, arrived;
    uint8_t *buffer;
    size_t length, capacity;
    uint32_t total;
    uint64_t tag;
    uint8_t status;
    int early_code;
};

enum state { CONNECTING, SHAKING, SEALING, PROVING, OPEN, CLOSING, DEAD };

struct netio_connection {
    struct garbage garbage;
    netio *ctx;
    netio_listener *listener;
    netio_connection *next, **link, *dirty_next;
    netio_settings s;
    netio_connection_events events;
    void *user;
    int fd;
    enum state state;
    uint32_t epoll_events;
    bool dirty, accepted, crc, out_broken, out_shut, send_refused, stopped, told_end, eof;
    struct handshake mine, peer;
    struct access *access;    /* what it has to prove; NULL for nothing */
    struct tls *tls;          /* NULL without */
    uint64_t deadline, last_in, last_out;
    uint8_t *in, *out;
    size_t in_capacity, in_head, in_tail, out_capacity, out_head, out_tail;
    /* the page that is being written: where its prefix is, or SIZE_MAX; and what a frame may leave out */
    size_t page_at, page_limit, page_header;
    bool page_data, page_own;
    uint32_t page_stream;
    uint64_t page_tag;
    uint32_t tx_data, tx_control;     /* credits for what we send */
    uint32_t peer_data, peer_control; /* credits the peer has */
    uint32_t owe_data, owe_control;
    uint64_t rx_reserved, tx_reserved; /* bytes of messages in parts */
    struct out **outs;
    uint32_t outs_mask, outs_count;
    struct out *zero, *ready_first, **ready_last;
    netio_stream **ins;
    uint32_t ins_capacity, ins_open, ins_hint;
    netio_stream *ctl_first, **ctl_last, *in_zero;
    uint64_t pongs[2], ping;
    int pong_count;
    bool ping_due;
    struct fab *fab;          /* what it has of libfabric; NULL over plain TCP */
    struct page_reader page;  /* of a page with PAGE that has stopped amid, for want of demand */
    netio_requester *requesters;
    netio_responder *responders;
    char text[160];
};

struct netio_listener {
    struct garbage garbage;
    netio *ctx;
    netio_listener *next, **link;
    int fd;
    uint32_t connections;
    netio_settings s;
    netio_connection_events events;
    struct fab_listener *fab;
    bool closed;
};

#define BUCKETS 1024

struct netio_source {
    struct garbage garbage;
    netio *ctx;
    netio_source *next, **link;
    netio_tags tags;
    netio_source_settings s;
    struct out *all;      /* those with patterns; all of them if the source has one tag */
    struct out **exact;   /* those with one tag each, by tag */
    uint32_t count;
    uint64_t published, run, dropped;
    bool refused;
};

struct netio {
    int epoll;
    bool turning;
    uint64_t now, timer_at, memory, memory_used, seed;
    netio_connection *connections, *dirty;
    netio_listener *listeners;
    netio_source *sources;
    struct garbage *garbage;
    struct fab_fabric *fabrics;
    struct fab_net *nets;
};

static void end_connection(netio_connection *c, int code, const char *text, bool tell);
static void request_message(netio_stream *in, const netio_message *m);
static void request_stream_ended(netio_stream *in, int code, const char *text);
static void request_out_ended(struct out *o);
static void request_demand(struct out *o);
static void requests_lost(netio_connection *c);
static bool request_subscribed(struct out *o);
static void request_pong(netio_connection *c, uint64_t value);

/* ---- libfabric ---- */

#ifdef NETIO_TLS
static bool tls_new(netio_connection *c);
static bool tls_host(netio_connection *c, const char *host);
static const char *tls_shake(netio_connection *c);
static const char *tls_take(netio_connection *c, const uint8_t *p, size_t n, size_t *content);
static bool tls_seal_last(netio_connection *c, size_t at, uint8_t kind);
static void tls_end(netio_connection *c);
static void tls_free(netio_connection *c);
static void tls_met(netio_connection *c, const uint8_t *handshake);
static const uint8_t *tls_content(const netio_connection *c);
static bool tls_is_greeted(const netio_connection *c);
static bool tls_is_ended(const netio_connection *c);
#else
#define tls_new(c) false
#define tls_host(c, host) false
#define tls_shake(c) NULL
#define tls_take(c, p, n, content) ((void)(p), (void)(n), *(content) = 0, (const char *)NULL)
#define tls_seal_last(c, at, kind) ((void)(at), false)
#define tls_end(c) (void)(c)
#define tls_free(c) (void)(c)
#define tls_met(c, handshake) (void)(c)
#define tls_content(c) NULL
#define tls_is_greeted(c) false
#define tls_is_ended(c) false
#endif

/* What a page of so many bytes has at most when it is sealed. */
static size_t sealed_size(size_t page) {
    size_t size = page + 1 + 352 * (page / 16384 + 1) + 1024;
    return size < 17920 ? 17920 : size;
}

#ifdef NETIO_LIBFABRIC
static void fab_write(netio_connection *c, size_t end);
static bool fab_idle(const netio_connection *c);
static void fab_process(netio_connection *c);
static void fab_close(netio_connection *c);
static void fab_free(netio_connection *c);
static bool fab_lingers(netio_connection *c);
static bool fab_listen(netio_listener *l, const char *host, uint16_t port);
static void fab_listener_close(netio_listener *l);
static void fab_address(const netio_listener *l, void *address, socklen_t *n);
static netio_connection *fab_connect(netio *ctx, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events);
static int fab_timeout(netio *ctx, int timeout);
static void fab_poll(netio *ctx);
static void fab_done(netio *ctx);
#else
#define fab_write(c, end) (void)(end)
#define fab_idle(c) true
#define fab_process(c) (void)(c)
#define fab_close(c) (void)(c)
#define fab_free(c) (void)(c)
#define fab_lingers(c) false
#define fab_listen(l, host, port) (errno = ENOSYS, false)
#define fab_listener_close(l) (void)(l)
#define fab_address(l, address, n) (void)(l)
#define fab_connect(ctx, host, port, settings, events) (errno = ENOSYS, (netio_connection *)NULL)
#define fab_timeout(ctx, timeout) (timeout)
#define fab_poll(ctx) (void)(ctx)
#define fab_done(ctx) (void)(ctx)
#endif

static void discard(netio *ctx, struct garbage *g, void (*destroy)(void *)) {
    g->destroy = destroy;
    g->next = ctx->garbage;
    ctx->garbage = g;
}

static void collect(netio *ctx) {
    while (ctx->garbage != NULL) {
        struct garbage *g = ctx->garbage;
        ctx->garbage = g->next;
        g->destroy(g);
    }
}

static void mark(netio_connection *c) {
    if (!c->dirty && c->state != DEAD) {
        c->dirty = true;
        c->dirty_next = c->ctx->dirty;
        c->ctx->dirty = c;
    }
}

static void wake_at(netio *ctx, uint64_t at) {
    if (at < ctx->timer_at) {
        ctx->timer_at = at;
    }
}

static void connection_gone(netio_connection *c);

static void violate(netio_connection *c, const char *text) { end_connection(c, NETIO_BROKEN_RULES, text, true); }

/* ---- Queues ---- */

static size_t entry_size(uint32_t stored) { return sizeof(struct entry) + (((size_t)stored + 7u) & ~(size_t)7u); }

/* Sees to it that so many bytes fit behind the tail. */
static bool queue_reserve(struct queue *q, size_t n) {
    if (q->head == q->tail) {
        q->head = q->tail = 0;
    }
    if (q->capacity - q->tail >= n) {
        return true;
    }
    size_t used = q->tail - q->head;
    if (q->head >= used && q->capacity - used >= n) { /* moved bytes were paid for by as many that have left */
        copy(q->bytes, q->bytes + q->head, used);
    } else {
        size_t capacity = q->capacity < 4096 ? 4096 : q->capacity * 2;
        while (capacity < used + n) {
            capacity *= 2;
        }
        uint8_t *bytes = malloc(capacity);
        if (bytes == NULL) {
            return false;
        }
        copy(bytes, q->bytes + q->head, used);
        free(q->bytes);
        q->bytes = bytes;
        q->capacity = capacity;
    }
    q->head = 0;
    q->tail = used;
    return true;
}

static void queue_push(struct queue *q, const struct entry *e, const uint8_t *data) {
    memcpy(q->bytes + q->tail, e, sizeof *e);
    copy(q->bytes + q->tail + sizeof *e, data, e->stored);
    q->tail += entry_size(e->stored);
    q->count++;
    q->payload += e->stored;
}

static struct entry *queue_at(const struct queue *q, size_t at) { return (struct entry *)(void *)(q->bytes + at); }

static void queue_pop(struct queue *q) {
    struct entry *e = queue_at(q, q->head);
    if (!e->dropped) {
        q->count--;
        q->payload -= e->stored;
    }
    q->head += entry_size(e->stored);
    if (q->head == q->tail && q->capacity > 1u << 20) { /* a large message is no reason to keep its room */
        free(q->bytes);
        memset(q, 0, sizeof *q);
    }
}

static void queue_clear(struct queue *q) {
    free(q->bytes);
    memset(q, 0, sizeof *q);
}

/* Drops the oldest message that has not begun to leave. False if there is none. */
static bool queue_drop_oldest(struct queue *q, bool partial) {
    size_t at = q->head;
    if (at == q->tail) {
        return false;
    }
    if (!partial) {
        queue_pop(q);
        while (q->head != q->tail && queue_at(q, q->head)->dropped) {
            queue_pop(q);
        }
        return true;
    }
    for (at += entry_size(queue_at(q, at)->stored); at != q->tail; at += entry_size(queue_at(q, at)->stored)) {
        struct entry *e = queue_at(q, at);
        if (!e->dropped) {
            e->dropped = true;
            q->count--;
            q->payload -= e->stored;
            return q->tail - q->head <= 2 * (size_t)q->payload + (1u << 22); /* else memory would not be bounded */
        }
    }
    return false;
}

/* ---- Writing pages ---- */

static bool is_reading(const netio_connection *c) { return c->state > CONNECTING && c->state <= OPEN; }

static void watch(netio_connection *c, uint32_t events) {
    if (events != c->epoll_events && c->fd >= 0) {
        struct epoll_event e = {.events = events, .data.ptr = c};
        epoll_ctl(c->ctx->epoll, EPOLL_CTL_MOD, c->fd, &e);
        c->epoll_events = events;
    }
}

/* Writes what is in whole pages, as much as the socket takes. */
static void write_out(netio_connection *c) {
    size_t end = c->page_at == SIZE_MAX ? c->out_tail : c->page_at;
    if (c->fab != NULL) {
        fab_write(c, end);
    }
    while (c->out_head < end && !c->out_broken && c->fab == NULL) {
        if (c->fd < 0) { /* tests without a socket */
            c->out_head = end;
            break;
        }
        ssize_t n = send(c->fd, c->out + c->out_head, end - c->out_head, MSG_NOSIGNAL);
        if (n > 0) {
            c->out_head += (size_t)n;
            c->last_out = c->ctx->now;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            break;
        } else if (errno != EINTR) {
            c->out_broken = true; /* reading tells the end, behind what the peer has sent */
        }
    }
    if (c->out_broken) {
        c->out_head = end;
    }
    if (c->out_head == c->out_tail) {
        c->out_head = c->out_tail = 0;
        if (c->page_at != SIZE_MAX) {
            c->page_at = 0;
        }
    }
}

static bool out_room(netio_connection *c, size_t n) {
    if (c->out_capacity - c->out_tail >= n) {
        return true;
    }
    if (c->out_head > 0 && c->page_at == SIZE_MAX && c->out_capacity - (c->out_tail - c->out_head) >= n) {
        memmove(c->out, c->out + c->out_head, c->out_tail - c->out_head);
        c->out_tail -= c->out_head;
        c->out_head = 0;
        return true;
    }
    return false;
}

static bool room_after_writing(netio_connection *c, size_t n) {
    if (!out_room(c, n)) {
        write_out(c);
        return out_room(c, n);
    }
    return true;
}

static void close_page(netio_connection *c) {
    if (c->page_at == SIZE_MAX) {
        return;
    }
    uint8_t *p = c->out + c->page_at;
    size_t n = c->out_tail - c->page_at - PREFIX;
    put32(p, (uint32_t)n);
    p += PREFIX;
    if (c->s.framing == NETIO_STREAM) {
        put16(p, c->owe_data);
        p[2] = (uint8_t)c->owe_control;
        p[3] = (uint8_t)((c->crc ? 1 : 0) | (c->page_data ? 2 : 0));
        c->peer_data += c->owe_data;
        c->peer_control += c->owe_control;
        c->owe_data = c->owe_control = 0;
        if (c->page_data) {
            c->tx_data--;
        } else {
            c->tx_control--;
        }
        if (c->crc) {
            put32(p + 4, netio_crc32c(netio_crc32c(0, p, 4), p + 8, n - 8));
        }
    }
    if (c->tls != NULL && !tls_seal_last(c, c->page_at, 0)) {
        c->out_tail = c->page_at;
        c->out_broken = true;
    }
    c->page_at = SIZE_MAX;
    if (c->out_tail - c->out_head >= 1u << 17) {
        write_out(c);
    }
}

static size_t page_left(const netio_connection *c) { return c->page_limit - (c->out_tail - c->page_at - PREFIX); }

/* Sees to it that a page is open and has so much room. False without a credit, or if the socket takes no more. */
static bool page_room(netio_connection *c, size_t need, bool data) {
    if (c->page_at != SIZE_MAX) {
        if (data && !c->page_data && c->tx_data == 0) {
            return false;
        }
        if (page_left(c) >= need) {
            c->page_data |= data;
            return true;
        }
        close_page(c);
    }
    bool credit = data ? c->tx_data > 0 : c->tx_control >= 2 || (c->tx_control == 1 && c->owe_control > 0);
    /* a data page leaves room for another page, so that control is never kept by data */
    size_t most = c->tls != NULL ? sealed_size(c->page_limit) : c->page_limit;
    if (!credit || !room_after_writing(c, (PREFIX + most) * (data ? 2 : 1))) {
        return false;
    }
    c->page_at = c->out_tail;
    c->out_tail += PREFIX + c->page_header;
    c->page_data = data;
    c->page_stream = NO_STREAM;
    return true;
}

static uint8_t *append(netio_connection *c, size_t n) {
    uint8_t *p = c->out + c->out_tail;
    c->out_tail += n;
    return p;
}

static uint8_t *append_control(netio_connection *c, int kind, uint32_t length) {
    uint8_t *p = append(c, 4 + length);
    put32(p, (uint32_t)kind << 24 | length);
    return p + 4;
}

static void append_numbered(netio_connection *c, int kind, uint32_t stream, uint64_t n) {
    uint8_t *p = append_control(c, kind, 12);
    put32(p, stream);
    put64(p + 4, n);
}

static void append_subscribed(struct out *o, uint64_t number) {
    uint8_t *p = append_control(o->c, KIND_SUBSCRIBED, o->run != 0 ? 20 : 12);
    put32(p, o->id);
    put64(p + 4, o->base + number);
    if (o->run != 0) {
        put64(p + 12, o->run);
    }
}

static void append_error(netio_connection *c, uint32_t stream, uint32_t code, const char *text) {
    uint32_t n = (uint32_t)strnlen(text, TEXT);
    uint8_t *p = append_control(c, KIND_ERROR, 8 + n);
    put32(p, stream);
    put32(p + 4, code);
    copy(p + 8, text, n);
}

/* Writes the next frame of a message. *sent of the `stored` bytes at data have left already, or had before they were stored. */
static bool emit_frame(struct out *o, const struct entry *e, const uint8_t *data, uint32_t *sent) {
    netio_connection *c = o->c;
    bool first = !o->partial;
    bool gap = first && o->tell_numbers && e->number != o->expected;
    size_t extra = gap ? 16 + 24 : 0;
    size_t left = e->stored - *sent;
    size_t empty = c->page_limit - c->page_header;
    if (first) {
        if (o->demand == 0) {
            return false;
        }
        if (left + extra + 17 <= empty) {
            if (!page_room(c, left + extra + 17, true)) {
                return false;
            }
        } else if (c->tx_reserved + e->total > c->peer.budget || !page_room(c, extra + 128, true)) {
            return false;
        }
    } else if (!page_room(c, least(left + 8, 128), true)) {
        return false;
    }
    if (gap) {
        append_numbered(c, KIND_DROPPED, o->id, e->number - o->expected);
        append_subscribed(o, e->number);
        o->expected = e->number;
    }
    uint32_t flags = first ? FIRST : 0;
    if (c->page_stream != o->id) {
        flags |= STREAM;
        c->page_stream = o->id;
        c->page_own = true;
        c->page_tag = o->tags.tag;
        if (first && o->tags.kind != NETIO_EXACT) { /* a pattern's stream says the tag of each message */
            flags |= TAG;
        }
    }
    if (first && e->tag != c->page_tag) {
        flags |= TAG;
    }
    if ((flags & TAG) != 0) {
        c->page_own = false;
        c->page_tag = e->tag;
    }
    flags |= first && e->status != 0 ? STATUS : 0u;
    size_t fields = 4u + ((flags & STREAM) != 0 ? 4u : 0u) + ((flags & TAG) != 0 ? 8u : 0u) + ((flags & STATUS) != 0 ? 1u : 0u);
    size_t room = page_left(c) - fields;
    size_t n = left;
    if (n > room) {
        n = first ? room - 4 : room;
    } else {
        flags |= LAST;
    }
    if ((flags & (FIRST | LAST)) == FIRST) {
        fields += 4;
    }
    uint8_t *p = append(c, fields + n);
    put32(p, flags << 24 | (uint32_t)n);
    p += 4;
    if ((flags & STREAM) != 0) {
        put32(p, o->id);
        p += 4;
    }
    if ((flags & (FIRST | LAST)) == FIRST) {
        put32(p, e->total);
        p += 4;
        c->tx_reserved += e->total;
    }
    if ((flags & TAG) != 0) {
        put64(p, e->tag);
        p += 8;
    }
    if ((flags & STATUS) != 0) {
        *p++ = e->status;
    }
    copy(p, data + *sent, n);
    *sent += (uint32_t)n;
    if (first) {
        o->demand -= o->demand == UNBOUNDED ? 0 : 1;
        o->expected = e->number + 1;
    }
    if ((flags & LAST) != 0) {
        c->tx_reserved -= first ? 0 : e->total;
        o->partial = false;
        o->sent++;
    } else {
        o->partial = true;
        o->total = e->total;
    }
    return true;
}

/* ---- Streams that are sent ---- */

static void make_ready(struct out *o) {
    if (!o->ready && !o->ended) {
        o->ready = true;
        o->ready_next = NULL;
        *o->c->ready_last = o;
        o->c->ready_last = &o->ready_next;
    }
    mark(o->c);
}

static void out_destroy(void *p) {
    struct out *o = p;
    queue_clear(&o->q);
    free(o);
}

static struct out **out_find(netio_connection *c, uint32_t id) {
    uint32_t h = (uint32_t)(((uint64_t)id ^ c->ctx->seed) * 0x9e3779b97f4a7c15u >> 40) & c->outs_mask;
    struct out **o = &c->outs[h];
    while (*o != NULL && (*o)->id != id) {
        o = &(*o)->hash_next;
    }
    return o;
}

static struct out *out_new(netio_connection *c, uint32_t id) {
    struct out *o = calloc(1, sizeof *o);
    if (o != NULL) {
        o->c = c;
        o->id = id;
        o->role = ROLE_NONE;
        o->limit = UINT32_MAX;
        o->limit_bytes = c->s.send_bytes;
        o->tags.kind = NETIO_EXACT;
    }
    return o;
}

static void source_leave(struct out *o) {
    if (o->source != NULL) {
        *o->source_link = o->source_next;
        if (o->source_next != NULL) {
            o->source_next->source_link = o->source_link;
        }
        o->source->count--;
        if (o->source->refused) { /* it may have been this one that was full */
            mark(o->c);
        }
        o->source = NULL;
    }
}

/* Its end is behind what waits for it, or with `now` instead of that. */
static void out_end(struct out *o, int code, const char *text, bool now) {
    if (o->ending || o->ended) {
        if (!now || o->ended || (int)o->end_code == NETIO_CANCELLED) {
            return;
        }
    }
    source_leave(o);
    o->ending = true;
    o->end_code = (uint32_t)code;
    snprintf(o->end_text, sizeof o->end_text, "%s", text == NULL ? "" : text);
    if (now) {
        if (o->partial) {
            o->c->tx_reserved -= o->total;
            o->partial = false;
        }
        queue_clear(&o->q);
    }
    make_ready(o);
}

static bool queue_full(const struct out *o, size_t n) {
    return o->q.count >= o->limit || (o->q.count > 0 && o->q.payload + n > o->limit_bytes);
}

/* Sends now what can be, and keeps the rest. The caller has asked for room. */
static int offer(struct out *o, uint64_t tag, uint8_t status, const void *data, size_t n) {
    struct entry e = {.number = o->offered, .tag = tag, .total = (uint32_t)n, .stored = (uint32_t)n, .status = status};
    uint32_t sent = 0;
    if (o->c->page_limit - o->c->page_header < n + 17 && !queue_reserve(&o->q, entry_size(e.stored))) {
        return NETIO_NO_MEMORY; /* nothing is begun whose rest could not be kept */
    }
    bool done = false;
    if (o->q.head == o->q.tail && !o->subscribed) {
        while (emit_frame(o, &e, data, &sent)) {
            if (!o->partial) {
                done = true;
                break;
            }
        }
    }
    if (!done) {
        e.stored -= sent;
        if (!queue_reserve(&o->q, entry_size(e.stored))) {
            return NETIO_NO_MEMORY;
        }
        queue_push(&o->q, &e, (const uint8_t *)data + sent);
        make_ready(o);
    }
    o->offered++;
    mark(o->c);
    return NETIO_OK;
}

static void out_remove(struct out *o) {
    netio_connection *c = o->c;
    o->ended = true;
    if (o == c->zero) {
        queue_clear(&o->q);
        return;
    }
    struct out **link = out_find(c, o->id);
    if (*link == o) {
        *link = o->hash_next;
        c->outs_count--;
    }
    discard(c->ctx, &o->garbage, out_destroy);
}

/* Writes the control frames that wait for a stream. False if they do not fit now. */
static bool pump_control(struct out *o) {
    netio_connection *c = o->c;
    if (o->subscribed) {
        if (!page_room(c, 24, false)) {
            return false;
        }
        append_subscribed(o, o->expected);
        o->subscribed = false;
    }
    if (o->dropped > 0) {
        if (!page_room(c, 16, false)) {
            return false;
        }
        append_numbered(c, KIND_DROPPED, o->id, o->dropped);
        o->dropped = 0;
    }
    bool empty = o->q.head == o->q.tail;
    if (empty && o->tell_numbers && o->expected != o->offered) { /* nothing follows that would tell what was dropped */
        if (!page_room(c, 40, false)) {
            return false;
        }
        append_numbered(c, KIND_DROPPED, o->id, o->offered - o->expected);
        append_subscribed(o, o->offered);
        o->expected = o->offered;
    }
    if (o->ending && !o->ended && empty) {
        if (!page_room(c, 12 + TEXT, false)) {
            return false;
        }
        if (o->end_code == NETIO_COMPLETE) {
            append_numbered(c, KIND_COMPLETE, o->id, o->sent);
        } else {
            append_error(c, o->id, o->end_code, o->end_text);
        }
        out_remove(o);
    }
    return true;
}

/* Writes messages that wait, about a page of them. False if there is no credit or no room. */
static bool pump_data(struct out *o) {
    for (size_t bytes = 0; o->q.head != o->q.tail && bytes < o->c->page_limit;) {
        struct entry *e = queue_at(&o->q, o->q.head);
        if (e->dropped) {
            queue_pop(&o->q);
            continue;
        }
        uint32_t before = e->sent;
        if (!emit_frame(o, e, (const uint8_t *)(e + 1), &e->sent)) {
            return !o->partial && (o->demand == 0 || (o->c->tx_data > 0 && o->c->tx_reserved > 0 && e->total > o->c->page_limit));
        }
        bytes += e->sent - before + 4;
        if (!o->partial) {
            queue_pop(&o->q);
        }
    }
    return true;
}

static void pump_in_streams(netio_connection *c) {
    while (c->ctl_first != NULL) {
        netio_stream *in = c->ctl_first;
        if (!page_room(c, 28 + 16 + 8, false)) {
            return;
        }
        if (in->open && in->subscribe) {
            uint8_t *p = append_control(c, KIND_SUBSCRIBE, 24);
            put32(p, in->id);
            p[4] = (uint8_t)in->tags.kind;
            p[5] = (uint8_t)in->policy;
            put16(p + 6, 0);
            put64(p + 8, in->tags.tag);
            put64(p + 16, in->tags.second);
            in->subscribe = false;
        }
        if (in->open && in->ask > 0 && !in->cancelled) {
            append_numbered(c, KIND_REQUEST, in->id, in->ask);
            in->granted = add_demand(in->granted, in->ask);
            in->ask = 0;
        }
        if (in->open && in->cancel) {
            put32(append_control(c, KIND_CANCEL, 4), in->id);
            in->cancel = false;
        }
        in->ctl = false;
        c->ctl_first = in->ctl_next;
        if (c->ctl_first == NULL) {
            c->ctl_last = &c->ctl_first;
        }
    }
}

/* One walk over the streams that have something to send; each that has more stays, behind the others. */
static bool pump_out_streams(netio_connection *c, bool data) {
    struct out *list = c->ready_first;
    struct out *kept = NULL, **kept_last = &kept;
    bool blocked = false, more = false;
    c->ready_first = NULL;
    c->ready_last = &c->ready_first;
    while (list != NULL) {
        struct out *o = list;
        list = o->ready_next;
        o->ready = false;
        if (o->ended) {
            continue;
        }
        bool control = pump_control(o);
        if (control && data && !blocked && !o->ended && o->q.head != o->q.tail) {
            blocked = !pump_data(o);
            control = pump_control(o);
        }
        if (o->ended) {
            continue;
        }
        bool waits = !control || (o->q.head != o->q.tail && (o->demand > 0 || o->partial));
        if (waits) {
            o->ready = true;
            o->ready_next = NULL;
            if (data && !blocked && control) {
                more = true;
                *c->ready_last = o;
                c->ready_last = &o->ready_next;
            } else {
                *kept_last = o;
                kept_last = &o->ready_next;
            }
        }
    }
    if (kept != NULL) { /* those that had no turn come first next time */
        *kept_last = c->ready_first;
        if (c->ready_first == NULL) {
            c->ready_last = kept_last;
        }
        c->ready_first = kept;
    }
    return more && !blocked;
}

static void flush(netio_connection *c) {
    if (c->state == OPEN && c->s.framing == NETIO_STREAM) {
        pump_in_streams(c);
        pump_out_streams(c, false);
        while (c->pong_count > 0 && page_room(c, 12, false)) {
            put64(append_control(c, KIND_PONG, 8), c->pongs[0]);
            c->pongs[0] = c->pongs[1];
            c->pong_count--;
        }
        if (c->ping_due && page_room(c, 12, false)) {
            put64(append_control(c, KIND_PING, 8), c->ping);
            c->ping_due = false;
        }
        for (int rounds = 0; rounds < 64 && pump_out_streams(c, true); rounds++) {
        }
        if (c->page_at == SIZE_MAX && (c->owe_control >= 2 || (c->owe_data > 0 && c->peer_data <= c->s.data_pages / 2))) {
            page_room(c, 0, false);
        }
    }
    close_page(c);
    if (c->state != CONNECTING) {
        write_out(c);
    }
    bool all = c->out_head == c->out_tail;
    if (c->state == CLOSING && all && !c->out_shut && c->fd >= 0) {
        shutdown(c->fd, SHUT_WR);
        c->out_shut = true;
    }
    if (c->state == CLOSING && all && c->fab != NULL && fab_idle(c)) {
        connection_gone(c);
        return;
    }
    if (is_reading(c) || c->state == CLOSING) {
        watch(c, (c->stopped ? 0u : (uint32_t)EPOLLIN) | (all ? 0u : (uint32_t)EPOLLOUT));
    }
}

/* ---- Streams that are received ---- */

static void ctl(netio_stream *in) {
    netio_connection *c = in->c;
    if (!in->ctl) {
        in->ctl = true;
        in->ctl_next = NULL;
        *c->ctl_last = in;
        c->ctl_last = &in->ctl_next;
    }
    mark(c);
}

static void unlink_ctl(netio_stream *in) {
    netio_connection *c = in->c;
    for (netio_stream **link = &c->ctl_first; in->ctl && *link != NULL; link = &(*link)->ctl_next) {
        if (*link == in) {
            *link = in->ctl_next;
            if (*link == NULL) {
                c->ctl_last = link;
            }
            in->ctl = false;
            return;
        }
    }
}

static void in_drop_parts(netio_stream *in) {
    if (in->partial) {
        in->c->rx_reserved -= in->total;
        in->partial = false;
    }
    in->c->ctx->memory_used -= in->capacity;
    free(in->buffer);
    in->buffer = NULL;
    in->capacity = in->length = 0;
}

static void in_destroy(void *p) { free(p); }

/* The stream is over: tells it, and frees its number. */
static void in_end(netio_stream *in, int code, const char *text) {
    netio_connection *c = in->c;
    if (!in->open) {
        return;
    }
    in->open = false;
    in_drop_parts(in);
    unlink_ctl(in);
    if (in->id != 0) {
        c->ins[in->id] = NULL;
        c->ins_open--;
        if (in->id < c->ins_hint) {
            c->ins_hint = in->id;
        }
    } else if (!in->taken) { /* netio_receive() will tell */
        in->early_end = true;
        in->early_code = code;
        return;
    } else {
        c->in_zero = NULL;
    }
    if (in->role != ROLE_NONE) {
        request_stream_ended(in, code, text);
    } else if (in->events.end != NULL) {
        in->events.end(in->events.user, in, code, text);
    }
    discard(c->ctx, &in->garbage, in_destroy);
}

static netio_stream *in_new(netio_connection *c) {
    netio_stream *in = calloc(1, sizeof *in);
    if (in != NULL) {
        in->c = c;
        in->open = true;
        in->role = ROLE_NONE;
    }
    return in;
}

static netio_stream *subscribe(netio_connection *c, const netio_tags *tags, enum netio_policy policy) {
    if (c->state != OPEN || c->s.framing != NETIO_STREAM || !tags_valid(tags) || (unsigned)policy > NETIO_POLICY_FAIL) {
        errno = EINVAL;
        return NULL;
    }
    if (c->ins_open >= c->peer.streams) {
        errno = EMFILE;
        return NULL;
    }
    uint32_t id = c->ins_hint < 1 ? 1 : c->ins_hint;
    while (id < c->ins_capacity && c->ins[id] != NULL) {
        id++;
    }
    if (id >= c->ins_capacity) {
        uint32_t capacity = c->ins_capacity == 0 ? 16 : c->ins_capacity * 2;
        netio_stream **grown = realloc(c->ins, capacity * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        memset(grown + c->ins_capacity, 0, (capacity - c->ins_capacity) * sizeof *grown);
        c->ins = grown;
        c->ins_capacity = capacity;
    }
    netio_stream *in = in_new(c);
    if (in == NULL) {
        return NULL;
    }
    in->id = id;
    in->tags = *tags;
    in->policy = policy;
    in->subscribe = true;
    c->ins[id] = in;
    c->ins_open++;
    c->ins_hint = id + 1;
    ctl(in);
    return in;
}

netio_stream *netio_subscribe(netio_connection *c, const netio_tags *tags, enum netio_policy policy,
        const netio_stream_events *events) {
    netio_stream *in = subscribe(c, tags, policy);
    if (in != NULL) {
        in->taken = true;
        in->events = *events;
    }
    return in;
}

netio_stream *netio_receive(netio_connection *c, const netio_stream_events *events) {
    netio_stream *in = c->in_zero;
    if (c->state != OPEN || in == NULL || in->taken) {
        errno = EINVAL;
        return NULL;
    }
    in->taken = true;
    in->events = *events;
    mark(c); /* an end that has come already is told in the next turn */
    return in;
}

int netio_more(netio_stream *in, uint64_t n) {
    if (n == 0 || !in->open) {
        return n == 0 ? NETIO_INVALID : NETIO_CLOSED;
    }
    n = least(n, UNBOUNDED);
    if (in->c->s.framing != NETIO_STREAM) {
        in->granted = add_demand(in->granted, n);
        mark(in->c);
    } else if (!in->cancelled) {
        in->ask = add_demand(in->ask, n);
        ctl(in);
    }
    return NETIO_OK;
}

void netio_cancel(netio_stream *in) {
    if (in->open && !in->cancelled) {
        in->cancelled = true;
        in->ask = 0;
        if (in->c->s.framing == NETIO_STREAM) {
            in->cancel = true;
            ctl(in);
        } else {
            in->granted = 0;
        }
    }
}

static void deliver(netio_stream *in, const netio_message *m) {
    in->arrived++;
    if (in->cancelled) {
        return;
    }
    if (in->role != ROLE_NONE) {
        request_message(in, m);
    } else if (in->events.message != NULL) {
        in->events.message(in->events.user, in, m);
    }
}

/* Keeps a part. False if there is no memory for it, and then the connection has ended. */
static bool keep_part(netio_stream *in, const struct frame *f) {
    netio *ctx = in->c->ctx;
    size_t need = in->length + f->length;
    if (need > in->capacity) { /* grows with what has come, and not with what was announced */
        size_t capacity = least(need > in->capacity * 2 ? need : in->capacity * 2, in->total);
        uint8_t *grown = ctx->memory_used + (capacity - in->capacity) > ctx->memory ? NULL : realloc(in->buffer, capacity);
        if (grown == NULL) {
            end_connection(in->c, NETIO_LIMIT, "no memory for messages in parts", true);
            return false;
        }
        ctx->memory_used += capacity - in->capacity;
        in->buffer = grown;
        in->capacity = capacity;
    }
    copy(in->buffer + in->length, f->data, f->length);
    in->length = need;
    return true;
}

static void take_data(netio_connection *c, const struct frame *f) {
    netio_stream *in = f->stream == 0 ? c->in_zero : f->stream < c->ins_capacity ? c->ins[f->stream] : NULL;
    if (in == NULL || !in->open) {
        violate(c, "DATA for a stream that is not open");
        return;
    }
    bool first = (f->flags & FIRST) != 0;
    bool last = (f->flags & LAST) != 0;
    if (first == in->partial) {
        violate(c, first ? "a message begins within another" : "a part of no message");
        return;
    }
    if (first) {
        if (in->granted == 0) {
            violate(c, "DATA without demand");
            return;
        }
        if (f->total > c->s.message) {
            violate(c, "a message is larger than allowed");
            return;
        }
        in->granted -= in->granted == UNBOUNDED ? 0 : 1;
        netio_message m = {f->data, f->length, f->own_tag ? in->tags.tag : f->tag, f->status};
        if (last) {
            deliver(in, &m);
            return;
        }
        if (c->rx_reserved + f->total > c->s.budget) {
            violate(c, "messages in parts exceed the budget");
            return;
        }
        c->rx_reserved += f->total;
        in->partial = true;
        in->total = f->total;
        in->tag = m.tag;
        in->status = m.status;
        in->length = 0;
    } else if (f->length > in->total - in->length || last != (f->length == in->total - in->length)) {
        violate(c, "the parts of a message do not add up");
        return;
    }
    if (in->cancelled) { /* counted, not kept */
        in->length += f->length;
    } else if (!keep_part(in, f)) {
        return;
    }
    if (last) {
        netio_message m = {in->buffer, in->total, in->tag, in->status};
        in->partial = false;
        c->rx_reserved -= in->total;
        deliver(in, &m);
        in->length = 0;
        if (in->capacity > 1u << 20) {
            in_drop_parts(in);
        }
    }
}

/* ---- Tags that are served ---- */

static bool is_full(const struct out *o, size_t n) { return o->policy == NETIO_POLICY_WAIT && queue_full(o, n); }

static bool source_full(const netio_source *s, struct out *list, uint64_t tag, bool any, size_t n) {
    for (struct out *o = list; o != NULL; o = o->source_next) {
        if ((any || tags_have(&o->tags, tag)) && is_full(o, n)) {
            return true;
        }
    }
    (void)s;
    return false;
}

static uint32_t bucket(uint64_t tag) { return (uint32_t)(tag * 0x9e3779b97f4a7c15u >> 54); }

static int give(netio_source *s, struct out *o, uint64_t tag, uint8_t status, const void *data, size_t n) {
    bool large = n > o->c->peer.message || n > o->c->peer.budget;
    if (large || queue_full(o, n)) {
        if (!large && o->policy == NETIO_POLICY_FAIL) {
            out_end(o, NETIO_TOO_SLOW, "the subscriber is too slow", true);
            s->dropped++;
            return NETIO_OK;
        }
        s->dropped++;
        o->dropped += o->tell_numbers ? 0 : 1;
        make_ready(o);
        bool made_room = false;
        while (!large && o->policy == NETIO_POLICY_OLDEST && queue_full(o, n) && queue_drop_oldest(&o->q, o->partial)) {
            if (made_room) {
                s->dropped++;
                o->dropped += o->tell_numbers ? 0 : 1;
            }
            made_room = true;
        }
        if (!made_room || queue_full(o, n)) {
            o->offered++; /* a gap that the next message makes known */
            return large ? NETIO_TOO_LARGE : NETIO_OK;
        }
    }
    int result = offer(o, tag, status, data, n);
    if (result != NETIO_OK) {
        o->offered++;
        s->dropped++;
        o->dropped += o->tell_numbers ? 0 : 1;
        make_ready(o);
    }
    return NETIO_OK;
}

int netio_publish(netio_source *s, uint64_t tag, uint8_t status, const void *data, size_t n) {
    if (!tags_have(&s->tags, tag) || n > INT32_MAX) {
        return n > INT32_MAX ? NETIO_TOO_LARGE : NETIO_INVALID;
    }
    struct out *exact = s->exact == NULL ? NULL : s->exact[bucket(tag)];
    if (source_full(s, s->all, tag, false, n) || source_full(s, exact, tag, false, n)) {
        s->refused = true;
        return NETIO_NO_RESOURCES;
    }
    s->published++;
    bool any = false, large = false;
    for (int k = 0; k < 2; k++) {
        for (struct out *o = k == 0 ? s->all : exact, *next; o != NULL; o = next) {
            next = o->source_next;
            if (tags_have(&o->tags, tag)) {
                bool refused = give(s, o, tag, status, data, n) == NETIO_TOO_LARGE;
                large |= refused;
                any |= !refused;
            }
        }
    }
    return large && !any ? NETIO_TOO_LARGE : NETIO_OK;
}

static void source_join(netio_source *s, struct out *o) {
    struct out **list = s->exact != NULL && o->tags.kind == NETIO_EXACT ? &s->exact[bucket(o->tags.tag)] : &s->all;
    o->role = ROLE_SOURCE;
    o->source = s;
    o->source_next = *list;
    o->source_link = list;
    if (*list != NULL) {
        (*list)->source_link = &o->source_next;
    }
    *list = o;
    s->count++;
    if (o->policy == NETIO_POLICY_DEFAULT) {
        o->policy = s->s.policy;
    }
    o->limit = s->s.queue;
    o->limit_bytes = s->s.queue_bytes;
    o->base = s->published;
    if (tags_contain(&o->tags, &s->tags)) { /* else its messages would not be numbered without gaps */
        o->run = (o->c->mine.supported & o->c->peer.supported & FEATURE_RUN) != 0 ? s->run : 0;
        o->tell_numbers = o->run != 0;
        o->subscribed = true;
        make_ready(o);
    }
}

static bool out_serve(struct out *o) {
    if (request_subscribed(o)) {
        return true;
    }
    for (netio_source *s = o->c->ctx->sources; s != NULL; s = s->next) {
        if (tags_meet(&s->tags, &o->tags)) {
            source_join(s, o);
            return true;
        }
    }
    return false;
}

/* Serves the subscriptions that have waited. */
static void serve_waiting(netio *ctx, netio_connection *only) {
    for (netio_connection *c = ctx->connections; c != NULL; c = c->next) {
        for (uint32_t i = 0; c->outs != NULL && i <= c->outs_mask && (only == NULL || only == c); i++) {
            for (struct out *o = c->outs[i]; o != NULL; o = o->hash_next) {
                if (o->role == ROLE_WAITING && !o->ending) {
                    out_serve(o);
                }
            }
        }
    }
}

netio_source *netio_serve(netio *ctx, const netio_tags *tags, const netio_source_settings *settings) {
    if (!tags_valid(tags)) {
        errno = EINVAL;
        return NULL;
    }
    for (netio_source *s = ctx->sources; s != NULL; s = s->next) {
        if (tags_meet(&s->tags, tags)) {
            errno = EADDRINUSE;
            return NULL;
        }
    }
    netio_source *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    if (tags->kind != NETIO_EXACT && (s->exact = calloc(BUCKETS, sizeof *s->exact)) == NULL) {
        free(s);
        return NULL;
    }
    s->ctx = ctx;
    s->tags = *tags;
    if (settings != NULL) {
        s->s = *settings;
    }
    s->s.policy = s->s.policy == NETIO_POLICY_DEFAULT ? NETIO_POLICY_WAIT : s->s.policy;
    s->s.queue = s->s.queue == 0 ? 1024 : s->s.queue;
    s->s.queue_bytes = s->s.queue_bytes == 0 ? 16u << 20 : s->s.queue_bytes;
    s->run = random64();
    s->next = ctx->sources;
    s->link = &ctx->sources;
    if (s->next != NULL) {
        s->next->link = &s->next;
    }
    ctx->sources = s;
    serve_waiting(ctx, NULL);
    return s;
}

uint32_t netio_subscribers(const netio_source *s) { return s->count; }
uint64_t netio_dropped(const netio_source *s) { return s->dropped; }

static void source_destroy(void *p) {
    netio_source *s = p;
    free(s->exact);
    free(s);
}

void netio_source_end(netio_source *s, int code, const char *text) {
    while (s->all != NULL) {
        out_end(s->all, code, text, false);
    }
    for (uint32_t i = 0; s->exact != NULL && i < BUCKETS; i++) {
        while (s->exact[i] != NULL) {
            out_end(s->exact[i], code, text, false);
        }
    }
    *s->link = s->next;
    if (s->next != NULL) {
        s->next->link = s->link;
    }
    s->refused = false;
    discard(s->ctx, &s->garbage, source_destroy);
}

/* Calls `ready` of the sources that have refused a message and would not now. */
static void sources_ready(netio *ctx) {
    for (netio_source *s = ctx->sources, *next; s != NULL; s = next) {
        next = s->next;
        bool full = s->refused && source_full(s, s->all, 0, true, 0);
        for (uint32_t i = 0; s->refused && !full && s->exact != NULL && i < BUCKETS; i++) {
            full = source_full(s, s->exact[i], 0, true, 0);
        }
        if (s->refused && !full) {
            s->refused = false;
            if (s->s.ready != NULL) {
                s->s.ready(s->s.user, s);
                next = s->next; /* it may have ended itself or others, which are garbage with their links */
            }
        }
    }
}

/* ---- What the peer says ---- */

static void out_lost(struct out *o) {
    source_leave(o);
    if (o->role == ROLE_ANSWERS || o->role == ROLE_REQUESTS) {
        request_out_ended(o);
    }
}

static void take_subscribe(netio_connection *c, const struct frame *f) {
    if (*out_find(c, f->stream) != NULL) {
        violate(c, "SUBSCRIBE for a stream that is open");
        return;
    }
    if (c->outs_count >= c->s.streams) {
        violate(c, "more streams than allowed");
        return;
    }
    struct out *o = out_new(c, f->stream);
    if (o == NULL) {
        end_connection(c, NETIO_LIMIT, "no memory for a stream", true);
        return;
    }
    o->tags.kind = f->tags == 0 ? NETIO_EXACT : f->tags == 1 ? NETIO_RANGE : NETIO_MASK;
    o->tags.tag = f->tag;
    o->tags.second = f->second;
    o->policy = f->policy == 0 ? NETIO_POLICY_DEFAULT : (enum netio_policy)f->policy;
    o->role = ROLE_WAITING;
    *out_find(c, f->stream) = o;
    c->outs_count++;
    if (!out_serve(o)) {
        o->deadline = c->ctx->now + c->s.wait_ms;
        wake_at(c->ctx, o->deadline);
    }
}

static void take_end(netio_connection *c, const struct frame *f) {
    char text[TEXT + 1] = "";
    if (f->kind == KIND_ERROR) {
        copy(text, f->data, f->length);
        text[f->length] = 0;
        if (f->stream == CONNECTION_STREAM) {
            end_connection(c, f->code > INT32_MAX ? INT32_MAX : (int)f->code, text, false);
            return;
        }
    }
    netio_stream *in = f->stream == 0 ? c->in_zero : f->stream < c->ins_capacity ? c->ins[f->stream] : NULL;
    if (in == NULL || !in->open || (in->id != 0 && in->subscribe)) {
        violate(c, "an end of a stream that is not open");
    } else if (f->kind == KIND_ERROR) {
        in_end(in, f->code == 0 || f->code > INT32_MAX ? INT32_MAX : (int)f->code, text);
    } else if (in->partial) {
        violate(c, "COMPLETE within a message");
    } else if (f->n != in->arrived) {
        violate(c, "COMPLETE tells another number of messages than have come");
    } else {
        in_end(in, in->cancelled ? NETIO_CANCELLED : NETIO_COMPLETE, "");
    }
}

/* SUBSCRIBED, DROPPED, QUEUED. */
static void take_news(netio_connection *c, const struct frame *f) {
    netio_stream *in = f->stream == 0 ? c->in_zero : f->stream < c->ins_capacity ? c->ins[f->stream] : NULL;
    if (in == NULL || !in->open || in->cancelled) {
        return;
    }
    netio_stream_events *e = &in->events;
    if (f->kind == KIND_SUBSCRIBED && e->subscribed != NULL) {
        e->subscribed(e->user, in, f->n, f->run);
    } else if (f->kind == KIND_DROPPED && e->dropped != NULL) {
        e->dropped(e->user, in, f->n);
    } else if (f->kind == KIND_QUEUED && e->queued != NULL) {
        e->queued(e->user, in, (uint32_t)f->n, f->code);
    }
}

static void take_frame(netio_connection *c, const struct frame *f) {
    struct out *o;
    switch (f->kind) {
    case KIND_DATA: take_data(c, f); break;
    case KIND_SUBSCRIBE: take_subscribe(c, f); break;
    case KIND_REQUEST:
    case KIND_CANCEL:
        o = f->stream == 0 ? c->zero : *out_find(c, f->stream);
        if (o == NULL || o->ended) {
            break; /* it may have crossed the end */
        }
        if (f->kind == KIND_REQUEST) {
            o->demand = add_demand(o->demand, f->n);
            make_ready(o);
            request_demand(o);
        } else {
            bool zero = o == c->zero && !o->ending;
            out_lost(o);
            out_end(o, NETIO_CANCELLED, "", true);
            if (zero && c->events.cancelled != NULL) {
                c->events.cancelled(c->events.user, c);
            }
        }
        break;
    case KIND_COMPLETE:
    case KIND_ERROR: take_end(c, f); break;
    case KIND_PING:
        if (c->pong_count < 2) {
            c->pong_count++;
        }
        c->pongs[c->pong_count - 1] = f->n;
        break;
    case KIND_PONG: request_pong(c, f->n); break;
    case KIND_SUBSCRIBED:
    case KIND_DROPPED:
    case KIND_QUEUED: take_news(c, f); break;
    default: break; /* unknown, and may be skipped */
    }
}

/* A page of n bytes, all of which are there. */
static void take_page(netio_connection *c, const uint8_t *page, size_t n) {
    struct reader r;
    struct frame f = {0};
    const char *wrong = reader_open(&r, page, n, c->crc);
    if (wrong == NULL) {
        if (r.data ? c->peer_data == 0 : c->peer_control == 0) {
            wrong = "a page without credit";
        } else if (c->tx_data + r.data_credits > c->peer.data || c->tx_control + r.control_credits > c->peer.control) {
            wrong = "more credits returned than are out";
        }
    }
    if (wrong != NULL) {
        violate(c, wrong);
        return;
    }
    if (r.data) {
        c->peer_data--;
    } else {
        c->peer_control--;
        c->owe_control++;
    }
    c->tx_data += r.data_credits;
    c->tx_control += r.control_credits;
    bool had_data = false;
    while (r.at < r.end && c->state == OPEN) {
        wrong = read_frame(&r, &f);
        if (wrong != NULL) {
            violate(c, wrong);
            return;
        }
        had_data |= f.kind == KIND_DATA;
        take_frame(c, &f);
    }
    c->owe_data += r.data ? 1 : 0;
    (void)had_data;
    mark(c);
}

/* RAW and PAGE. False if it has stopped for want of demand, and the page is not over. */
static bool take_plain(netio_connection *c, const uint8_t *page, size_t n) {
    netio_stream *in = c->in_zero;
    if (c->s.framing == NETIO_RAW) {
        if (in == NULL || in->granted == 0) {
            return false;
        }
        in->granted -= in->granted == UNBOUNDED ? 0 : 1;
        netio_message m = {page, n, 0, 0};
        deliver(in, &m);
        return true;
    }
    if (c->page.end != page + n) {
        c->page = (struct page_reader){page, page + n, false, 0};
    }
    while (c->page.at < c->page.end && c->state == OPEN) {
        if (in->granted == 0) {
            return false;
        }
        netio_message m;
        const char *wrong = read_message(&c->page, &m);
        if (wrong != NULL) {
            violate(c, wrong);
            return true;
        }
        if (m.length > c->s.message) {
            violate(c, "a message is larger than allowed");
            return true;
        }
        in->granted -= in->granted == UNBOUNDED ? 0 : 1;
        deliver(in, &m);
    }
    c->page.end = NULL;
    return true;
}

static void connection_open(netio_connection *c) {
    c->state = OPEN;
    c->deadline = 0;
    if (c->mine.keepalive != 0 || c->peer.keepalive != 0) {
        wake_at(c->ctx, c->ctx->now);
    }
    if (c->events.connected != NULL) {
        c->events.connected(c->events.user, c);
    }
    mark(c);
}

/* Compares the peer's handshake with this side's. Returns what is wrong. */
static const char *agree(netio_connection *c) {
    const char *wrong = read_handshake(c->in + c->in_head, HANDSHAKE, &c->peer);
    const struct handshake *p = &c->peer;
    if (wrong == NULL) {
        wrong = ((p->required ^ c->mine.required) & FEATURE_TLS) != 0 ? "one side only has TLS: both need it, or none"
                : ((p->required ^ c->mine.required) & FEATURE_ACCESS) != 0
                ? "one side only wants to know who connects: set name and secret for a listener that asks"
                : p->role == c->mine.role ? "both sides connect, or both accept"
                : p->framing != NETIO_STREAM ? "the framings differ"
                : (p->required & ~c->mine.supported) != 0 ? "the peer requires a feature that is not supported here"
                : (c->mine.required & ~p->supported) != 0 ? "the peer does not support a feature that is required here" : NULL;
    }
    if (wrong != NULL) {
        return wrong;
    }
    c->crc = ((p->required | c->mine.required) & FEATURE_CRC) != 0;
    c->page_header = c->crc ? 8 : 4;
    c->page_limit = (size_t)least(p->page, c->s.page);
    c->tx_data = p->data;
    c->tx_control = p->control;
    c->peer_data = c->s.data_pages;
    c->peer_control = c->s.control_pages;
    c->zero->limit_bytes = c->s.send_bytes;
    return NULL;
}

/* Both sides have agreed on how they talk. */
static void meet(netio_connection *c) {
    if (c->access != NULL) {
        c->state = PROVING;
    } else {
        connection_open(c);
    }
}

static void take_handshake(netio_connection *c) {
    const char *wrong = agree(c);
    if (wrong != NULL) {
        end_connection(c, NETIO_LOST, wrong, false);
        return;
    }
    const uint8_t *said = c->in + c->in_head;
    c->in_head += HANDSHAKE;
    if (c->access != NULL) {
        copy(c->access->peer, said, HANDSHAKE);
    }
    if (c->tls == NULL) {
        meet(c);
        return;
    }
    tls_met(c, said);
    c->state = SEALING;
    wrong = c->accepted ? NULL : tls_shake(c);
    if (wrong != NULL) {
        end_connection(c, NETIO_LOST, wrong, false);
    }
}

/* Takes a message of the exchange that is between the handshakes and the first page. */
static void take_access(netio_connection *c, const uint8_t *p, size_t n) {
    uint8_t own[HANDSHAKE], answer[2 + 256 + NONCE + PROOF];
    size_t length = 0;
    bool accepted = false;
    write_handshake(own, &c->mine);
    const char *wrong = access_take(c->access, own, p, n, answer, &length, &accepted);
    if (wrong != NULL) {
        end_connection(c, NETIO_LOST, wrong, false);
    } else if (length > 0) {
        size_t at = c->out_tail; /* there is room: nothing but handshakes was said before */
        put32(append(c, PREFIX), (uint32_t)length);
        copy(append(c, length), answer, length);
        if (c->tls != NULL && !tls_seal_last(c, at, 0)) {
            end_connection(c, NETIO_LOST, "the proof could not be sealed", false);
        }
        mark(c);
    } else if (accepted) {
        connection_open(c);
    }
}

/* Opens a sealed message, and takes what it has. */
static void take_sealed(netio_connection *c, const uint8_t *p, size_t n) {
    bool before = tls_is_greeted(c);
    size_t length;
    const char *wrong = tls_take(c, p, n, &length);
    if (wrong != NULL) {
        end_connection(c, NETIO_LOST, wrong, false);
        return;
    }
    if (!before && tls_is_greeted(c)) {
        meet(c);
    } else if (length > 0 && c->state == PROVING) {
        take_access(c, tls_content(c), length);
    } else if (length > 0) {
        take_page(c, tls_content(c), length);
    }
    if (tls_is_ended(c) && c->state != CLOSING && c->state != DEAD) {
        end_connection(c, NETIO_LOST, "the peer has closed", false);
    }
}

/* Takes what has been read, as far as it is whole. */
static void process(netio_connection *c) {
    bool stopped = false;
    if (c->fab != NULL) {
        fab_process(c);
        return;
    }
    while (is_reading(c) && !stopped) {
        size_t n = c->in_tail - c->in_head;
        const uint8_t *p = c->in + c->in_head;
        if (c->state == SHAKING) {
            if (n >= 4 && get32(p) != 0xff4f494e) {
                end_connection(c, NETIO_LOST, "the peer does not speak this protocol", false);
            } else if (n < HANDSHAKE) {
                break;
            } else {
                take_handshake(c);
            }
            continue;
        }
        if (n < PREFIX) {
            break;
        }
        uint32_t length = get32(p);
        if (c->tls != NULL) {
            if (length > sealed_size(c->s.page)) {
                end_connection(c, NETIO_LOST, "a sealed message is larger than allowed", false);
            } else if (n - PREFIX < length) {
                break;
            } else {
                c->in_head += PREFIX + length;
                take_sealed(c, p + PREFIX, length);
            }
            continue;
        }
        if (c->state == PROVING) {
            if (length > ACCESS_MOST) {
                end_connection(c, NETIO_LOST, "the peer broke the rules before it was known who connects", false);
            } else if (n - PREFIX < length) {
                break;
            } else {
                c->in_head += PREFIX + length;
                take_access(c, p + PREFIX, length);
            }
            continue;
        }
        if (length > c->s.page) {
            violate(c, length == 0xff4f494e ? "the peer speaks STREAM" : "a page is larger than allowed");
            break;
        }
        if (n - PREFIX < length) {
            break;
        }
        if (c->s.framing == NETIO_STREAM) {
            take_page(c, p + PREFIX, length);
        } else {
            stopped = !take_plain(c, p + PREFIX, length);
        }
        c->in_head += stopped ? 0 : PREFIX + length;
    }
    c->stopped = stopped;
    if (c->in_head == c->in_tail) {
        c->in_head = c->in_tail = 0;
    } else if (c->in_head > 0 && !stopped) {
        memmove(c->in, c->in + c->in_head, c->in_tail - c->in_head);
        c->in_tail -= c->in_head;
        c->in_head = 0;
    }
}

/* The peer sends no more. All that it has sent is taken, or with an error of the socket is lost. */
static void peer_closed(netio_connection *c, bool orderly, const char *text) {
    c->eof = true;
    if (c->s.framing != NETIO_STREAM && orderly && c->in_zero != NULL) {
        in_end(c->in_zero, c->in_zero->cancelled ? NETIO_CANCELLED : NETIO_COMPLETE, "");
    }
    end_connection(c, NETIO_LOST, text, false);
}

static void read_socket(netio_connection *c) {
    for (int rounds = 0; rounds < 4 && is_reading(c) && !c->stopped; rounds++) {
        ssize_t n = recv(c->fd, c->in + c->in_tail, c->in_capacity - c->in_tail, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        }
        if (n <= 0) {
            peer_closed(c, n == 0 && c->in_head == c->in_tail, n != 0 ? strerror(errno)
                    : c->tls != NULL ? "the connection was cut off: what came last may be missing" : "the peer has closed");
            return;
        }
        bool full = c->in_tail + (size_t)n == c->in_capacity;
        c->in_tail += (size_t)n;
        c->last_in = c->ctx->now;
        process(c);
        if (c->stopped) {
            mark(c);
        }
        if (!full) {
            return;
        }
    }
}

/* ---- Connections ---- */

void netio_settings_default(netio_settings *s) {
    *s = (netio_settings){.framing = NETIO_STREAM, .page = 61440, .data_pages = 28, .control_pages = 8, .message = 64u << 20,
        .streams = 4096, .budget = 128u << 20, .keepalive_ms = 15000, .send_bytes = 16u << 10, .handshake_ms = 10000,
        .wait_ms = 1000, .accepted = 1024};
}

static bool settings_valid(const netio_settings *s) {
    return (unsigned)s->framing <= NETIO_STREAM && s->page >= (s->framing == NETIO_STREAM ? 1024 : 16) && s->page <= 16777216
            && s->data_pages >= 1 && s->data_pages <= 65535 && s->control_pages >= 3 && s->control_pages <= 255 && s->message >= 1
            && s->message <= INT32_MAX && s->streams <= 1u << 24 && s->budget >= s->message && s->budget <= UNBOUNDED
            && (s->keepalive_ms == 0 || (s->keepalive_ms >= 10 && s->keepalive_ms <= 3600000))
            && (s->tls == NULL || (TLS && s->framing == NETIO_STREAM && s->provider == NULL))
            && (s->name == NULL || (s->framing == NETIO_STREAM && s->provider == NULL && s->name[0] != 0
            && strlen(s->name) <= 255 && utf8_valid((const uint8_t *)s->name, strlen(s->name)) && s->secret != NULL
            && s->secret_length >= 16));
}

static void connection_free(void *p) {
    netio_connection *c = p;
    if (c->in_zero != NULL) {
        free(c->in_zero);
    }
    if (c->zero != NULL) {
        out_destroy(c->zero);
    }
    fab_free(c);
    tls_free(c);
    if (c->access != NULL) {
        explicit_bzero(c->access, sizeof *c->access);
        free(c->access);
    }
    free(c->in);
    free(c->out);
    free(c->outs);
    free(c->ins);
    free(c);
}

static netio_connection *connection_new(netio *ctx, int fd, const netio_settings *s, const netio_connection_events *events,
        bool accepted) {
    netio_connection *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->ctx = ctx;
    c->s = *s;
    if (events != NULL) {
        c->events = *events;
    }
    c->fd = fd;
    c->accepted = accepted;
    c->state = accepted ? SHAKING : CONNECTING;
    c->page_at = SIZE_MAX;
    c->page_limit = s->page;
    c->ready_last = &c->ready_first;
    c->ctl_last = &c->ctl_first;
    size_t page = PREFIX + (s->tls != NULL ? sealed_size(s->page) : (size_t)s->page);
    c->in_capacity = page * 2 < NETIO_BUFFER ? NETIO_BUFFER : page * 2;
    c->out_capacity = page * 4 < NETIO_BUFFER ? NETIO_BUFFER : page * 4;
    c->outs_mask = s->streams < 64 ? 63 : s->streams < 4096 ? 1023 : 4095;
    if (s->name != NULL && !accepted) {
        c->access = calloc(1, sizeof *c->access);
        if (c->access == NULL) {
            free(c);
            return NULL;
        }
        snprintf(c->access->name, sizeof c->access->name, "%s", s->name);
        access_key(c->access, s->secret, s->secret_length);
    }
    c->s.name = NULL; /* the user's, who may free both now */
    c->s.secret = NULL;
    if (s->tls != NULL && !tls_new(c)) {
        connection_free(c);
        return NULL;
    }
    c->in = malloc(c->in_capacity);
    c->out = malloc(c->out_capacity);
    c->outs = calloc(c->outs_mask + 1u, sizeof *c->outs);
    c->zero = out_new(c, 0);
    c->in_zero = in_new(c);
    if (c->in == NULL || c->out == NULL || c->outs == NULL || c->zero == NULL || c->in_zero == NULL) {
        connection_free(c);
        return NULL;
    }
    c->zero->role = ROLE_ZERO;
    uint32_t shows = (c->access != NULL ? FEATURE_ACCESS : 0) | (c->tls != NULL ? FEATURE_TLS : 0);
    c->mine = (struct handshake){.lowest = 1, .highest = 1, .framing = NETIO_STREAM, .role = accepted ? 2 : 1,
        .supported = FEATURES | shows, .required = (s->checksums ? FEATURE_CRC : 0) | shows, .page = s->page,
        .data = s->data_pages, .control = s->control_pages,
        .message = s->message, .streams = s->streams, .budget = s->budget, .keepalive = s->keepalive_ms};
    if (s->framing == NETIO_STREAM) {
        write_handshake(c->out, &c->mine);
        c->out_tail = HANDSHAKE;
    }
    c->last_in = c->last_out = ctx->now = now_ms();
    c->deadline = ctx->now + s->handshake_ms;
    wake_at(ctx, c->deadline);
    c->next = ctx->connections;
    c->link = &ctx->connections;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    ctx->connections = c;
    if (fd >= 0) {
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event e = {.events = accepted ? EPOLLIN : EPOLLOUT, .data.ptr = c};
        epoll_ctl(ctx->epoll, EPOLL_CTL_ADD, fd, &e);
        c->epoll_events = e.events;
    }
    mark(c);
    return c;
}

/* Nothing is left of it but memory, which goes at the end of the turn. */
static void connection_gone(netio_connection *c) {
    if (c->state != DEAD) {
        c->state = DEAD;
        if (c->fd >= 0) {
            close(c->fd);
        }
        fab_close(c);
        *c->link = c->next;
        if (c->next != NULL) {
            c->next->link = c->link;
        }
        for (netio_connection **d = &c->ctx->dirty; *d != NULL; d = &(*d)->dirty_next) {
            if (*d == c) {
                *d = c->dirty_next;
                break;
            }
        }
        if (c->listener != NULL) {
            c->listener->connections--;
        }
        discard(c->ctx, &c->garbage, connection_free);
    }
}

static void end_connection(netio_connection *c, int code, const char *text, bool tell) {
    enum state before = c->state;
    if (before == CLOSING || before == DEAD) {
        return;
    }
    snprintf(c->text, sizeof c->text, "%s", text == NULL ? "" : text);
    if (tell && before == OPEN && c->s.framing == NETIO_STREAM && code > 0) {
        if (page_room(c, 12 + TEXT, false)) {
            append_error(c, CONNECTION_STREAM, (uint32_t)code, c->text);
        }
    }
    if (c->fab != NULL && before == OPEN && c->s.framing == NETIO_STREAM) {
        page_room(c, 0, false); /* at least credits, so that the peer acknowledges a last page */
    }
    close_page(c);
    if (c->tls != NULL && before > SHAKING) {
        tls_end(c);
    }
    c->state = CLOSING;
    c->stopped = false;
    c->ready_first = NULL;
    c->ready_last = &c->ready_first;
    for (uint32_t i = 0; i <= c->outs_mask; i++) {
        while (c->outs[i] != NULL) {
            struct out *o = c->outs[i];
            source_leave(o);
            out_remove(o);
        }
    }
    c->zero->ended = true;
    requests_lost(c);
    for (uint32_t i = 1; i < c->ins_capacity; i++) {
        if (c->ins[i] != NULL) {
            in_end(c->ins[i], NETIO_LOST, c->text);
        }
    }
    if (c->in_zero != NULL && c->in_zero->taken) {
        in_end(c->in_zero, c->in_zero->cancelled && c->s.framing != NETIO_STREAM ? NETIO_CANCELLED : NETIO_LOST, c->text);
    }
    if (c->events.closed != NULL) {
        c->events.closed(c->events.user, c, code, c->text);
    }
    if (before == CONNECTING || c->eof || (c->fd < 0 && c->fab == NULL)) {
        connection_gone(c);
        return;
    }
    c->deadline = c->ctx->now + LINGER_MS;
    wake_at(c->ctx, c->deadline);
    mark(c);
}

void netio_close(netio_connection *c, int code, const char *text) {
    if (c->state == OPEN && code != 0) {
        flush(c); /* what was accepted goes first, as far as it can */
    }
    end_connection(c, code, text, code != 0);
}

void netio_connection_set_user(netio_connection *c, void *user) { c->user = user; }
void *netio_connection_user(const netio_connection *c) { return c->user; }
enum netio_framing netio_framing_of(const netio_connection *c) { return c->s.framing; }
bool netio_has_headers(const netio_connection *c) { return (c->mine.supported & c->peer.supported & FEATURE_HEADERS) != 0; }

static int send_plain(netio_connection *c, uint64_t tag, uint8_t status, const void *data, size_t n) {
    bool page = c->s.framing == NETIO_PAGE;
    size_t header = page ? 4u + 8u + (status != 0 ? 1u : 0u) : 0u;
    if (n + header > c->s.page || n > 0x3fffffff) {
        return NETIO_TOO_LARGE;
    }
    if (c->page_at != SIZE_MAX && (!page || page_left(c) < n + header)) {
        close_page(c);
    }
    bool opened = c->page_at == SIZE_MAX;
    if (opened) {
        if (!room_after_writing(c, PREFIX + c->page_limit)) {
            c->send_refused = true;
            return NETIO_NO_RESOURCES;
        }
        c->page_at = c->out_tail;
        c->out_tail += PREFIX;
    }
    if (page) {
        bool tagged = opened || tag != c->page_tag;
        put32(append(c, 4), (uint32_t)n | (status != 0 ? 1u << 30 : 0) | (tagged ? 1u << 31 : 0));
        if (status != 0) {
            *append(c, 1) = status;
        }
        if (tagged) {
            put64(append(c, 8), tag);
        }
        c->page_tag = tag;
    }
    copy(append(c, n), data, n);
    if (!page) {
        close_page(c);
    }
    mark(c);
    return NETIO_OK;
}

int netio_send(netio_connection *c, uint64_t tag, uint8_t status, const void *data, size_t n) {
    if (c->state != OPEN || c->zero->ended || c->zero->ending) {
        return NETIO_CLOSED;
    }
    if (c->s.framing != NETIO_STREAM) {
        return send_plain(c, tag, status, data, n);
    }
    struct out *o = c->zero;
    if (n > c->peer.message || n > INT32_MAX) {
        return NETIO_TOO_LARGE;
    }
    if (o->demand <= o->q.count - (o->partial ? 1u : 0u) || queue_full(o, n)) {
        c->send_refused = true;
        return NETIO_NO_RESOURCES;
    }
    return offer(o, tag, status, data, n);
}

uint64_t netio_send_waiting(const netio_connection *c) { return c->zero->q.count; }

int netio_send_end(netio_connection *c, int code, const char *text) {
    if (c->state != OPEN || c->zero->ended || c->zero->ending) {
        return NETIO_CLOSED;
    }
    if (c->s.framing != NETIO_STREAM) {
        end_connection(c, NETIO_COMPLETE, text, false);
    } else {
        out_end(c->zero, code, text, false);
    }
    return NETIO_OK;
}

static bool send_ready(const netio_connection *c) {
    const struct out *o = c->zero;
    if (c->s.framing != NETIO_STREAM) {
        return c->out_capacity - (c->out_tail - c->out_head) >= PREFIX + c->page_limit;
    }
    return !o->ending && !o->ended && o->demand > o->q.count && (o->q.count == 0 || o->q.payload < o->limit_bytes / 2);
}

/* ---- Requests and answers ---- */

struct call {
    uint64_t number, deadline; /* 0: none */
    bool used, cancelled;
    bool owed; /* its CANCEL has come, which gives demand with the answer: it is worked on until then */
};

struct netio_requester {
    struct garbage garbage;
    netio_requester *next;
    netio_connection *c;
    uint64_t tag, sequence;
    netio_requester_settings s;
    struct out *out;       /* the responder's subscription to the requests */
    netio_stream *answers; /* our subscription to the answers */
    struct call *calls;
    uint32_t open, uncancelled;
    bool refused;
};

struct netio_responder {
    struct garbage garbage;
    netio_responder *next;
    netio_connection *c;
    uint64_t tag, ping, retry_at;
    netio_responder_settings s;
    struct out *out;
    netio_stream *requests;
    struct call *calls;
    bool ended;
};

static void requester_subscribe(netio_requester *q) {
    netio_tags tags = {NETIO_EXACT, q->tag, 0};
    if (q->answers == NULL && (q->answers = subscribe(q->c, &tags, NETIO_POLICY_DEFAULT)) != NULL) {
        q->answers->taken = true;
        q->answers->role = ROLE_ANSWERS;
        q->answers->requester = q;
    }
}

static void responder_subscribe(netio_responder *p) {
    netio_tags tags = {NETIO_EXACT, p->tag, 0};
    p->retry_at = 0;
    if (p->requests == NULL && (p->requests = subscribe(p->c, &tags, NETIO_POLICY_DEFAULT)) != NULL) {
        p->requests->taken = true;
        p->requests->role = ROLE_REQUESTS;
        p->requests->responder = p;
        netio_more(p->requests, 2 * (uint64_t)p->s.concurrency);
    }
}

/* All requests under way get this status. */
static void fail_calls(netio_requester *q, int status) {
    for (uint32_t i = 0; i < q->s.parallel; i++) {
        if (q->calls[i].used) {
            q->calls[i].used = false;
            q->open--;
            q->uncancelled -= q->calls[i].cancelled ? 0 : 1;
            if (q->s.answer != NULL) {
                q->s.answer(q->s.user, q, q->calls[i].number, status, NULL, 0);
            }
        }
    }
}

/* A responder forgets what it works on: nobody waits for it any more. */
static void drop_calls(netio_responder *p) {
    for (uint32_t i = 0; i < p->s.concurrency; i++) {
        if (p->calls[i].used) {
            p->calls[i].used = false;
            if (p->s.cancelled != NULL && !p->calls[i].cancelled) {
                p->s.cancelled(p->s.user, p, p->calls[i].number);
            }
        }
    }
}

/* Whether the subscription is one to requests or to answers; then it is served. */
static bool request_subscribed(struct out *o) {
    netio_connection *c = o->c;
    if (o->tags.kind != NETIO_EXACT) {
        return false;
    }
    for (netio_responder *p = c->responders; p != NULL; p = p->next) {
        if (p->tag == o->tags.tag && p->ended) { /* it came before our PING was answered */
            o->role = ROLE_NONE;
            out_end(o, NETIO_COMPLETE, "", false);
            return true;
        }
        if (p->tag == o->tags.tag && p->out == NULL) {
            o->role = ROLE_ANSWERS;
            o->responder = p;
            o->limit_bytes = UINT64_MAX;
            p->out = o;
            responder_subscribe(p);
            return true;
        }
    }
    for (netio_requester *q = c->requesters; q != NULL; q = q->next) {
        if (q->tag == o->tags.tag && q->out == NULL) {
            o->role = ROLE_REQUESTS;
            o->requester = q;
            q->out = o;
            requester_subscribe(q);
            return true;
        }
    }
    return false;
}

static bool request_possible(const netio_requester *q) {
    return q->out != NULL && !q->out->ending && q->answers != NULL && q->answers->open && q->open < q->s.parallel
            && q->out->demand >= (uint64_t)q->uncancelled + 2 + q->out->q.count && !queue_full(q->out, 0);
}

static void request_demand(struct out *o) {
    if (o->role == ROLE_REQUESTS && o->offered == 0 && o->demand < 2) {
        o->requester->out = NULL; /* that is the peer's requester: both wait for answers */
        o->role = ROLE_NONE;
        out_end(o, NETIO_NOT_SERVED, "both sides request", true);
    }
}

/* A subscription to our requests or to our answers is over. */
static void request_out_ended(struct out *o) {
    if (o->role == ROLE_ANSWERS) {
        o->responder->out = NULL;
        drop_calls(o->responder);
    } else {
        o->requester->out = NULL;
    }
    o->role = ROLE_NONE;
}

/* A stream of answers or of requests that this side receives is over. */
static void request_stream_ended(netio_stream *in, int code, const char *text) {
    (void)text;
    if (in->role == ROLE_ANSWERS) {
        netio_requester *q = in->requester;
        q->answers = NULL;
        fail_calls(q, code == NETIO_LOST ? NETIO_LOST : -100 - code);
        if (q->out != NULL && !q->out->ending && q->c->state == OPEN && code == NETIO_COMPLETE) {
            requester_subscribe(q); /* the responder is still there */
        }
    } else {
        netio_responder *p = in->responder;
        p->requests = NULL;
        drop_calls(p);
        if (!p->ended && p->c->state == OPEN) {
            p->retry_at = p->c->ctx->now + 100;
            wake_at(p->c->ctx, p->retry_at);
        }
    }
}

static int finish_call(netio_responder *p, struct call *call, int status, const void *data, size_t n) {
    if (p->out == NULL || p->out->ending) {
        call->used = false;
        return NETIO_CLOSED;
    }
    if (n > p->c->peer.message) {
        return NETIO_TOO_LARGE;
    }
    int result = offer(p->out, call->number, (uint8_t)status, data, n);
    if (result == NETIO_OK) {
        call->used = false;
        if (p->requests != NULL) {
            netio_more(p->requests, call->owed ? 2 : 1);
        }
    }
    return result;
}

static struct call *find_call(struct call *calls, uint32_t n, uint64_t number) {
    for (uint32_t i = 0; i < n; i++) {
        if (calls[i].used && calls[i].number == number) {
            return &calls[i];
        }
    }
    return NULL;
}

static void cancel_call(netio_responder *p, struct call *call) {
    call->deadline = 0;
    if (!call->cancelled) {
        call->cancelled = true;
        if (p->s.cancelled != NULL) {
            p->s.cancelled(p->s.user, p, call->number);
        }
    }
}

/* 1 to 19 digits of nanoseconds, or UINT64_MAX if it is none. */
static uint64_t timeout_of(const netio_header *h) {
    uint64_t v = 0;
    if (h->key_length != 13 || memcmp(h->key, "netio-timeout", 13) != 0 || h->value_length < 1 || h->value_length > 19) {
        return UINT64_MAX;
    }
    for (size_t i = 0; i < h->value_length; i++) {
        if (h->value[i] < '0' || h->value[i] > '9') {
            return UINT64_MAX;
        }
        v = v * 10 + (uint64_t)(h->value[i] - '0');
    }
    return v > UNBOUNDED ? UINT64_MAX : v;
}

static void take_request(netio_responder *p, const netio_message *m) {
    netio_header headers[MAX_HEADERS];
    size_t count = 0, used = 0;
    struct call *call = find_call(p->calls, p->s.concurrency, m->tag);
    if (m->status == 1) {
        if (call == NULL || call->owed) {
            netio_more(p->requests, 1);
        } else {
            call->owed = true;
            cancel_call(p, call);
        }
        return;
    }
    bool wrong = call != NULL || (m->status != 0 && (m->status != 6 || !netio_has_headers(p->c)))
            || (m->status == 6 && read_headers(m->data, m->length, headers, &count, &used) != NULL);
    for (uint32_t i = 0; i < p->s.concurrency && call == NULL; i++) {
        call = p->calls[i].used ? NULL : &p->calls[i];
    }
    if (wrong || call == NULL) {
        netio_cancel(p->requests);
        return;
    }
    *call = (struct call){.number = m->tag, .used = true};
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = timeout_of(&headers[i]);
        if (ns == 0) {
            finish_call(p, call, NETIO_ANSWER_CANCELLED, NULL, 0);
            return;
        }
        if (ns != UINT64_MAX) {
            call->deadline = p->c->ctx->now + ns / 1000000u + 1;
            wake_at(p->c->ctx, call->deadline);
        }
    }
    if (p->s.request != NULL) {
        p->s.request(p->s.user, p, m->tag, headers, count, (const uint8_t *)m->data + used, m->length - used);
    }
}

static void request_message(netio_stream *in, const netio_message *m) {
    if (in->role == ROLE_REQUESTS) {
        take_request(in->responder, m);
        return;
    }
    netio_requester *q = in->requester;
    struct call *call = &q->calls[m->tag % q->s.parallel];
    if (!call->used || call->number != m->tag || m->status < 2 || m->status > 5) {
        netio_cancel(in);
        return;
    }
    call->used = false;
    q->open--;
    q->uncancelled -= call->cancelled ? 0 : 1;
    mark(q->c);
    if (q->s.answer != NULL) {
        q->s.answer(q->s.user, q, m->tag, m->status, m->data, m->length);
    }
}

/* The connection is over. Their memory goes with the next collection, after the last callback. */
static void free_calls(void *p) {
    netio_requester *q = p;
    free(q->calls);
    free(q);
}

static void free_responder(void *p) {
    netio_responder *r = p;
    free(r->calls);
    free(r);
}

static void requests_lost(netio_connection *c) {
    for (netio_requester *q = c->requesters, *next; q != NULL; q = next) {
        next = q->next;
        q->out = NULL;
        fail_calls(q, NETIO_LOST);
        discard(c->ctx, &q->garbage, free_calls);
    }
    for (netio_responder *p = c->responders, *next; p != NULL; p = next) {
        next = p->next;
        p->out = NULL;
        p->ended = true;
        drop_calls(p);
        discard(c->ctx, &p->garbage, free_responder);
    }
    c->requesters = NULL;
    c->responders = NULL;
}

static void request_pong(netio_connection *c, uint64_t value) {
    for (netio_responder **link = &c->responders; *link != NULL;) {
        netio_responder *p = *link;
        if (p->ended && p->ping == value && p->requests == NULL) {
            *link = p->next;
            discard(c->ctx, &p->garbage, free_responder);
        } else {
            link = &p->next;
        }
    }
}

netio_requester *netio_requester_new(netio_connection *c, uint64_t tag, const netio_requester_settings *settings) {
    netio_requester *q = c->state == OPEN && c->s.framing == NETIO_STREAM ? calloc(1, sizeof *q) : NULL;
    if (q == NULL) {
        errno = c->state == OPEN ? ENOMEM : EINVAL;
        return NULL;
    }
    q->c = c;
    q->tag = tag;
    q->s = *settings;
    q->s.parallel = q->s.parallel == 0 ? 256 : q->s.parallel;
    q->calls = calloc(q->s.parallel, sizeof *q->calls);
    if (q->calls == NULL) {
        free(q);
        return NULL;
    }
    q->refused = true; /* so that `ready` tells when there is a responder */
    q->next = c->requesters;
    c->requesters = q;
    requester_subscribe(q);
    serve_waiting(c->ctx, c);
    return q;
}

int netio_request(netio_requester *q, const netio_header *headers, size_t header_count, const void *data, size_t n, uint64_t *number) {
    netio_connection *c = q->c;
    if (c->state != OPEN) {
        return NETIO_CLOSED;
    }
    if (n > c->peer.message) {
        return NETIO_TOO_LARGE;
    }
    if (!request_possible(q)) {
        q->refused = true;
        return NETIO_NO_RESOURCES;
    }
    if (add_demand(q->answers->granted, q->answers->ask) <= q->open) {
        netio_more(q->answers, 1);
    }
    pump_in_streams(c); /* the answer is asked for before the request is sent */
    if (q->answers->subscribe || q->answers->ask > 0) {
        q->refused = true;
        return NETIO_NO_RESOURCES;
    }
    uint64_t id = q->sequence;
    while (q->calls[id % q->s.parallel].used) {
        id++;
    }
    uint8_t *with = NULL;
    size_t size = 0;
    for (size_t i = 0; i < header_count; i++) {
        if (headers[i].key_length == 0 || headers[i].key_length > 255 || headers[i].value_length > 4096) {
            return NETIO_INVALID;
        }
        size += 3 + headers[i].key_length + headers[i].value_length;
    }
    if (size > 0 && size <= 4096 && header_count <= MAX_HEADERS && netio_has_headers(c) && 2 + size + n <= c->peer.message) {
        with = malloc(2 + size + n);
        if (with == NULL) {
            return NETIO_NO_MEMORY;
        }
        uint8_t *p = with;
        put16(p, (uint32_t)size);
        p += 2;
        for (size_t i = 0; i < header_count; i++) {
            *p++ = (uint8_t)headers[i].key_length;
            copy(p, headers[i].key, headers[i].key_length);
            p += headers[i].key_length;
            put16(p, (uint32_t)headers[i].value_length);
            copy(p + 2, headers[i].value, headers[i].value_length);
            p += 2 + headers[i].value_length;
        }
        copy(p, data, n);
        n += 2 + size;
    }
    int result = offer(q->out, id, with != NULL ? 6 : 0, with != NULL ? with : data, n);
    free(with);
    if (result == NETIO_OK) {
        q->calls[id % q->s.parallel] = (struct call){.number = id, .used = true};
        q->sequence = id + 1;
        q->open++;
        q->uncancelled++;
        if (number != NULL) {
            *number = id;
        }
    }
    return result;
}

int netio_request_cancel(netio_requester *q, uint64_t number) {
    struct call *call = &q->calls[number % q->s.parallel];
    if (!call->used || call->number != number) {
        return NETIO_INVALID;
    }
    if (call->cancelled || q->out == NULL || q->out->ending) {
        return NETIO_OK;
    }
    int result = offer(q->out, number, 1, NULL, 0);
    if (result == NETIO_OK) {
        call->cancelled = true;
        q->uncancelled--;
    }
    return result;
}

netio_responder *netio_respond(netio_connection *c, uint64_t tag, const netio_responder_settings *settings) {
    netio_responder *p = c->state == OPEN && c->s.framing == NETIO_STREAM ? calloc(1, sizeof *p) : NULL;
    if (p == NULL) {
        errno = c->state == OPEN ? ENOMEM : EINVAL;
        return NULL;
    }
    p->c = c;
    p->tag = tag;
    p->s = *settings;
    p->s.concurrency = p->s.concurrency == 0 ? 16 : p->s.concurrency;
    p->calls = calloc(p->s.concurrency, sizeof *p->calls);
    if (p->calls == NULL) {
        free(p);
        return NULL;
    }
    p->next = c->responders;
    c->responders = p;
    responder_subscribe(p);
    serve_waiting(c->ctx, c);
    return p;
}

int netio_answer(netio_responder *p, uint64_t number, int status, const void *data, size_t n) {
    struct call *call = p->ended ? NULL : find_call(p->calls, p->s.concurrency, number);
    if (call == NULL || status < NETIO_ANSWER || status > NETIO_ANSWER_CANCELLED) {
        return NETIO_INVALID;
    }
    if (status == NETIO_ANSWER_EMPTY || status == NETIO_ANSWER_CANCELLED) {
        n = 0;
    } else if (status == NETIO_ANSWER_FAILED && n > TEXT) {
        n = TEXT;
    }
    return finish_call(p, call, status, data, n);
}

void netio_responder_end(netio_responder *p) {
    netio_connection *c = p->c;
    if (p->ended) {
        return;
    }
    p->ended = true;
    for (uint32_t i = 0; i < p->s.concurrency; i++) {
        p->calls[i].used = false;
    }
    if (p->requests != NULL) {
        netio_cancel(p->requests);
    }
    if (p->out != NULL) {
        p->out->role = ROLE_NONE;
        out_end(p->out, NETIO_COMPLETE, "", false);
        p->out = NULL;
    }
    p->ping = c->ping = random64();
    c->ping_due = true; /* if another PING was due it is said with this value as well */
    for (netio_responder *other = c->responders; other != NULL; other = other->next) {
        if (other->ended) {
            other->ping = c->ping;
        }
    }
    mark(c);
}

/* ---- Timers ---- */

static void connection_timer(netio_connection *c) {
    netio *ctx = c->ctx;
    if (c->deadline != 0 && ctx->now >= c->deadline) {
        if (c->state == CLOSING) {
            if (c->fab != NULL && fab_lingers(c)) {
                wake_at(ctx, c->deadline);
            } else {
                connection_gone(c);
            }
            return;
        }
        if (c->state < OPEN) {
            end_connection(c, NETIO_LOST, "connecting took too long", false);
            return;
        }
    } else if (c->deadline != 0) {
        wake_at(ctx, c->deadline);
    }
    if (c->state != OPEN || c->s.framing != NETIO_STREAM) {
        return;
    }
    if (c->mine.keepalive != 0) {
        uint64_t at = c->last_out + c->mine.keepalive / 2;
        if (ctx->now >= at && !c->ping_due) {
            c->ping_due = true;
            mark(c);
            at = ctx->now + c->mine.keepalive / 2;
        }
        wake_at(ctx, at > ctx->now ? at : ctx->now + 5);
    }
    if (c->peer.keepalive != 0) {
        uint64_t at = c->last_in + 3 * (uint64_t)c->peer.keepalive;
        if (ctx->now >= at) {
            end_connection(c, NETIO_LOST, "nothing has come from the peer for long", false);
            return;
        }
        wake_at(ctx, at);
    }
    for (uint32_t i = 0; i <= c->outs_mask && c->outs_count > 0; i++) {
        for (struct out *o = c->outs[i]; o != NULL; o = o->hash_next) {
            if (o->role == ROLE_WAITING && !o->ending) {
                if (ctx->now >= o->deadline) {
                    out_end(o, NETIO_NOT_SERVED, "nobody serves these tags", true);
                } else {
                    wake_at(ctx, o->deadline);
                }
            }
        }
    }
    for (netio_responder *p = c->responders; p != NULL && c->state == OPEN; p = p->next) {
        if (p->retry_at != 0 && ctx->now >= p->retry_at) {
            responder_subscribe(p);
        } else if (p->retry_at != 0) {
            wake_at(ctx, p->retry_at);
        }
        for (uint32_t i = 0; i < p->s.concurrency && c->state == OPEN; i++) {
            struct call *call = &p->calls[i];
            if (call->used && call->deadline != 0 && ctx->now >= call->deadline) {
                cancel_call(p, call);
            } else if (call->used && call->deadline != 0) {
                wake_at(ctx, call->deadline);
            }
        }
    }
}

static void timers(netio *ctx) {
    if (ctx->now < ctx->timer_at) {
        return;
    }
    ctx->timer_at = UINT64_MAX;
    for (netio_connection *c = ctx->connections, *next; c != NULL; c = next) {
        next = c->next;
        connection_timer(c);
        if (next != NULL && next->state == DEAD) { /* a callback has closed it: the rest comes again at once */
            ctx->timer_at = ctx->now;
            break;
        }
    }
}

/* ---- Listening and connecting ---- */

static struct addrinfo *look_up(const char *host, uint16_t port, bool listen) {
    char service[8];
    struct addrinfo *found = NULL;
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
        .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST | (listen ? AI_PASSIVE : 0)};
    snprintf(service, sizeof service, "%u", (unsigned)port);
    if (getaddrinfo(host, service, &hints, &found) != 0) {
        hints.ai_flags &= ~AI_NUMERICHOST;
        if (getaddrinfo(host, service, &hints, &found) != 0) {
            errno = EADDRNOTAVAIL;
            return NULL;
        }
    }
    return found;
}

netio_listener *netio_listen(netio *ctx, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events) {
    if (!settings_valid(settings)) {
        errno = EINVAL;
        return NULL;
    }
    struct addrinfo *found = settings->provider != NULL ? NULL : look_up(host, port, true);
    int fd = -1;
    for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next) {
        int one = 1;
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd >= 0) {
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
            if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 1024) != 0) {
                int error = errno;
                close(fd);
                errno = error;
                fd = -1;
            }
        }
    }
    if (found != NULL) {
        freeaddrinfo(found);
    }
    netio_listener *l = fd < 0 && settings->provider == NULL ? NULL : calloc(1, sizeof *l);
    if (l == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    l->ctx = ctx;
    l->fd = fd;
    l->s = *settings;
    if (events != NULL) {
        l->events = *events;
    }
    if (settings->provider != NULL && !fab_listen(l, host, port)) {
        free(l);
        return NULL;
    }
    l->next = ctx->listeners;
    l->link = &ctx->listeners;
    if (l->next != NULL) {
        l->next->link = &l->next;
    }
    ctx->listeners = l;
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = (uint64_t)(uintptr_t)l | 1};
    if (fd >= 0) {
        epoll_ctl(ctx->epoll, EPOLL_CTL_ADD, fd, &e);
    }
    return l;
}

uint16_t netio_listener_port(const netio_listener *l) {
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    memset(&a, 0, sizeof a);
    if (l->fab != NULL) {
        fab_address(l, &a, &n);
    } else {
        getsockname(l->fd, (struct sockaddr *)(void *)&a, &n);
    }
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&a)->sin6_port
            : ((struct sockaddr_in *)(void *)&a)->sin_port);
}

void netio_listener_close(netio_listener *l) {
    if (l->closed) {
        return;
    }
    l->closed = true;
    if (l->fd >= 0) {
        close(l->fd);
    }
    fab_listener_close(l);
    *l->link = l->next;
    if (l->next != NULL) {
        l->next->link = l->link;
    }
    for (netio_connection *c = l->ctx->connections; c != NULL; c = c->next) {
        c->listener = c->listener == l ? NULL : c->listener;
    }
    discard(l->ctx, &l->garbage, free);
}

static void accept_all(netio_listener *l) {
    for (int i = 0; i < 64 && !l->closed; i++) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            return;
        }
        netio_connection *c = l->connections >= l->s.accepted ? NULL : connection_new(l->ctx, fd, &l->s, &l->events, true);
        if (c == NULL) {
            close(fd);
            continue;
        }
        c->listener = l;
        l->connections++;
        if (c->s.framing != NETIO_STREAM) {
            connection_open(c);
        }
    }
}

netio_connection *netio_connect(netio *ctx, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events) {
    if (!settings_valid(settings)) {
        errno = EINVAL;
        return NULL;
    }
    if (settings->provider != NULL) {
        return fab_connect(ctx, host, port, settings, events);
    }
    struct addrinfo *found = look_up(host, port, false);
    int fd = -1;
    for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0 && errno != EINPROGRESS) {
            int error = errno;
            close(fd);
            errno = error;
            fd = -1;
        }
    }
    if (found != NULL) {
        freeaddrinfo(found);
    }
    netio_connection *c = fd < 0 ? NULL : connection_new(ctx, fd, settings, events, false);
    if (c == NULL && fd >= 0) {
        close(fd);
    } else if (c != NULL && c->tls != NULL && !tls_host(c, host)) {
        connection_gone(c);
        errno = EINVAL;
        return NULL;
    }
    return c;
}

static void connected(netio_connection *c) {
    int error = 0;
    socklen_t n = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &n);
    if (error != 0) {
        end_connection(c, NETIO_LOST, strerror(error), false);
    } else if (c->s.framing != NETIO_STREAM) {
        watch(c, EPOLLIN);
        connection_open(c);
    } else {
        c->state = SHAKING;
        mark(c);
    }
}

#ifdef NETIO_TLS
#include "netio_tls.c"
#endif

#ifdef NETIO_LIBFABRIC
#include "netio_fabric.c"
#endif

/* ---- The loop ---- */

netio *netio_new(uint64_t memory) {
    netio *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL) {
        return NULL;
    }
    ctx->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (ctx->epoll < 0) {
        free(ctx);
        return NULL;
    }
    ctx->memory = memory == 0 ? 256u << 20 : memory;
    ctx->timer_at = UINT64_MAX;
    ctx->seed = random64();
    ctx->now = now_ms();
    (void)netio_crc32c(0, "", 0);
    return ctx;
}

void netio_free(netio *ctx) {
    if (ctx == NULL) {
        return;
    }
    for (netio_connection *c = ctx->connections, *next; c != NULL; c = next) {
        next = c->next;
        memset(&c->events, 0, sizeof c->events);
        for (uint32_t i = 0; i < c->ins_capacity; i++) {
            if (c->ins[i] != NULL) {
                memset(&c->ins[i]->events, 0, sizeof c->ins[i]->events);
            }
        }
        if (c->in_zero != NULL) {
            memset(&c->in_zero->events, 0, sizeof c->in_zero->events);
        }
        for (netio_requester *q = c->requesters; q != NULL; q = q->next) {
            q->s.answer = NULL;
        }
        for (netio_responder *p = c->responders; p != NULL; p = p->next) {
            p->s.cancelled = NULL;
        }
        c->eof = true;
        end_connection(c, NETIO_LOST, "", false);
        connection_gone(c);
    }
    while (ctx->sources != NULL) {
        netio_source_end(ctx->sources, NETIO_COMPLETE, "");
    }
    while (ctx->listeners != NULL) {
        netio_listener_close(ctx->listeners);
    }
    collect(ctx);
    fab_done(ctx);
    close(ctx->epoll);
    free(ctx);
}

int netio_fd(const netio *ctx) { return ctx->epoll; }

int netio_timeout(netio *ctx) {
    if (ctx->dirty != NULL || ctx->garbage != NULL) {
        return 0;
    }
    int timeout = -1;
    if (ctx->timer_at != UINT64_MAX) {
        uint64_t now = now_ms();
        timeout = now >= ctx->timer_at ? 0 : (int)least(ctx->timer_at - now, INT_MAX);
    }
    return timeout == 0 ? 0 : fab_timeout(ctx, timeout);
}

/* Flushes the connections that have something to send, and then tells who may send again. */
static void serve_dirty(netio *ctx) {
    netio_connection *list = ctx->dirty;
    ctx->dirty = NULL;
    while (list != NULL) {
        netio_connection *c = list;
        list = c->dirty_next;
        c->dirty = false;
        if (c->state == DEAD) {
            continue;
        }
        netio_stream *in = c->in_zero;
        if (c->state == OPEN && in != NULL && in->taken && in->early_end) {
            c->in_zero = NULL;
            if (in->events.end != NULL) {
                in->events.end(in->events.user, in, in->early_code, "");
            }
            discard(ctx, &in->garbage, in_destroy);
        }
        if (c->state == OPEN && c->stopped) {
            process(c);
        }
        if (c->state != DEAD) {
            flush(c);
        }
        if (c->state == OPEN && c->send_refused && send_ready(c)) {
            c->send_refused = false;
            if (c->events.ready != NULL) {
                c->events.ready(c->events.user, c);
            }
        }
        for (netio_requester *q = c->state == OPEN ? c->requesters : NULL; q != NULL && c->state == OPEN; q = q->next) {
            if (q->refused && request_possible(q)) {
                q->refused = false;
                if (q->s.ready != NULL) {
                    q->s.ready(q->s.user, q);
                }
            }
        }
    }
    sources_ready(ctx);
}

static int turn(netio *ctx, int timeout) {
    struct epoll_event events[64];
    int n = epoll_wait(ctx->epoll, events, 64, timeout);
    if (n < 0 && errno != EINTR) {
        return NETIO_SYSTEM;
    }
    ctx->now = now_ms();
    for (int i = 0; i < n; i++) {
        if ((events[i].data.u64 & 1) != 0) {
            accept_all((netio_listener *)(uintptr_t)(events[i].data.u64 & ~(uint64_t)1));
            continue;
        }
        if ((events[i].data.u64 & 2) != 0) { /* a queue of libfabric */
            *(uint32_t *)(uintptr_t)(events[i].data.u64 & ~(uint64_t)2) = 1;
            continue;
        }
        netio_connection *c = events[i].data.ptr;
        if (c->state == CONNECTING) {
            connected(c);
        } else if (c->state == CLOSING) {
            ssize_t got = recv(c->fd, c->in, c->in_capacity, 0);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                connection_gone(c);
            }
        } else if (c->state != DEAD && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
            if (c->stopped && (events[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
                end_connection(c, NETIO_LOST, "the peer has closed", false); /* nobody wants what it has brought */
            } else if (c->stopped) {
                mark(c); /* flush() sees to it that the socket is not watched for reading */
            } else {
                read_socket(c);
            }
        }
        if (c->state != DEAD && (events[i].events & EPOLLOUT) != 0) {
            mark(c);
        }
    }
    fab_poll(ctx);
    timers(ctx);
    for (int rounds = 0; ctx->dirty != NULL && rounds < 8; rounds++) {
        serve_dirty(ctx);
    }
    collect(ctx);
    return NETIO_OK;
}

int netio_turn(netio *ctx) { return turn(ctx, 0); }

int netio_run(netio *ctx, int timeout) {
    int own = netio_timeout(ctx);
    return turn(ctx, own >= 0 && (timeout < 0 || own < timeout) ? own : timeout);
}

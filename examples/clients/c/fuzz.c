/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds mutated pages and handshakes to a connection without a socket: fuzz [ITERATIONS [SEED [CORPUS]]]. The pages begin as those
 * of docs/wire-format.md, as pages that fit the connection's state, and as those of CORPUS, the directory of what the Java library's
 * fuzzing has found. To be built with -fsanitize=address,undefined.
 */
#define NETIO_BUFFER 8192u
#include "netio.c"
#include <dirent.h>

static uint64_t state;
static uint64_t sum, ends, delivered, closed;

static uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % n);
}

static const char *const seeds[] = {
    "030001020200000705000000686901000003210100001f090000002a00000000000000016101000003620100000709000000" "63",
    "000000020000001d0700000005000000ff0000000000000002020000006162030000026364" "65",
    "00000000180000c101000000000100002a000000000000000000000000000000180000c102000000010000001000000000000000"
    "1f00000000000000180000c103000000020300000012000000000000" "00ff0000000000000c0000c201000000ffffffffffffff7f040000c302000000",
    "000000000c0000c400000000e8030000000000000a0000c504000000020000006e6f080000c6010000000000" "00ff080000c701000000000000ff",
    "000000000c00008805000000" "40420f0000000000140000880600000002000000000000000d000000000000800c000089050000000300000000000000"
    "0c00008a05000000c800000000010000",
    "00000000030000b0010203040000c302000000",
    /* what fits: DATA on streams 0 and 1, in one part and in several, demand, a request, an answer, an end */
    "000001020200000700000000686901000007010000002105000003" "6162636465",
    "01000102010000050100000003000000" "61020000026263",
    "00000000180000c1090000000000000007000000000000000000000000000000" "0c0000c2090000000500000000000000",
    "00000000180000c10a0000000000000009000000000000000000000000000000" "0c0000c20a0000000900000000000000",
    "00000102020000" "0f000000000900000000000000686900000007020000000400001f0200000007000000000000000602000161",
    "000000000c0000c401000000" "0100000000000000080000c50000000002000000",
};

enum { MOST_SEEDS = 4096, SEED_SIZE = 1024, WORK = 2048 };
static uint8_t corpus[MOST_SEEDS][SEED_SIZE];
static size_t lengths[MOST_SEEDS];
static uint32_t seeds_count;
static uint8_t shakes[64][HANDSHAKE];
static uint32_t shakes_count;

static void seed_page(const uint8_t *head, size_t head_length, const uint8_t *p, size_t n) {
    if (seeds_count < MOST_SEEDS && head_length + n <= SEED_SIZE) {
        copy(corpus[seeds_count], head, head_length);
        copy(corpus[seeds_count] + head_length, p, n);
        lengths[seeds_count++] = head_length + n;
    }
}

/* A file of the corpus is a page, a handshake, what a request has in it, or pages behind a byte with their length. */
static void seed_file(const char *kind, const uint8_t *p, size_t n) {
    if (strcmp(kind, "handshake") == 0) {
        if (shakes_count < 64) {
            copy(shakes[shakes_count++], p, least(n, HANDSHAKE));
        }
    } else if (strcmp(kind, "request") == 0) {
        uint8_t head[] = {0, 0, 1, 2, 0, 0, 0, 7, 2, 0, 0, 0}; /* DATA of stream 2 */
        put32(head + 4, (uint32_t)n | 7u << 24);
        seed_page(head, sizeof head, p, n);
    } else if (strcmp(kind, "connection") == 0) {
        for (size_t at = 0; at < n;) {
            size_t length = least(p[at], n - at - 1);
            seed_page(p, 0, p + at + 1, length);
            at += 1 + length;
        }
    } else {
        seed_page(p, 0, p, n);
    }
}

static void seed_directory(const char *root) {
    static const char *const kinds[] = {"page", "stream", "connection", "request", "handshake"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", root, kinds[k]);
        DIR *directory = opendir(path);
        if (directory == NULL) {
            fprintf(stderr, "%s: %s\n", path, strerror(errno));
            exit(2);
        }
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            uint8_t bytes[SEED_SIZE];
            snprintf(path, sizeof path, "%s/%s/%s", root, kinds[k], entry->d_name);
            FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
            if (file != NULL) {
                seed_file(kinds[k], bytes, fread(bytes, 1, sizeof bytes, file));
                fclose(file);
            }
        }
        closedir(directory);
    }
}

static void on_message(void *user, netio_stream *in, const netio_message *m) {
    (void)user;
    for (size_t i = 0; i < m->length; i++) {
        sum += ((const uint8_t *)m->data)[i];
    }
    delivered++;
    netio_more(in, 1);
    if (below(50) == 0) {
        netio_cancel(in);
    }
}

static void on_end(void *user, netio_stream *in, int code, const char *text) {
    (void)user;
    (void)in;
    sum += (uint64_t)code + strlen(text);
    ends++;
}

static void on_request(void *user, netio_responder *r, uint64_t number, const netio_header *headers, size_t count, const void *data,
        size_t n) {
    (void)user;
    for (size_t i = 0; i < count; i++) {
        sum += headers[i].key_length > 0 ? (uint8_t)headers[i].key[headers[i].key_length - 1] : 0u;
        sum += headers[i].value_length > 0 ? (uint8_t)headers[i].value[headers[i].value_length - 1] : 0u;
    }
    netio_answer(r, number, NETIO_ANSWER, data, n);
}

static void on_answer(void *user, netio_requester *q, uint64_t number, int status, const void *data, size_t n) {
    (void)user;
    (void)q;
    (void)data;
    sum += number + (uint64_t)status + n;
}

static void on_connected(void *user, netio_connection *c) {
    (void)user;
    netio_tags tags = {NETIO_EXACT, 7, 0};
    netio_stream_events events = {.message = on_message, .end = on_end};
    if (c->s.framing == NETIO_STREAM) {
        netio_stream *in = netio_subscribe(c, &tags, NETIO_POLICY_DEFAULT, &events); /* stream 1 */
        netio_more(in, 100);
        netio_responder_settings responder = {.request = on_request};
        netio_requester_settings requester = {.answer = on_answer};
        netio_respond(c, 9, &responder); /* receives its requests on stream 2 */
        netio_requester_new(c, 10, &requester);
    }
    netio_more(netio_receive(c, &events), 1000);
}

static void on_closed(void *user, netio_connection *c, int code, const char *text) {
    (void)user;
    (void)c;
    sum += (uint64_t)code + strlen(text);
    closed++;
}

static netio_connection *connection(netio *ctx, netio_settings *s) {
    netio_connection_events events = {.connected = on_connected, .closed = on_closed};
    s->checksums = below(8) == 0;
    s->framing = below(8) == 0 ? (below(2) == 0 ? NETIO_RAW : NETIO_PAGE) : NETIO_STREAM;
    netio_connection *c = connection_new(ctx, -1, s, &events, true);
    if (c != NULL && s->framing != NETIO_STREAM) {
        connection_open(c);
    }
    return c;
}

/* Changes bytes at random, so that most of the page stays what it was. */
static size_t mutate(uint8_t *p, size_t n) {
    static const uint32_t lengths_that_lie[] = {0, 1, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ffffff, 0x400, 0x401};
    for (uint32_t k = below(4); k > 0 && n > 0; k--) {
        uint32_t at = below((uint32_t)n);
        switch (below(7)) {
        case 0: p[at] ^= (uint8_t)(1u << below(8)); break;
        case 1: p[at] = (uint8_t)below(256); break;
        case 2: n = at; break;
        case 3: if (n - at >= 4) { put32(p + at, lengths_that_lie[below(9)]); } break;
        case 4: memmove(p + at, p + at / 2, n - at); break;
        case 5: { /* another seed behind it, without its header */
            uint32_t s = below(seeds_count);
            if (n + lengths[s] < WORK && lengths[s] > 4) {
                memcpy(p + n, corpus[s] + 4, lengths[s] - 4);
                n += lengths[s] - 4;
            }
            break;
        }
        default: if (n < WORK - 16) { p[n++] = (uint8_t)below(256); } break;
        }
    }
    return n;
}

int main(int argc, char **argv) {
    uint64_t iterations = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
    for (seeds_count = 0; seeds_count < sizeof seeds / sizeof *seeds; seeds_count++) {
        for (const char *p = seeds[seeds_count]; p[0] != 0 && p[1] != 0; p += 2) {
            char hex[3] = {p[0], p[1], 0};
            corpus[seeds_count][lengths[seeds_count]++] = (uint8_t)strtoul(hex, NULL, 16);
        }
    }
    if (argc > 3) {
        seed_directory(argv[3]);
    }
    netio *ctx = netio_new(1u << 24);
    netio_settings s;
    netio_settings_default(&s);
    s.page = 2048;
    s.message = 100000;
    s.streams = 32;
    s.budget = 200000;
    s.wait_ms = 1;
    netio_tags served = {NETIO_RANGE, 0, 255};
    netio_source *source = netio_serve(ctx, &served, &(netio_source_settings){.policy = NETIO_POLICY_OLDEST, .queue = 8});
    netio_connection *c = NULL;
    struct handshake peer = {.lowest = 1, .highest = 1, .framing = 2, .role = 1, .supported = 7, .page = 2048, .data = 28, .control = 8,
        .message = 100000, .streams = 100, .budget = 200000};
    for (uint64_t i = 0; i < iterations; i++) {
        if (c == NULL || c->state == CLOSING || below(200) == 0) {
            if (c != NULL) {
                netio_close(c, 0, "");
                connection_gone(c);
            }
            collect(ctx);
            c = connection(ctx, &s);
            if (c == NULL) {
                return 1;
            }
            if (c->state == SHAKING) {
                write_handshake(c->in, &peer);
                c->in_tail = HANDSHAKE;
                if (shakes_count > 0 && below(20) == 0) {
                    copy(c->in, shakes[below(shakes_count)], HANDSHAKE);
                }
                if (below(10) == 0) {
                    uint32_t at = below(44);
                    c->in[at] ^= (uint8_t)(1u << below(8));
                    if (below(2) == 0) {
                        put32(c->in + 44, netio_crc32c(0, c->in, 44));
                    }
                }
                process(c);
                flush(c);
                if (c->state == DEAD) {
                    c = NULL;
                }
                collect(ctx);
                continue;
            }
        }
        uint8_t work[WORK];
        uint32_t seed = below(seeds_count);
        size_t n = lengths[seed];
        memcpy(work, corpus[seed], n);
        if (below(3) != 0) {
            n = mutate(work, n);
        }
        if (n >= 4 && below(4) != 0) { /* no credits that cannot be: most pages get beyond their header */
            work[0] = work[1] = work[2] = 0;
        }
        if (c->crc && n >= 4 && n + 4 < sizeof work && below(10) != 0) {
            memmove(work + 8, work + 4, n - 4);
            n += 4;
            work[3] |= 1;
            put32(work + 4, netio_crc32c(netio_crc32c(0, work, 4), work + 8, n - 8));
        }
        uint8_t *exact = malloc(n + 1); /* ends with the page, so that ASan sees a byte too many */
        if (exact == NULL) {
            return 1;
        }
        copy(exact + 1, work, n);
        if (c->s.framing == NETIO_STREAM) {
            c->tx_data = (uint32_t)least(c->tx_data + below(2), c->peer.data); /* as if the peer had taken a page */
            c->tx_control = (uint32_t)least(c->tx_control + 1, c->peer.control);
            take_page(c, exact + 1, n);
        } else {
            c->page.end = NULL;
            take_plain(c, exact + 1, n);
        }
        free(exact);
        if (below(4) == 0) {
            netio_publish(source, below(256), (uint8_t)below(3), work, below(8) == 0 ? sizeof work : n);
        }
        if (c->state == OPEN && below(8) == 0) {
            netio_send(c, below(3), 0, work, n);
        }
        ctx->now += below(3);
        if (c->state != DEAD) {
            timers(ctx);
        }
        if (c->state != DEAD) {
            flush(c);
        }
        if (c->state == DEAD) {
            c = NULL;
        }
        collect(ctx);
    }
    netio_free(ctx);
    printf("%llu pages, %llu messages, %llu streams ended, %llu connections ended\n", (unsigned long long)iterations,
            (unsigned long long)delivered, (unsigned long long)ends, (unsigned long long)closed);
    return sum == 1 ? 3 : 0;
}

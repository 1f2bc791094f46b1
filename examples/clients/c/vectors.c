/* SPDX-License-Identifier: Apache-2.0 */
/* Reads docs/wire-vectors.txt with the readers of netio.c, and says what they mean in the page's own notation. */
#include "netio.c"

#include <ctype.h>
#include <stdarg.h>

static char said[65536];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t used = strlen(said);
    vsnprintf(said + used, sizeof said - used, format, arguments);
    va_end(arguments);
}

static void say_bytes(const char *key, const void *data, size_t n) {
    say(" %s=%s", key, n == 0 ? "-" : "");
    for (size_t i = 0; i < n; i++) {
        say("%02x", ((const uint8_t *)data)[i]);
    }
}

static void say_frame(const struct frame *f) {
    unsigned long long n = f->n, tag = f->tag, second = f->second;
    switch (f->kind) {
    case KIND_DATA:
        say("data stream=%u%s%s", f->stream, (f->flags & FIRST) != 0 ? " first" : "", (f->flags & LAST) != 0 ? " last" : "");
        if ((f->flags & FIRST) != 0) {
            say(" total=%u", f->total);
            if (f->own_tag) {
                say(" tag=own");
            } else {
                say(" tag=%016llx", tag);
            }
            say(" status=%u", f->status);
        }
        say_bytes("payload", f->data, f->length);
        break;
    case KIND_SUBSCRIBE:
        say("subscribe stream=%u kind=%u policy=%u tag=%016llx second=%016llx", f->stream, f->tags, f->policy, tag, second);
        break;
    case KIND_REQUEST: say("request stream=%u n=%llu", f->stream, n); break;
    case KIND_CANCEL: say("cancel stream=%u", f->stream); break;
    case KIND_COMPLETE: say("complete stream=%u n=%llu", f->stream, n); break;
    case KIND_ERROR:
        say("error stream=%u code=%u", f->stream, f->code);
        say_bytes("text", f->data, f->length);
        break;
    case KIND_PING: say("ping value=%016llx", n); break;
    case KIND_PONG: say("pong value=%016llx", n); break;
    case KIND_SUBSCRIBED:
        say("subscribed stream=%u n=%llu", f->stream, n);
        if (f->run != 0) {
            say(" run=%016llx", (unsigned long long)f->run);
        }
        break;
    case KIND_DROPPED: say("dropped stream=%u n=%llu", f->stream, n); break;
    case KIND_QUEUED: say("queued stream=%u n=%llu of=%u", f->stream, n, f->code); break;
    default: return; /* skipped */
    }
    say("\n");
}

static const char *read_vector(const char *kind, const uint8_t *p, size_t n) {
    const char *wrong;
    if (strcmp(kind, "page") == 0) {
        struct page_reader r = {p, p + n, false, 0};
        while (r.at < r.end) {
            netio_message m;
            if ((wrong = read_message(&r, &m)) != NULL) {
                return wrong;
            }
            say("message tag=%016llx status=%u", (unsigned long long)m.tag, m.status);
            say_bytes("payload", m.data, m.length);
            say("\n");
        }
        return NULL;
    }
    if (strcmp(kind, "handshake") == 0) {
        struct handshake h;
        uint8_t again[HANDSHAKE];
        if ((wrong = read_handshake(p, n, &h)) == NULL) {
            say("handshake role=%u lowest=%u highest=%u framing=%u supported=%08x required=%08x page=%u data=%u control=%u message=%u"
                " streams=%u budget=%llu keepalive=%u\n", h.role, h.lowest, h.highest, h.framing, h.supported, h.required, h.page, h.data,
                h.control, h.message, h.streams, (unsigned long long)h.budget, h.keepalive);
            write_handshake(again, &h);
            return memcmp(again, p, HANDSHAKE) == 0 ? NULL : "it is written in another way";
        }
        return wrong;
    }
    if (strcmp(kind, "request") == 0) {
        netio_header headers[MAX_HEADERS];
        size_t count, used;
        if ((wrong = read_headers(p, n, headers, &count, &used)) == NULL) {
            for (size_t i = 0; i < count; i++) {
                say("header");
                say_bytes("key", headers[i].key, headers[i].key_length);
                say_bytes("value", headers[i].value, headers[i].value_length);
                say("\n");
            }
            say("request");
            say_bytes("payload", p + used, n - used);
            say("\n");
        }
        return wrong;
    }
    struct reader r;
    struct frame f = {0};
    if ((wrong = reader_open(&r, p, n, strcmp(kind, "stream+crc") == 0)) != NULL) {
        return wrong;
    }
    say("page data=%u control=%u\n", r.data_credits, r.control_credits);
    while (r.at < r.end) {
        if ((wrong = read_frame(&r, &f)) != NULL) {
            return wrong;
        }
        say_frame(&f);
    }
    return NULL;
}

/* The proof of the page's example, in hexadecimal: of side 1 or 2. */
static const char *example_proof(uint8_t side) {
    static char hex[2 * PROOF + 1];
    struct access a = {.name = "reader"};
    uint8_t secret[32], own[HANDSHAKE], challenge[NONCE], answer[NONCE], proof[PROOF];
    for (int i = 0; i < 32; i++) {
        secret[i] = (uint8_t)i;
    }
    memset(own, 1, sizeof own);
    memset(challenge, 2, sizeof challenge);
    memset(answer, 3, sizeof answer);
    access_key(&a, secret, sizeof secret);
    access_prove(&a, side, own, challenge, answer, proof);
    for (int i = 0; i < PROOF; i++) {
        snprintf(hex + 2 * i, 3, "%02x", proof[i]);
    }
    return hex;
}

int main(int argc, char **argv) {
    FILE *page = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (page == NULL) {
        fprintf(stderr, "usage: vectors docs/wire-vectors.txt\n");
        return 2;
    }
    static char line[4096], kind[64], expected[65536];
    static uint8_t bytes[65536];
    int vectors = 0, failures = 0, number = 0, proofs = 0;
    size_t n = 0;
    bool within = false, refused = false;
    while (fgets(line, sizeof line, page) != NULL) {
        number++;
        if (sscanf(line, "```vector %63s", kind) == 1) {
            within = true;
            refused = false;
            n = 0;
            expected[0] = said[0] = 0;
        } else if (within && strncmp(line, "```", 3) == 0) {
            uint8_t *exact = malloc(n + 1); /* so that ASan sees a byte too many */
            if (exact == NULL) {
                return 1;
            }
            uint8_t *at = exact + 1;
            copy(at, bytes, n);
            const char *wrong = read_vector(kind, at, n);
            free(exact);
            within = false;
            vectors++;
            if ((wrong != NULL) != refused || (!refused && strcmp(said, expected) != 0)) {
                failures++;
                printf("before line %d: %s\nsaid:\n%sexpected:\n%s", number, wrong == NULL ? "accepted" : wrong, said, expected);
            }
        } else if (!within && strspn(line + strspn(line, " "), "0123456789abcdef") == 2 * PROOF) {
            proofs++;
            failures += strncmp(line + strspn(line, " "), example_proof((uint8_t)proofs), 2 * PROOF) != 0;
        } else if (within && line[0] == '!') {
            refused = true;
        } else if (within && line[0] == '=') {
            strncat(expected, line + 2, sizeof expected - strlen(expected) - 1);
        } else if (within) {
            line[strcspn(line, "#")] = 0;
            for (char *p = line; *p != 0; p++) {
                if (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1])) {
                    char hex[3] = {p[0], p[1], 0};
                    bytes[n++] = (uint8_t)strtoul(hex, NULL, 16);
                    p++;
                }
            }
        }
    }
    fclose(page);
    printf("%d vectors, %d proofs, %d failures\n", vectors, proofs, failures);
    return vectors > 20 && proofs == 2 && failures == 0 ? 0 : 1;
}

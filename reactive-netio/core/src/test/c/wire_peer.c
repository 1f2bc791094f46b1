// SPDX-License-Identifier: Apache-2.0
//
// A reader and writer of docs/wire-format.md, written from that page only, to see whether the page is enough.
//
// Each line of standard input is answered by one of standard output:
//     r FORMAT HEX        what the bytes mean, in the page's notation, joined by "; ", or "refused"
//     w FORMAT MEANING    the bytes, as hexadecimal digits
// FORMAT is page, stream, stream+crc, handshake or request. No bytes are written as "-".

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1, LAST = 2, STREAM = 4, TAG = 8, STATUS = 16 };
enum { PAGE_CRC = 1, PAGE_DATA = 2 };

#define CONNECTION 0xffffffffu
#define MOST 65536

static char text[16 * MOST];
static size_t text_length;
static uint8_t out[MOST];
static size_t out_length;

static void fail(const char *why)
{
    fprintf(stderr, "wire_peer: %s\n", why);
    exit(2);
}

static void say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    text_length += (size_t) vsnprintf(text + text_length, sizeof text - text_length, format, values);
    va_end(values);
    if (text_length >= sizeof text) {
        fail("too much to say");
    }
}

static void say_bytes(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        say("%02x", bytes[i]);
    }
    if (length == 0) {
        say("-");
    }
}

static void separate(void)
{
    if (text_length > 0) {
        say("; ");
    }
}

// ---- integers

static uint64_t get(const uint8_t *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) from[i] << 8 * i;
    }
    return value;
}

static void put(uint64_t value, int bytes)
{
    if (out_length + 8 > MOST) {
        fail("too much to write");
    }
    for (int i = 0; i < bytes; i++) {
        out[out_length++] = (uint8_t) (value >> 8 * i);
    }
}

static uint32_t crc32c(uint32_t crc, const uint8_t *bytes, size_t length)
{
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
        }
    }
    return ~crc;
}

static uint32_t page_crc(const uint8_t *page, size_t length)
{
    return crc32c(crc32c(0, page, 4), page + 8, length - 8);
}

// ---- reading; each returns false to refuse

static bool read_page(const uint8_t *p, size_t length)
{
    const uint8_t *end = p + length;
    bool tagged = false;
    uint64_t tag = 0;
    while (p < end) {
        if (end - p < 4) {
            return false;
        }
        uint32_t header = (uint32_t) get(p, 4);
        uint32_t size = header & 0x3fffffff;
        unsigned status = 0;
        p += 4;
        if (header & 1u << 30) {
            if (p == end) {
                return false;
            }
            status = *p++;
        }
        if (header & 1u << 31) {
            if (end - p < 8) {
                return false;
            }
            tag = get(p, 8);
            tagged = true;
            p += 8;
        }
        if (!tagged || size > (size_t) (end - p)) {
            return false;
        }
        separate();
        say("message tag=%016" PRIx64 " status=%u payload=", tag, status);
        say_bytes(p, size);
        p += size;
    }
    return true;
}

struct context {
    bool has_stream;
    uint32_t stream;
    bool tagged;
    uint64_t tag;
};

static bool read_data(struct context *now, unsigned flags, uint32_t size, const uint8_t **from, const uint8_t *end)
{
    const uint8_t *p = *from;
    bool counted = (flags & FIRST) && !(flags & LAST);
    uint64_t total = size;
    unsigned status = 0;
    if (flags & 0x60 || (!(flags & FIRST) && flags & (TAG | STATUS))) {
        return false;
    }
    size_t fields = (flags & STREAM ? 4 : 0) + (counted ? 4 : 0) + (flags & TAG ? 8 : 0) + (flags & STATUS ? 1 : 0);
    if (fields + size > (size_t) (end - p)) {
        return false;
    }
    if (flags & STREAM) {
        now->stream = (uint32_t) get(p, 4);
        now->has_stream = true;
        now->tagged = false;
        p += 4;
    }
    if (!now->has_stream || now->stream == CONNECTION) {
        return false;
    }
    if (counted) {
        total = get(p, 4);
        p += 4;
        if (total <= size || total >= 1u << 31) {
            return false;
        }
    }
    if (flags & TAG) {
        now->tag = get(p, 8);
        now->tagged = true;
        p += 8;
    }
    if (flags & STATUS) {
        status = *p++;
    }
    separate();
    say("data stream=%" PRIu32 "%s%s", now->stream, flags & FIRST ? " first" : "", flags & LAST ? " last" : "");
    if (flags & FIRST) {
        say(" total=%" PRIu64 " tag=", total);
        if (now->tagged) {
            say("%016" PRIx64, now->tag);
        } else {
            say("own");
        }
        say(" status=%u", status);
    }
    say(" payload=");
    say_bytes(p, size);
    *from = p + size;
    return true;
}

static bool read_subscribe(uint32_t stream, const uint8_t *p)
{
    unsigned kind = p[4];
    unsigned policy = p[5];
    uint64_t tag = get(p + 8, 8);
    uint64_t second = get(p + 16, 8);
    if (stream == 0 || kind > 2 || policy > 4 || get(p + 6, 2) != 0
            || (kind == 0 && second != 0) || (kind == 1 && tag > second) || (kind == 2 && tag & ~second)) {
        return false;
    }
    say("subscribe stream=%" PRIu32 " kind=%u policy=%u tag=%016" PRIx64 " second=%016" PRIx64, stream, kind, policy, tag, second);
    return true;
}

static bool read_number(const char *name, uint32_t stream, uint64_t n, uint64_t least, uint64_t most)
{
    say("%s stream=%" PRIu32 " n=%" PRIu64, name, stream, n);
    return n >= least && n <= most;
}

static bool read_subscribed(uint32_t stream, const uint8_t *p, uint32_t size)
{
    if (size != 12 && size != 20) {
        return false;
    }
    read_number("subscribed", stream, get(p + 4, 8), 0, UINT64_MAX);
    if (size == 20) {
        say(" run=%016" PRIx64, get(p + 12, 8));
        return get(p + 12, 8) != 0;
    }
    return true;
}

static bool read_control(unsigned kind, const uint8_t *p, uint32_t size)
{
    static const struct { unsigned kind, least, most; } lengths[] = {
        {0xc1, 24, 24}, {0xc2, 12, 12}, {0xc3, 4, 4}, {0xc4, 12, 12}, {0xc5, 8, 520}, {0xc6, 8, 8}, {0xc7, 8, 8},
        {0x88, 12, 20}, {0x89, 12, 12}, {0x8a, 12, 12},
    };
    size_t i = 0;
    while (i < sizeof lengths / sizeof *lengths && lengths[i].kind != kind) {
        i++;
    }
    if (i == sizeof lengths / sizeof *lengths) {
        return kind < 0xc0; // optional: skipped
    }
    if (size < lengths[i].least || size > lengths[i].most) {
        return false;
    }
    separate();
    if (kind == 0xc6 || kind == 0xc7) {
        say("%s value=%016" PRIx64, kind == 0xc6 ? "ping" : "pong", get(p, 8));
        return true;
    }
    uint32_t stream = (uint32_t) get(p, 4);
    if (stream == CONNECTION && kind != 0xc5) {
        return false;
    }
    switch (kind) {
    case 0xc1:
        return read_subscribe(stream, p);
    case 0xc2:
        return read_number("request", stream, get(p + 4, 8), 1, INT64_MAX);
    case 0xc3:
        say("cancel stream=%" PRIu32, stream);
        return true;
    case 0xc4:
        return read_number("complete", stream, get(p + 4, 8), 0, INT64_MAX);
    case 0xc5:
        say("error stream=%" PRIu32 " code=%" PRIu64 " text=", stream, get(p + 4, 4));
        say_bytes(p + 8, size - 8);
        return true;
    case 0x88:
        return read_subscribed(stream, p, size);
    case 0x8a:
        say("queued stream=%" PRIu32 " n=%" PRIu64 " of=%" PRIu64, stream, get(p + 4, 4), get(p + 8, 4));
        return get(p + 4, 4) <= INT32_MAX && get(p + 8, 4) >= 1 && get(p + 8, 4) <= INT32_MAX;
    default:
        return read_number("dropped", stream, get(p + 4, 8), 1, INT64_MAX);
    }
}

static bool read_stream(const uint8_t *page, size_t length, bool checksums)
{
    size_t header = checksums ? 8 : 4;
    struct context now = {0};
    if (length < header || page[3] & ~(PAGE_CRC | PAGE_DATA) || !(page[3] & PAGE_CRC) == checksums
            || (checksums && get(page + 4, 4) != page_crc(page, length)) || (page[3] & PAGE_DATA && length == header)) {
        return false;
    }
    say("page data=%u control=%u", (unsigned) get(page, 2), page[2]);
    const uint8_t *p = page + header;
    const uint8_t *end = page + length;
    while (p < end) {
        if (end - p < 4) {
            return false;
        }
        uint32_t word = (uint32_t) get(p, 4);
        uint32_t size = word & 0xffffff;
        unsigned kind = word >> 24;
        p += 4;
        if (kind < 0x80) {
            if (!(page[3] & PAGE_DATA) || !read_data(&now, kind, size, &p, end)) {
                return false;
            }
        } else {
            if (size > (size_t) (end - p) || !read_control(kind, p, size)) {
                return false;
            }
            p += size;
        }
    }
    return true;
}

static bool within(uint64_t value, uint64_t least, uint64_t most)
{
    return value >= least && value <= most;
}

static bool read_handshake(const uint8_t *h, size_t length)
{
    static const uint8_t magic[] = {0x4e, 0x49, 0x4f, 0xff};
    if (length < 8 || memcmp(h, magic, 4) != 0 || h[4] > 1 || h[5] < 1 || length < 48 || h[23] != 48
            || get(h + 44, 4) != crc32c(0, h, 44)) {
        return false;
    }
    uint32_t supported = (uint32_t) get(h + 8, 4);
    uint32_t required = (uint32_t) get(h + 12, 4);
    uint64_t page = get(h + 16, 4), data = get(h + 20, 2), control = h[22], message = get(h + 24, 4), streams = get(h + 28, 4);
    uint64_t budget = get(h + 32, 8), keep_alive = get(h + 40, 4);
    if (h[4] < 1 || h[4] > h[5] || !within(h[7], 1, 2) || required & ~supported || !within(page, 1024, 1 << 24)
            || data < 1 || control < 3 || !within(message, 1, INT32_MAX) || streams > 1 << 24
            || !within(budget, message, INT64_MAX) || (keep_alive != 0 && !within(keep_alive, 10, 3600000))) {
        return false;
    }
    say("handshake role=%u lowest=%u highest=%u framing=%u supported=%08" PRIx32 " required=%08" PRIx32 " page=%" PRIu64, h[7], h[4],
            h[5], h[6], supported, required, page);
    say(" data=%" PRIu64 " control=%" PRIu64 " message=%" PRIu64 " streams=%" PRIu64 " budget=%" PRIu64 " keepalive=%" PRIu64, data,
            control, message, streams, budget, keep_alive);
    return true;
}

// the bytes of one character of UTF-8, 0 if there is none
static size_t character(const uint8_t *p, size_t left)
{
    static const struct { unsigned first, last, least, most, length; } forms[] = {
        {0x00, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (p[0] >= forms[i].first && p[0] <= forms[i].last) {
            size_t length = forms[i].length;
            if (length > left || (length > 1 && (p[1] < forms[i].least || p[1] > forms[i].most))) {
                return 0;
            }
            for (size_t next = 2; next < length; next++) {
                if ((p[next] & 0xc0) != 0x80) {
                    return 0;
                }
            }
            return length;
        }
    }
    return 0;
}

static bool is_utf8(const uint8_t *p, size_t length)
{
    while (length > 0) {
        size_t bytes = character(p, length);
        if (bytes == 0) {
            return false;
        }
        p += bytes;
        length -= bytes;
    }
    return true;
}

static bool read_request(const uint8_t *p, size_t length)
{
    if (length < 2 || get(p, 2) > 4096 || get(p, 2) > length - 2) {
        return false;
    }
    const uint8_t *first = p + 2;
    const uint8_t *end = first + get(p, 2);
    const uint8_t *next = first;
    for (unsigned headers = 1; next < end; headers++) {
        size_t left = (size_t) (end - next);
        size_t key = next[0];
        if (headers > 64 || key == 0 || 3 + key > left) {
            return false;
        }
        size_t value = get(next + 1 + key, 2);
        if (3 + key + value > left || !is_utf8(next + 1, key) || !is_utf8(next + 3 + key, value)) {
            return false;
        }
        for (const uint8_t *before = first; before < next; before += 3 + before[0] + get(before + 1 + before[0], 2)) {
            if (before[0] == key && memcmp(before + 1, next + 1, key) == 0) {
                return false;
            }
        }
        separate();
        say("header key=");
        say_bytes(next + 1, key);
        say(" value=");
        say_bytes(next + 3 + key, value);
        next += 3 + key + value;
    }
    separate();
    say("request payload=");
    say_bytes(end, length - (size_t) (end - p));
    return true;
}

// ---- writing, from the notation, which is trusted

static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    for (const char *word = line; word != NULL; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (strncmp(word, key, length) == 0 && (word[length] == '=' || word[length] == ' ' || word[length] == 0)) {
            return word + length + (word[length] == '=');
        }
    }
    return NULL;
}

static uint64_t number(const char *line, const char *key, int base)
{
    const char *digits = value_of(line, key);
    if (digits == NULL) {
        fail(key);
    }
    return strtoull(digits, NULL, base);
}

static size_t from_hex(const char *digits, uint8_t *into)
{
    size_t length = 0;
    unsigned byte;
    while (*digits != '-' && sscanf(digits + 2 * length, "%2x", &byte) == 1) {
        if (length == MOST) {
            fail("too many bytes");
        }
        into[length++] = (uint8_t) byte;
        if (strchr(" \n", digits[2 * length]) != NULL) {
            break;
        }
    }
    return length;
}

static size_t payload_of(const char *line, const char *key, uint8_t *into)
{
    const char *digits = value_of(line, key);
    if (digits == NULL) {
        fail(key);
    }
    return from_hex(digits, into);
}

static void put_bytes(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        put(bytes[i], 1);
    }
}

static void write_message(const char *line, bool first, uint64_t *last_tag)
{
    static uint8_t payload[MOST];
    size_t length = payload_of(line, "payload", payload);
    uint64_t tag = number(line, "tag", 16);
    uint64_t status = number(line, "status", 10);
    bool tagged = first || tag != *last_tag;
    put(length | (status != 0 ? 1u << 30 : 0) | (tagged ? 1u << 31 : 0), 4);
    if (status != 0) {
        put(status, 1);
    }
    if (tagged) {
        put(tag, 8);
    }
    put_bytes(payload, length);
    *last_tag = tag;
}

static void write_data(const char *line, struct context *now)
{
    static uint8_t payload[MOST];
    size_t length = payload_of(line, "payload", payload);
    uint32_t stream = (uint32_t) number(line, "stream", 10);
    unsigned flags = (value_of(line, "first") ? FIRST : 0) | (value_of(line, "last") ? LAST : 0);
    uint64_t status = flags & FIRST ? number(line, "status", 10) : 0;
    bool tagged = flags & FIRST && strncmp(value_of(line, "tag"), "own", 3) != 0;
    if (!now->has_stream || stream != now->stream || (flags & FIRST && now->tagged && !tagged)) {
        flags |= STREAM;
        now->has_stream = true;
        now->stream = stream;
        now->tagged = false;
    }
    if (tagged && !(now->tagged && now->tag == number(line, "tag", 16))) {
        flags |= TAG;
        now->tagged = true;
        now->tag = number(line, "tag", 16);
    }
    flags |= status != 0 ? STATUS : 0;
    put(length | flags << 24, 4);
    if (flags & STREAM) {
        put(stream, 4);
    }
    if (flags & FIRST && !(flags & LAST)) {
        put(number(line, "total", 10), 4);
    }
    if (flags & TAG) {
        put(now->tag, 8);
    }
    if (flags & STATUS) {
        put(status, 1);
    }
    put_bytes(payload, length);
}

static void write_control(const char *line)
{
    static const struct { const char *name; unsigned kind; } numbered[] = {
        {"request", 0xc2}, {"complete", 0xc4}, {"subscribed", 0x88}, {"dropped", 0x89},
    };
    static uint8_t bytes[MOST];
    if (strncmp(line, "ping ", 5) == 0 || strncmp(line, "pong ", 5) == 0) {
        put(8 | (line[1] == 'i' ? 0xc6u : 0xc7u) << 24, 4);
        put(number(line, "value", 16), 8);
        return;
    }
    uint64_t stream = number(line, "stream", 10);
    if (strncmp(line, "subscribe ", 10) == 0) {
        put(24 | 0xc1u << 24, 4);
        put(stream, 4);
        put(number(line, "kind", 10), 1);
        put(number(line, "policy", 10), 1);
        put(0, 2);
        put(number(line, "tag", 16), 8);
        put(number(line, "second", 16), 8);
    } else if (strncmp(line, "queued ", 7) == 0) {
        put(12 | 0x8au << 24, 4);
        put(stream, 4);
        put(number(line, "n", 10), 4);
        put(number(line, "of", 10), 4);
    } else if (strncmp(line, "cancel ", 7) == 0) {
        put(4 | 0xc3u << 24, 4);
        put(stream, 4);
    } else if (strncmp(line, "error ", 6) == 0) {
        size_t length = payload_of(line, "text", bytes);
        put((8 + length) | 0xc5u << 24, 4);
        put(stream, 4);
        put(number(line, "code", 10), 4);
        put_bytes(bytes, length);
    } else {
        for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
            size_t length = strlen(numbered[i].name);
            if (strncmp(line, numbered[i].name, length) == 0 && line[length] == ' ') {
                bool run = strstr(line, " run=") != NULL;
                put((run ? 20 : 12) | numbered[i].kind << 24, 4);
                put(stream, 4);
                put(number(line, "n", 10), 8);
                if (run) {
                    put(number(line, "run", 16), 8);
                }
                return;
            }
        }
        fail(line);
    }
}

static void write_handshake(const char *line)
{
    put(0xff4f494e, 4);
    put(number(line, "lowest", 10), 1);
    put(number(line, "highest", 10), 1);
    put(number(line, "framing", 10), 1);
    put(number(line, "role", 10), 1);
    put(number(line, "supported", 16), 4);
    put(number(line, "required", 16), 4);
    put(number(line, "page", 10), 4);
    put(number(line, "data", 10), 2);
    put(number(line, "control", 10), 1);
    put(48, 1);
    put(number(line, "message", 10), 4);
    put(number(line, "streams", 10), 4);
    put(number(line, "budget", 10), 8);
    put(number(line, "keepalive", 10), 4);
    put(crc32c(0, out, 44), 4);
}

static void write_request(const char *line)
{
    static uint8_t bytes[MOST];
    if (out_length == 0) {
        put(0, 2);
    }
    if (strncmp(line, "header ", 7) == 0) {
        size_t length = payload_of(line, "key", bytes);
        put(length, 1);
        put_bytes(bytes, length);
        length = payload_of(line, "value", bytes);
        put(length, 2);
        put_bytes(bytes, length);
        out[0] = (uint8_t) (out_length - 2);
        out[1] = (uint8_t) ((out_length - 2) >> 8);
    } else {
        put_bytes(bytes, payload_of(line, "payload", bytes));
    }
}

static void write_all(const char *format, char *meaning)
{
    bool stream = strncmp(format, "stream", 6) == 0;
    bool checksums = strcmp(format, "stream+crc") == 0;
    struct context now = {0};
    uint64_t last_tag = 0;
    bool data = false;
    bool first = true;
    for (char *line = meaning; line != NULL; first = false) {
        char *next = strstr(line, "; ");
        if (next != NULL) {
            *next = 0;
            next += 2;
        }
        if (strcmp(format, "handshake") == 0) {
            write_handshake(line);
        } else if (strcmp(format, "request") == 0) {
            write_request(line);
        } else if (!stream) {
            if (strncmp(line, "message ", 8) == 0) {
                write_message(line, first, &last_tag);
            }
        } else if (first) {
            put(number(line, "data", 10), 2);
            put(number(line, "control", 10), 1);
            put(0, checksums ? 5 : 1);
        } else if (strncmp(line, "data ", 5) == 0) {
            write_data(line, &now);
            data = true;
        } else {
            write_control(line);
        }
        line = next;
    }
    if (stream) {
        size_t length = out_length;
        out[3] = (uint8_t) ((data ? PAGE_DATA : 0) | (checksums ? PAGE_CRC : 0));
        if (checksums) {
            uint32_t crc = page_crc(out, length);
            out_length = 4;
            put(crc, 4);
            out_length = length;
        }
    }
}

int main(void)
{
    static char line[16 * MOST];
    static uint8_t bytes[MOST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        char *format = line + 2;
        char *rest = strchr(format, ' ');
        if (rest == NULL) {
            fail("a line without bytes or meaning");
        }
        *rest++ = 0;
        text_length = 0;
        text[0] = 0;
        out_length = 0;
        if (line[0] == 'w') {
            write_all(format, rest);
            say_bytes(out, out_length);
        } else {
            // an own block of exactly this size: a sanitizer or valgrind sees what is read beyond it
            size_t length = from_hex(rest, bytes);
            uint8_t *exact = malloc(length + (length == 0));
            if (exact == NULL) {
                fail("no memory");
            }
            memcpy(exact, bytes, length);
            bool good = strcmp(format, "page") == 0 ? read_page(exact, length)
                    : strcmp(format, "handshake") == 0 ? read_handshake(exact, length)
                    : strcmp(format, "request") == 0 ? read_request(exact, length)
                    : read_stream(exact, length, strcmp(format, "stream+crc") == 0);
            free(exact);
            if (!good) {
                text_length = 0;
                say("refused");
            }
        }
        puts(text);
    }
    return 0;
}

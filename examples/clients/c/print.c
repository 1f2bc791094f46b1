/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscribes, and prints what comes: print HOST PORT TAG [MESSAGES [quiet [PROVIDER]]]. Ends behind so many messages, or with the
 * stream.
 */
#include "netio.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 1024

static uint64_t tag, wanted = UINT64_MAX, count, bytes, dropped;
static bool quiet, over;
static int result;

static void on_message(void *user, netio_stream *stream, const netio_message *m) {
    (void)user;
    count++;
    bytes += m->length;
    if (!quiet) {
        printf("tag %" PRIu64 ", status %u, %zu bytes\n", m->tag, m->status, m->length);
    }
    if (count == wanted) {
        netio_cancel(stream);
    } else if (count % BATCH == 0) {
        netio_more(stream, BATCH);
    }
}

static void on_dropped(void *user, netio_stream *stream, uint64_t n) {
    (void)user;
    (void)stream;
    dropped += n;
}

static void on_end(void *user, netio_stream *stream, int code, const char *text) {
    (void)user;
    (void)stream;
    printf("%" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " dropped, end %d %s\n", count, bytes, dropped, code, text);
    result = code == NETIO_COMPLETE || count == wanted ? 0 : 1;
    over = true;
}

static void on_connected(void *user, netio_connection *connection) {
    netio_tags tags = {NETIO_EXACT, tag, 0};
    netio_stream_events events = {.user = user, .message = on_message, .dropped = on_dropped, .end = on_end};
    netio_stream *stream = netio_subscribe(connection, &tags, NETIO_POLICY_DEFAULT, &events);
    if (stream != NULL) {
        netio_more(stream, 2 * BATCH);
    }
}

static void on_closed(void *user, netio_connection *connection, int code, const char *text) {
    (void)user;
    (void)connection;
    if (!over) {
        fprintf(stderr, "closed: %d %s\n", code, text);
        result = 1;
        over = true;
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: print HOST PORT TAG [MESSAGES [quiet [PROVIDER]]]\n");
        return 2;
    }
    tag = strtoull(argv[3], NULL, 0);
    wanted = argc > 4 ? strtoull(argv[4], NULL, 0) : wanted;
    quiet = argc > 5;
    netio_settings settings;
    netio_settings_default(&settings);
    settings.provider = argc > 6 ? argv[6] : NULL;
    netio_connection_events events = {.connected = on_connected, .closed = on_closed};
    netio *context = netio_new(0);
    if (context == NULL || netio_connect(context, argv[1], (uint16_t)strtoul(argv[2], NULL, 0), &settings, &events) == NULL) {
        perror("print");
        return 1;
    }
    while (!over) {
        netio_run(context, -1);
    }
    netio_free(context);
    return result;
}

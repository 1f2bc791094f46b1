/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscribes, and prints what comes: print [--secret NAME=FILE] [--tls-trust FILE] HOST PORT TAG [MESSAGES [quiet [PROVIDER]]].
 * Ends behind so many messages, or with the stream. For TLS it must have been compiled with NETIO_TLS.
 */
#include "netio.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NETIO_TLS
#include <openssl/ssl.h>
#endif

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

/* Reads NAME=FILE. */
static bool read_secret(char *text, netio_settings *settings) {
    static char secret[4096];
    char *file = strchr(text, '=');
    if (file == NULL) {
        return false;
    }
    *file = 0;
    FILE *from = fopen(file + 1, "rb");
    if (from == NULL) {
        return false;
    }
    settings->name = text;
    settings->secret = secret;
    settings->secret_length = fread(secret, 1, sizeof secret, from);
    fclose(from);
    return true;
}

/* Trusts those certificates only. */
static bool read_trust(const char *file, netio_settings *settings) {
#ifdef NETIO_TLS
    settings->tls = SSL_CTX_new(TLS_client_method());
    return settings->tls != NULL && SSL_CTX_load_verify_locations(settings->tls, file, NULL) == 1;
#else
    (void)file;
    (void)settings;
    return false;
#endif
}

int main(int argc, char **argv) {
    netio_settings settings;
    netio_settings_default(&settings);
    for (; argc > 2 && strncmp(argv[1], "--", 2) == 0; argc -= 2, argv += 2) {
        if (strcmp(argv[1], "--secret") == 0 ? !read_secret(argv[2], &settings)
                : strcmp(argv[1], "--tls-trust") != 0 || !read_trust(argv[2], &settings)) {
            fprintf(stderr, "print: %s %s cannot be used\n", argv[1], argv[2]);
            return 2;
        }
    }
    if (argc < 4) {
        fprintf(stderr, "usage: print [--secret NAME=FILE] [--tls-trust FILE] HOST PORT TAG [MESSAGES [quiet [PROVIDER]]]\n");
        return 2;
    }
    tag = strtoull(argv[3], NULL, 0);
    wanted = argc > 4 ? strtoull(argv[4], NULL, 0) : wanted;
    quiet = argc > 5;
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
#ifdef NETIO_TLS
    SSL_CTX_free(settings.tls);
#endif
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a tag from a sampling loop: detector [--tls CERT KEY] PORT TAG MESSAGES SIZE [wait|newest|oldest|fail [PROVIDER]]. Says
 * what it dropped. With a provider of libfabric, such as verbs, it is not plain TCP. It must have been compiled with
 * NETIO_LIBFABRIC then, and with NETIO_TLS for TLS.
 */
#include "netio.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NETIO_TLS
#include <openssl/ssl.h>
#endif

static unsigned connections;

static void on_connected(void *user, netio_connection *connection) {
    (void)user;
    (void)connection;
    connections++;
}

static void on_closed(void *user, netio_connection *connection, int code, const char *text) {
    (void)user;
    (void)connection;
    (void)text;
    connections -= connections > 0 ? 1 : 0;
    fprintf(stderr, "closed: %d\n", code);
}

/* Says who this side is: certificates and a key in PEM. */
static bool read_certificate(const char *chain, const char *key, netio_settings *limits) {
#ifdef NETIO_TLS
    limits->tls = SSL_CTX_new(TLS_server_method());
    return limits->tls != NULL && SSL_CTX_use_certificate_chain_file(limits->tls, chain) == 1
            && SSL_CTX_use_PrivateKey_file(limits->tls, key, SSL_FILETYPE_PEM) == 1;
#else
    (void)chain;
    (void)key;
    (void)limits;
    return false;
#endif
}

int main(int argc, char **argv) {
    netio_settings limits;
    netio_settings_default(&limits);
    if (argc > 3 && strcmp(argv[1], "--tls") == 0) {
        if (!read_certificate(argv[2], argv[3], &limits)) {
            fprintf(stderr, "detector: --tls %s %s cannot be used\n", argv[2], argv[3]);
            return 2;
        }
        argc -= 3;
        argv += 3;
    }
    if (argc < 5) {
        fprintf(stderr, "usage: detector [--tls CERT KEY] PORT TAG MESSAGES SIZE [wait|newest|oldest|fail [PROVIDER]]\n");
        return 2;
    }
    netio_tags tags = {NETIO_EXACT, strtoull(argv[2], NULL, 0), 0};
    uint64_t messages = strtoull(argv[3], NULL, 0);
    size_t size = (size_t)strtoull(argv[4], NULL, 0);
    const char *policy = argc > 5 ? argv[5] : "wait";
    netio_source_settings settings = {.policy = strcmp(policy, "newest") == 0 ? NETIO_POLICY_NEWEST
            : strcmp(policy, "oldest") == 0 ? NETIO_POLICY_OLDEST : strcmp(policy, "fail") == 0 ? NETIO_POLICY_FAIL : NETIO_POLICY_WAIT};
    uint8_t *sample = calloc(1, size + 8);
    netio_connection_events events = {.connected = on_connected, .closed = on_closed};
    limits.provider = argc > 6 ? argv[6] : NULL;
    netio *context = netio_new(0);
    netio_listener *listener = context == NULL ? NULL
            : netio_listen(context, NULL, (uint16_t)strtoul(argv[1], NULL, 0), &limits, &events);
    netio_source *source = listener == NULL ? NULL : netio_serve(context, &tags, &settings);
    if (source == NULL || sample == NULL) {
        perror("detector");
        return 1;
    }
    fprintf(stderr, "listening on port %u\n", netio_listener_port(listener));
    while (netio_subscribers(source) == 0) {
        netio_run(context, -1);
    }
    uint64_t refused = 0;
    for (uint64_t n = 0; n < messages;) {
        memcpy(sample, &n, sizeof n); /* what a detector would read here */
        if (netio_publish(source, tags.tag, 0, sample, size) == NETIO_NO_RESOURCES) {
            refused++;
            netio_run(context, 100);
            continue;
        }
        if (++n % 256 == 0) {
            netio_turn(context);
        }
    }
    uint64_t dropped = netio_dropped(source);
    netio_source_end(source, NETIO_COMPLETE, "");
    for (int i = 0; i < 600 && connections > 0; i++) { /* until the subscribers have all, and have gone */
        netio_run(context, 50);
    }
    fprintf(stderr, "published %" PRIu64 ", dropped %" PRIu64 ", waited %" PRIu64 " times\n", messages, dropped, refused);
    netio_free(context);
#ifdef NETIO_TLS
    SSL_CTX_free(limits.tls);
#endif
    free(sample);
    return 0;
}

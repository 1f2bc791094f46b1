/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a tag from a sampling loop: detector PORT TAG MESSAGES SIZE [wait|newest|oldest|fail [PROVIDER]]. Says what it dropped.
 * With a provider of libfabric, such as verbs, it is not plain TCP. It must have been compiled with NETIO_LIBFABRIC then.
 */
#include "netio.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: detector PORT TAG MESSAGES SIZE [wait|newest|oldest|fail [PROVIDER]]\n");
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
    netio_settings limits;
    netio_settings_default(&limits);
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
    free(sample);
    return 0;
}

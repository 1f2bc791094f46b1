/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishes the messages of a file, as a detector's readout would: ess_publisher PORT FIRST_TAG LAST_TAG < FILE
 * Each message is a u32 with its length, a u64 with its tag, both little-endian, and its bytes. It waits for the first subscriber,
 * and ends when all have everything.
 */
#include "netio.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned connections;

static void on_connected(void *user, netio_connection *connection) {
    (void)user;
    (void)connection;
    connections++;
}

static void on_closed(void *user, netio_connection *connection, int code, const char *text) {
    (void)user;
    (void)connection;
    (void)code;
    (void)text;
    connections -= connections > 0 ? 1 : 0;
}

static uint64_t little_endian(const uint8_t *p, int n) {
    uint64_t v = 0;
    while (n > 0) {
        v = v << 8 | p[--n];
    }
    return v;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: ess_publisher PORT FIRST_TAG LAST_TAG < FILE\n");
        return 2;
    }
    netio_tags tags = {NETIO_RANGE, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0)};
    netio_source_settings wait = {.policy = NETIO_POLICY_WAIT};
    netio_connection_events events = {.connected = on_connected, .closed = on_closed};
    netio_settings limits;
    netio_settings_default(&limits);
    netio *net = netio_new(0);
    netio_listener *port = net == NULL ? NULL : netio_listen(net, "127.0.0.1", (uint16_t)atoi(argv[1]), &limits, &events);
    netio_source *source = port == NULL ? NULL : netio_serve(net, &tags, &wait);
    if (source == NULL) {
        perror("ess_publisher");
        return 1;
    }
    printf("listening on port %u\n", netio_listener_port(port));
    fflush(stdout);
    while (netio_subscribers(source) == 0) {
        netio_run(net, -1);
    }
    uint8_t head[12], *message = NULL;
    unsigned long messages = 0;
    while (fread(head, sizeof head, 1, stdin) == 1) {
        size_t length = (size_t)little_endian(head, 4);
        uint8_t *grown = realloc(message, length + 1);
        if (grown == NULL || fread(grown, 1, length, stdin) != length) {
            fprintf(stderr, "ess_publisher: message %lu is cut off\n", messages);
            return 1;
        }
        message = grown;
        int result;
        while ((result = netio_publish(source, little_endian(head + 4, 8), 0, message, length)) == NETIO_NO_RESOURCES) {
            netio_run(net, 100);
        }
        if (result != NETIO_OK) {
            fprintf(stderr, "ess_publisher: message %lu was refused: %d\n", messages, result);
            return 1;
        }
        messages++;
    }
    netio_source_end(source, NETIO_COMPLETE, "");
    while (connections > 0) {
        netio_run(net, 100);
    }
    printf("published %lu\n", messages);
    netio_free(net);
    free(message);
    return 0;
}

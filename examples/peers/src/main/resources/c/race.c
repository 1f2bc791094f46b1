// SPDX-License-Identifier: Apache-2.0
//
// One end of a race, with examples/clients/c: reads commands "listen …" and "connect … PORT" from standard input, as the other
// workers do, and answers with lines. Streams only: one number in each message, counted up, and checked where it arrives.
#include "netio.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLOCK_EVERY = 64 };

static size_t size;
static int64_t warmup, duration;
static uint64_t number, count_from, count_to;
static int64_t began, measured_from, measured_to, cpu_from, cpu_to;
static netio_connection *peer;
static bool over;

static void die(const char *what) {
    fprintf(stderr, "race: %s\n", what);
    exit(1);
}

static int64_t clock_of(clockid_t id) {
    struct timespec at;
    clock_gettime(id, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static int64_t now_counted(void) {
    int64_t now = clock_of(CLOCK_MONOTONIC);
    if (began == 0) {
        began = now;
    }
    if (measured_from == 0 && now - began >= warmup) {
        measured_from = now;
        count_from = number;
        cpu_from = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    }
    measured_to = now;
    count_to = number;
    return now;
}

static void on_message(void *user, netio_stream *stream, const netio_message *message) {
    uint64_t arrived;
    (void) user;
    (void) stream;
    if (message->length != size) {
        die("a message of another size");
    }
    memcpy(&arrived, message->data, sizeof arrived);
    if (arrived != number) {
        die("a message is missing, or there twice");
    }
    if (++number % CLOCK_EVERY == 1) {
        now_counted();
    }
}

static void on_end(void *user, netio_stream *stream, int code, const char *text) {
    (void) user;
    (void) stream;
    if (code != NETIO_COMPLETE) {
        die(text);
    }
    over = true;
}

static void on_accepted(void *user, netio_connection *connection) {
    static const netio_stream_events events = {.message = on_message, .end = on_end};
    (void) user;
    peer = connection;
    netio_stream *stream = netio_receive(connection, &events);
    if (stream == NULL || netio_more(stream, INT64_MAX) != NETIO_OK) {
        die("cannot receive");
    }
}

static void on_connected(void *user, netio_connection *connection) {
    (void) user;
    peer = connection;
}

static void on_closed(void *user, netio_connection *connection, int code, const char *text) {
    (void) user;
    (void) connection;
    if (!over) {
        fprintf(stderr, "race: closed with %d %s\n", code, text);
        exit(1);
    }
    peer = NULL;
}

static void receive(netio *context, const netio_settings *settings) {
    static const netio_connection_events events = {.connected = on_accepted, .closed = on_closed};
    netio_listener *listener = netio_listen(context, "127.0.0.1", 0, settings, &events);
    if (listener == NULL) {
        die("cannot listen");
    }
    printf("port %u\n", netio_listener_port(listener));
    fflush(stdout);
    while (!over) {
        netio_run(context, -1);
    }
    cpu_to = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    if (peer != NULL) {
        netio_close(peer, 0, "");
    }
}

static void send_all(netio *context, const netio_settings *settings, uint16_t port) {
    static const netio_connection_events events = {.connected = on_connected, .closed = on_closed};
    uint8_t *message = calloc(1, size);
    if (message == NULL || netio_connect(context, "127.0.0.1", port, settings, &events) == NULL) {
        die("cannot connect");
    }
    while (peer == NULL) {
        netio_run(context, -1);
    }
    int64_t until = clock_of(CLOCK_MONOTONIC) + warmup + duration;
    while (number % CLOCK_EVERY != 0 || now_counted() < until) {
        memcpy(message, &number, sizeof number);
        int result;
        while ((result = netio_send(peer, 0, 0, message, size)) == NETIO_NO_RESOURCES) {
            netio_run(context, -1);
        }
        if (result != NETIO_OK) {
            die("cannot send");
        }
        number++;
    }
    over = true;
    if (netio_send_end(peer, NETIO_COMPLETE, "") != NETIO_OK) {
        die("cannot end");
    }
    while (peer != NULL && netio_send_waiting(peer) > 0) {
        netio_run(context, -1);
    }
    cpu_to = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    while (peer != NULL) { // the receiver closes when it has all
        netio_run(context, -1);
    }
    free(message);
}

static void run(bool listens, uint16_t port) {
    netio_settings settings;
    netio *context = netio_new(0);
    if (context == NULL) {
        die("no memory");
    }
    netio_settings_default(&settings);
    number = count_from = count_to = 0;
    began = measured_from = measured_to = 0;
    over = false;
    peer = NULL;
    if (listens) {
        receive(context, &settings);
    } else {
        send_all(context, &settings, port);
    }
    netio_free(context);
    printf("result messages=%" PRIu64 " nanos=%" PRId64 " total=%" PRIu64 " cpu=%" PRId64 "\n", count_to - count_from,
            measured_from == 0 ? 0 : measured_to - measured_from, number, count_to > count_from ? cpu_to - cpu_from : -1);
    fflush(stdout);
}

int main(void) {
    char line[256], role[16], mode[16];
    printf("ready examples/clients/c\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        long warmup_ms, millis;
        unsigned port = 0;
        if (sscanf(line, "%15s %15s %zu %*s %*s %ld %ld %*s %u", role, mode, &size, &warmup_ms, &millis, &port) < 5
                || size < sizeof number || strcmp(mode, "STREAM") != 0) {
            die("not a command");
        }
        warmup = warmup_ms * INT64_C(1000000);
        duration = millis * INT64_C(1000000);
        run(strcmp(role, "listen") == 0, (uint16_t) port);
    }
    return 0;
}

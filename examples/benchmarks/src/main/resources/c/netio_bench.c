// SPDX-License-Identifier: Apache-2.0
//
// What "netio bench" compares the library with: the same work in C, on libfabric alone. One process is one end; it obeys
// commands on stdin, one line each, and answers on stdout:
//
//   listen  STREAM|ROUNDTRIP SIZE IN_FLIGHT SPIN|SLEEP WARMUP_MILLIS MILLIS PROVIDER         receives, or sends back
//   connect STREAM|ROUNDTRIP SIZE IN_FLIGHT SPIN|SLEEP WARMUP_MILLIS MILLIS PROVIDER PORT    sends
//
//   listen-pages, connect-pages: the same of a stream, whose messages are packed into pages as PAGE framing has them
//
//   ready VERSION                                            once, at the start: libfabric's version
//   port N                                                   the answer to "listen", followed at the end by
//   result messages=N nanos=N total=N p50=N p99=N p999=N cpu=N   what was measured after the warm-up, and all messages in total
//
// A message begins with its number in 8 little-endian bytes, which its receiver checks; the number -1 ends a round, is answered
// with one message, and then the sender closes. The receiver takes the time, so that only what arrived counts.

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

// BATCH is the library's; the clock is read once for CLOCK_EVERY messages.
enum { BATCH = 64, CLOCK_EVERY = 64, PAGE = 61440, PAGE_HEADER = 4, PAGE_TAG = 8, CONNECT_MILLIS = 10000, PATIENCE_MILLIS = 10000, MAX_SAMPLES = 1 << 22 };

static const uint64_t LAST = UINT64_MAX;
static const uint32_t TAG_PRESENT = UINT32_C(1) << 31;

// A buffer and the operation that uses it; the address is the operation's context.
struct op {
    bool receiving;
    unsigned char *data;
    struct op *next;
};

static struct {
    bool roundtrip, spin, pages;
    size_t size, buffer, in_flight;
    int64_t warmup, duration;
    char provider[32], port[16];
} work;

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct fid_cq *cq;
static struct fid_pep *pep;
static struct fid_ep *ep;
static struct fid_mr *mr;
static void *descriptor;
static int cq_fd;

static unsigned char *memory;
static struct op *ops;
static struct op *free_sends;       // the one used last comes first: its cache lines are warm
static uint32_t *samples;

static uint64_t next_number;        // to send
static uint64_t expected_number;    // to receive
static bool answered, over;
static int64_t began, measured_from, measured_to, cpu_from, cpu_to;
static uint64_t count_from, count_to, sample_count;

static void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("netio_bench.c: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void check(ssize_t result, const char *what) {
    if (result < 0) {
        die("%s: %s", what, fi_strerror((int) -result));
    }
}

static int64_t clock_of(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t now(void) {
    return clock_of(CLOCK_MONOTONIC);
}

// ---- connecting

static uint32_t lowest_version(void) {
    return fi_version() < FI_VERSION(1, 17) ? fi_version() : FI_VERSION(1, 17);
}

static void find(bool listens) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_MSG;
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(work.provider);
    check(fi_getinfo(lowest_version(), "127.0.0.1", work.port, FI_NUMERICHOST | (listens ? FI_SOURCE : 0), hints, &info),
            "fi_getinfo");
    fi_freeinfo(hints);
}

static void wait_for(uint32_t wanted, struct fi_eq_cm_entry *entry) {
    uint32_t event;
    ssize_t read;
    do {
        read = fi_eq_sread(eq, &event, entry, sizeof *entry, CONNECT_MILLIS, 0);
    } while (read == -FI_EINTR); // provider tcp with FI_TCP_IO_URING is interrupted by its own completions
    check(read, "fi_eq_sread");
    if (event != wanted) {
        die("event %u instead of %u", event, wanted);
    }
}

static void await_request(void) {
    struct fi_eq_cm_entry entry;
    struct sockaddr_in bound;
    size_t length = sizeof bound;
    check(fi_passive_ep(fabric, info, &pep, NULL), "fi_passive_ep");
    check(fi_pep_bind(pep, &eq->fid, 0), "fi_pep_bind");
    check(fi_listen(pep), "fi_listen");
    check(fi_getname(&pep->fid, &bound, &length), "fi_getname");
    printf("port %d\n", ntohs(bound.sin_port));
    fflush(stdout);
    wait_for(FI_CONNREQ, &entry);
    fi_freeinfo(info);
    info = entry.info;
}

static void post_receive(struct op *op) {
    check(fi_recv(ep, op->data, work.buffer, descriptor, 0, op), "fi_recv");
}

// receives, then sends
static void make_buffers(size_t receives, size_t sends) {
    size_t stride = (work.buffer + 63) & ~(size_t) 63;
    size_t bytes = (receives + sends) * stride;
    memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t) 4095);
    ops = calloc(receives + sends, sizeof *ops);
    if (memory == NULL || ops == NULL) {
        die("out of memory");
    }
    memset(memory, 0, bytes);
    descriptor = NULL;
    if (info->domain_attr->mr_mode & FI_MR_LOCAL) {
        check(fi_mr_reg(domain, memory, bytes, FI_SEND | FI_RECV, 0, 1, 0, &mr, NULL), "fi_mr_reg");
        descriptor = fi_mr_desc(mr);
    }
    free_sends = NULL;
    for (size_t i = 0; i < receives + sends; i++) {
        ops[i].receiving = i < receives;
        ops[i].data = memory + i * stride;
        if (!ops[i].receiving) {
            ops[i].next = free_sends;
            free_sends = &ops[i];
        }
    }
}

static void open_endpoint(size_t receives, size_t sends) {
    struct fi_cq_attr attributes = { .size = receives + sends + 1, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD };
    check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    check(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
    check(fi_cq_open(domain, &attributes, &cq, NULL), "fi_cq_open");
    check(fi_control(&cq->fid, FI_GETWAIT, &cq_fd), "FI_GETWAIT");
    check(fi_ep_bind(ep, &eq->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(ep), "fi_enable");
    make_buffers(receives, sends);
    for (size_t i = 0; i < receives; i++) {
        post_receive(&ops[i]);
    }
}

static void establish(bool listens) {
    struct fi_eq_attr attributes = { .wait_obj = FI_WAIT_UNSPEC };
    struct fi_eq_cm_entry entry;
    size_t back = work.roundtrip ? work.in_flight : 1;
    find(listens);
    check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    check(fi_eq_open(fabric, &attributes, &eq, NULL), "fi_eq_open");
    if (listens) {
        await_request();
        open_endpoint(work.in_flight, back);
        check(fi_accept(ep, NULL, 0), "fi_accept");
    } else {
        open_endpoint(back, work.in_flight);
        check(fi_connect(ep, info->dest_addr, NULL, 0), "fi_connect");
    }
    wait_for(FI_CONNECTED, &entry);
}

static void close_fid(struct fid **fid) {
    if (*fid != NULL) {
        fi_close(*fid);
        *fid = NULL;
    }
}

static void close_all(void) {
    close_fid((struct fid **) &ep);
    close_fid((struct fid **) &mr);
    close_fid((struct fid **) &cq);
    close_fid((struct fid **) &pep);
    close_fid((struct fid **) &domain);
    close_fid((struct fid **) &eq);
    close_fid((struct fid **) &fabric);
    fi_freeinfo(info);
    free(memory);
    free(ops);
}

// ---- messages

// The first free buffer. False if the provider has no room: the buffer stays free.
static bool send_buffer(size_t length) {
    struct op *op = free_sends;
    ssize_t result = fi_send(ep, op->data, length, descriptor, 0, op);
    if (result == -FI_EAGAIN) {
        return false;
    }
    check(result, "fi_send");
    free_sends = op->next;
    return true;
}

static bool send_number(uint64_t number) {
    memcpy(free_sends->data, &number, sizeof number);
    return send_buffer(work.size);
}

static uint64_t number_of(const struct fi_cq_msg_entry *entry) {
    struct op *op = entry->op_context;
    uint64_t number;
    if (entry->len != work.size) {
        die("a message of %zu bytes, not %zu", entry->len, work.size);
    }
    memcpy(&number, op->data, sizeof number);
    return number;
}

static void expect(uint64_t number) {
    if (number != expected_number) {
        die("message %" PRIu64 " instead of %" PRIu64, number, expected_number);
    }
    expected_number++;
}

// Reads a batch of completions, or waits for some as the command said, and hands each to "completed".
static bool turn(void (*completed)(const struct fi_cq_msg_entry *)) {
    struct fi_cq_msg_entry entries[BATCH];
    ssize_t read = fi_cq_read(cq, entries, BATCH);
    if (read > 0) {
        for (ssize_t i = 0; i < read; i++) {
            struct op *op = entries[i].op_context;
            if (op->receiving) {
                completed(&entries[i]);
                post_receive(op);
            } else {
                op->next = free_sends;
                free_sends = op;
            }
        }
        return true;
    }
    if (read != -FI_EAGAIN) {
        return false;
    }
    struct fid *fids[] = { &cq->fid };
    if (!work.spin && fi_trywait(fabric, fids, 1) == 0) {
        struct pollfd fd = { .fd = cq_fd, .events = POLLIN };
        if (poll(&fd, 1, PATIENCE_MILLIS) == 0) {
            die("nothing happened for %d ms", PATIENCE_MILLIS);
        }
    }
    return true;
}

static void must_turn(void (*completed)(const struct fi_cq_msg_entry *)) {
    if (!turn(completed)) {
        struct fi_cq_err_entry error = { 0 };
        fi_cq_readerr(cq, &error, 0);
        die("completion: %s", fi_strerror(error.err));
    }
}

static void send_soon(uint64_t number, void (*completed)(const struct fi_cq_msg_entry *)) {
    while (free_sends == NULL || !send_number(number)) {
        must_turn(completed);
    }
}

// Notes where the measured part begins and, so far, ends.
static void clock_messages(uint64_t count) {
    int64_t time = now();
    if (measured_from == 0 && time - began >= work.warmup) {
        measured_from = time;
        count_from = count;
        cpu_from = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    }
    measured_to = time;
    count_to = count;
}

// ---- the four roles

static void number_arrived(uint64_t number) {
    if (number == LAST) {
        over = true;
        return;
    }
    expect(number);
    if (expected_number % CLOCK_EVERY == 1) {
        began = began == 0 ? now() : began;
        clock_messages(expected_number);
    }
}

static void stream_arrived(const struct fi_cq_msg_entry *entry) {
    number_arrived(number_of(entry));
}

static void page_arrived(const struct fi_cq_msg_entry *entry) {
    struct op *op = entry->op_context;
    size_t at = 0;
    while (at < entry->len) {
        uint32_t header;
        uint64_t number;
        memcpy(&header, op->data + at, sizeof header);
        at += PAGE_HEADER + (header & TAG_PRESENT ? PAGE_TAG : 0);
        size_t length = header & ~TAG_PRESENT;
        if (length != work.size || at + length > entry->len) {
            die("a message of %zu bytes at byte %zu of a page of %zu", length, at, entry->len);
        }
        memcpy(&number, op->data + at, sizeof number);
        at += length;
        number_arrived(number);
    }
}

static void answer_arrived(const struct fi_cq_msg_entry *entry) {
    (void) entry;
    answered = true;
}

// Sent back after the batch that it came with.
static bool echo_waiting;
static uint64_t echo_number;

static void ping_arrived(const struct fi_cq_msg_entry *entry) {
    echo_number = number_of(entry);
    echo_waiting = true;
    if (echo_number != LAST) {
        expect(echo_number);
    }
}

static int64_t sent_at;

static void pong_arrived(const struct fi_cq_msg_entry *entry) {
    uint64_t number = number_of(entry);
    answered = true;
    if (number == LAST) {
        return;
    }
    expect(number);
    int64_t time = now();
    if (time - began >= work.warmup && sample_count < MAX_SAMPLES) {
        if (measured_from == 0) {
            measured_from = sent_at;
        }
        measured_to = time;
        samples[sample_count++] = (uint32_t) (time - sent_at);
    }
    sent_at = time;
}

static void wait_for_shutdown(void) {
    struct fi_eq_cm_entry entry;
    uint32_t event;
    int64_t until = now() + INT64_C(2000000000);
    while (now() < until) {
        ssize_t read = fi_eq_sread(eq, &event, &entry, sizeof entry, 10, 0);
        if (read == -FI_EAVAIL || (read > 0 && event == FI_SHUTDOWN)) {
            return;
        }
        struct fi_cq_msg_entry entries[BATCH];
        fi_cq_read(cq, entries, BATCH);
    }
}

static void receive_stream(void) {
    while (!over) {
        must_turn(work.pages ? page_arrived : stream_arrived);
    }
    send_soon(LAST, stream_arrived);
    wait_for_shutdown();
}

// Puts a message at "at" of the first free buffer, copied from where a user has it. Where it ends.
static size_t pack(size_t at, const unsigned char *message, uint64_t number) {
    unsigned char *page = free_sends->data;
    uint32_t header = (uint32_t) work.size | (at == 0 ? TAG_PRESENT : 0);
    memcpy(page + at, &header, sizeof header);
    at += PAGE_HEADER;
    if (at == PAGE_HEADER) {
        memset(page + at, 0, PAGE_TAG);
        at += PAGE_TAG;
    }
    memcpy(page + at, message, work.size);
    memcpy(page + at, &number, sizeof number);
    return at + work.size;
}

static void flush(size_t length) {
    while (!send_buffer(length)) {
        must_turn(answer_arrived);
    }
}

static void send_pages(void) {
    int64_t until = now() + work.warmup + work.duration;
    unsigned char *message = calloc(1, work.size);
    size_t at = 0;
    while (next_number % CLOCK_EVERY != 0 || now() < until) {
        if (at + PAGE_HEADER + work.size > work.buffer) {
            flush(at);
            at = 0;
        }
        while (free_sends == NULL) {
            must_turn(answer_arrived);
        }
        at = pack(at, message, next_number++);
    }
    if (at > 0) {
        flush(at);
    }
    while (free_sends == NULL) {
        must_turn(answer_arrived);
    }
    flush(pack(0, message, LAST));
    while (!answered) {
        must_turn(answer_arrived);
    }
    free(message);
    fi_shutdown(ep, 0);
}

static void send_stream(void) {
    int64_t until = now() + work.warmup + work.duration;
    while (next_number % CLOCK_EVERY != 0 || now() < until) {
        while (free_sends != NULL && send_number(next_number)) {
            if (++next_number % CLOCK_EVERY == 0) {
                break;
            }
        }
        if (free_sends == NULL || next_number % CLOCK_EVERY != 0) {
            must_turn(answer_arrived);
        }
    }
    send_soon(LAST, answer_arrived);
    while (!answered) {
        must_turn(answer_arrived);
    }
    fi_shutdown(ep, 0);
}

static void send_back(void) {
    while (!over) {
        must_turn(ping_arrived);
        if (echo_waiting) {
            echo_waiting = false;
            over = echo_number == LAST;
            send_soon(echo_number, ping_arrived);
        }
    }
    wait_for_shutdown();
}

static void make_round_trips(void) {
    began = now();
    sent_at = began;
    int64_t until = began + work.warmup + work.duration;
    while (sent_at < until) {
        answered = false;
        send_soon(next_number++, pong_arrived);
        while (!answered) {
            must_turn(pong_arrived);
        }
    }
    answered = false;
    send_soon(LAST, pong_arrived);
    while (!answered) {
        must_turn(pong_arrived);
    }
    fi_shutdown(ep, 0);
}

// ---- commands

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
    return (x > y) - (x < y);
}

static uint32_t percentile(unsigned permille) {
    return sample_count == 0 ? 0 : samples[(sample_count - 1) * permille / 1000];
}

static void run(bool listens) {
    next_number = expected_number = count_from = count_to = sample_count = 0;
    began = measured_from = measured_to = 0;
    answered = over = echo_waiting = false;
    establish(listens);
    if (listens) {
        work.roundtrip ? send_back() : receive_stream();
    } else {
        work.roundtrip ? make_round_trips() : work.pages ? send_pages() : send_stream();
    }
    cpu_to = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    close_all();
    qsort(samples, sample_count, sizeof *samples, by_value);
    printf("result messages=%" PRIu64 " nanos=%" PRId64 " total=%" PRIu64 " p50=%u p99=%u p999=%u cpu=%" PRId64 "\n",
            work.roundtrip ? sample_count : count_to - count_from, measured_from == 0 ? 0 : measured_to - measured_from,
            listens ? expected_number : next_number, percentile(500), percentile(990), percentile(999),
            count_to > count_from ? cpu_to - cpu_from : -1);
    fflush(stdout);
}

// A process with one thread would save the C library's locks, which no Java program can.
static void *idle(void *nothing) {
    for (;;) {
        pause();
    }
    return nothing;
}

int main(void) {
    char line[256], role[16], mode[16], wait[16];
    pthread_t thread;
    setenv("IPATH_NO_BACKTRACE", "1", 0);
    setenv("HFI_NO_BACKTRACE", "1", 0);
    setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
    pthread_create(&thread, NULL, idle, NULL);
    samples = malloc(MAX_SAMPLES * sizeof *samples);
    printf("ready %s\n", fi_tostr(&(uint32_t) {0}, FI_TYPE_VERSION));
    fflush(stdout);
    while (samples != NULL && fgets(line, sizeof line, stdin) != NULL) {
        long warmup, millis;
        strcpy(work.port, "0");
        if (sscanf(line, "%15s %15s %zu %zu %15s %ld %ld %31s %15s", role, mode, &work.size, &work.in_flight, wait, &warmup,
                &millis, work.provider, work.port) < 8 || work.size < 8 || work.in_flight < 1) {
            die("not a command: %s", line);
        }
        work.roundtrip = strcmp(mode, "ROUNDTRIP") == 0;
        work.pages = strstr(role, "-pages") != NULL;
        work.buffer = !work.pages ? work.size : work.size > PAGE - PAGE_HEADER - PAGE_TAG ? work.size + PAGE_HEADER + PAGE_TAG : PAGE;
        work.spin = strcmp(wait, "SPIN") == 0;
        work.warmup = warmup * INT64_C(1000000);
        work.duration = millis * INT64_C(1000000);
        run(strncmp(role, "listen", 6) == 0);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// The other end of a RAW connection, written against libfabric alone: message endpoints, one message per buffer, an empty
// message as the end of a stream. It shares no code with the library that it is there to test.
//
//   raw_peer [options]
//     -l           listen, and print "listening PORT"; otherwise connect
//     -P PORT      port to listen on (0: any) or to connect to
//     -a ADDRESS   default 127.0.0.1
//     -p PROVIDER  default tcp
//     -s N         send N messages, then the empty one, and wait until that has been delivered
//     -r           receive until the empty message
//     -n N         receive N messages and no more
//     -m SIZE      bytes per message, default 64
//     -b BUFFERS   receive buffers kept posted, and send buffers; default 32
//     -d MICROS    sleep this long over each received message before its buffer is posted again
//     -t SECONDS   die of SIGALRM after this long, default 30
//
// Prints "sent MESSAGES BYTES CHECKSUM" and "received MESSAGES BYTES CHECKSUM"; the empty message is not counted.
// Ends with 0 if all went well, 1 if libfabric did not, 2 if a message was not the one expected, 3 if the peer left too early.
//
// Message number k starts with k in 8 little-endian bytes, as many as fit; byte i after those is k + i.

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
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

enum { FAILED = 1, WRONG_DATA = 2, PEER_LEFT = 3, CONNECT_MILLIS = 10000, BATCH = 16 };

// A buffer and the operation that uses it; the address is the operation's context.
struct op {
    bool receiving;
    unsigned char *data;
    struct op *next;
};

struct tally {
    uint64_t messages, bytes, checksum;
};

static struct {
    bool listen, receive;
    const char *provider, *address, *port;
    uint64_t send, receive_number;
    size_t size, buffers;
    useconds_t delay;
    unsigned seconds;
} option = { .provider = "tcp", .address = "127.0.0.1", .port = "0", .size = 64, .buffers = 32, .seconds = 30 };

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *eq;
static struct fid_cq *cq;
static struct fid_pep *pep;
static struct fid_ep *ep;
static struct fid_mr *mr;
static void *descriptor;

static unsigned char *pattern;       // pattern[i] is i modulo 256
static unsigned char *expected;
static struct op *ops;               // the first half receives, the second half sends
static struct op *free_sends;
static struct tally sent, received;
static size_t sends_in_flight;
static bool end_sent, end_received, peer_closed;

static void die(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("raw_peer: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(code);
}

static void check(ssize_t result, const char *what) {
    if (result < 0) {
        die(FAILED, "%s: %s", what, fi_strerror((int) -result));
    }
}

// ---- messages

static void fill(unsigned char *data, uint64_t number) {
    memcpy(data, pattern + (number & 0xff), option.size);
    for (size_t i = 0; i < 8 && i < option.size; i++) {
        data[i] = (unsigned char) (number >> (8 * i));
    }
}

// FNV-1a over 8-byte little-endian words, and over what is left byte by byte.
static void add(struct tally *tally, const unsigned char *data, size_t length) {
    const uint64_t prime = 0x100000001b3;
    uint64_t sum = tally->messages == 0 ? 0xcbf29ce484222325 : tally->checksum;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        sum = (sum ^ word) * prime;
    }
    for (; i < length; i++) {
        sum = (sum ^ data[i]) * prime;
    }
    tally->checksum = sum;
    tally->messages++;
    tally->bytes += length;
}

static void verify(const unsigned char *data, size_t length) {
    if (length != option.size) {
        die(WRONG_DATA, "message %" PRIu64 " has %zu bytes, not %zu", received.messages, length, option.size);
    }
    fill(expected, received.messages);
    if (memcmp(data, expected, length) != 0) {
        die(WRONG_DATA, "message %" PRIu64 " is not the one expected", received.messages);
    }
    add(&received, data, length);
}

// ---- connecting

static void find(void) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_MSG;
    hints->ep_attr->type = FI_EP_MSG;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(option.provider);
    check(fi_getinfo(FI_VERSION(1, 12), option.address, option.port, option.listen ? FI_SOURCE : 0, hints, &info), "fi_getinfo");
    fi_freeinfo(hints);
}

static void wait_for(uint32_t wanted, struct fi_eq_cm_entry *entry) {
    uint32_t event;
    ssize_t read = fi_eq_sread(eq, &event, entry, sizeof *entry, CONNECT_MILLIS, 0);
    if (read == -FI_EAVAIL) {
        struct fi_eq_err_entry error = { 0 };
        fi_eq_readerr(eq, &error, 0);
        die(FAILED, "connecting: %s", fi_strerror(error.err));
    }
    check(read, "fi_eq_sread");
    if (event != wanted) {
        die(FAILED, "event %u instead of %u", event, wanted);
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
    printf("listening %d\n", ntohs(bound.sin_port));
    fflush(stdout);
    wait_for(FI_CONNREQ, &entry);
    fi_freeinfo(info);
    info = entry.info;
}

// Whether the peer has closed the connection.
static bool peer_left(void) {
    struct fi_eq_cm_entry entry;
    uint32_t event;
    ssize_t read = fi_eq_read(eq, &event, &entry, sizeof entry, 0);
    peer_closed |= read == -FI_EAVAIL || (read > 0 && event == FI_SHUTDOWN);
    return peer_closed;
}

// A provider may be out of room until its queue is read: fi_msg(3). Once the peer has closed, the tcp provider has no room for
// ever (seen with libfabric 2.6), though messages it has received may still be in the queue.
static void post_receive(struct op *op) {
    ssize_t result;
    while ((result = fi_recv(ep, op->data, option.size, descriptor, 0, op)) == -FI_EAGAIN) {
        if (peer_left()) {
            return;
        }
        fi_cq_read(cq, NULL, 0);
    }
    check(result, "fi_recv");
}

static void make_buffers(void) {
    size_t bytes = 2 * option.buffers * option.size;
    unsigned char *memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t) 4095);
    pattern = malloc(option.size + 256);
    expected = malloc(option.size);
    ops = calloc(2 * option.buffers, sizeof *ops);
    if (memory == NULL || pattern == NULL || expected == NULL || ops == NULL) {
        die(FAILED, "out of memory");
    }
    for (size_t i = 0; i < option.size + 256; i++) {
        pattern[i] = (unsigned char) i;
    }
    if (info->domain_attr->mr_mode & FI_MR_LOCAL) {
        check(fi_mr_reg(domain, memory, bytes, FI_SEND | FI_RECV, 0, 1, 0, &mr, NULL), "fi_mr_reg");
        descriptor = fi_mr_desc(mr);
    }
    for (size_t i = 0; i < 2 * option.buffers; i++) {
        ops[i].receiving = i < option.buffers;
        ops[i].data = memory + i * option.size;
        if (!ops[i].receiving) {
            ops[i].next = free_sends;
            free_sends = &ops[i];
        }
    }
}

static void open_endpoint(void) {
    struct fi_cq_attr attributes = { .size = 2 * option.buffers + 1, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_UNSPEC };
    check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    check(fi_cq_open(domain, &attributes, &cq, NULL), "fi_cq_open");
    check(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
    check(fi_ep_bind(ep, &eq->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(ep), "fi_enable");
    make_buffers();
    for (size_t i = 0; i < option.buffers; i++) {
        post_receive(&ops[i]);
    }
}

static void establish(void) {
    struct fi_eq_attr attributes = { .wait_obj = FI_WAIT_UNSPEC };
    struct fi_eq_cm_entry entry;
    find();
    check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    check(fi_eq_open(fabric, &attributes, &eq, NULL), "fi_eq_open");
    if (option.listen) {
        await_request();
        open_endpoint();
        check(fi_accept(ep, NULL, 0), "fi_accept");
    } else {
        open_endpoint();
        check(fi_connect(ep, info->dest_addr, NULL, 0), "fi_connect");
    }
    wait_for(FI_CONNECTED, &entry);
}

// ---- both directions

static bool post(struct op *op, size_t length, uint64_t flags) {
    struct iovec vector = { .iov_base = op->data, .iov_len = length };
    struct fi_msg message = { .msg_iov = &vector, .desc = &descriptor, .iov_count = 1, .context = op };
    ssize_t result = fi_sendmsg(ep, &message, flags | FI_COMPLETION);
    if (result == -FI_EAGAIN) {
        return false;
    }
    check(result, "fi_sendmsg");
    free_sends = op->next;
    sends_in_flight++;
    return true;
}

// verbs does not know FI_DELIVERY_COMPLETE: there, every completion already means that the peer has the message.
static uint64_t delivery(void) {
    return strncmp(option.provider, "verbs", 5) == 0 ? 0 : FI_DELIVERY_COMPLETE;
}

static void send_some(void) {
    for (struct op *op; sent.messages < option.send && (op = free_sends) != NULL; ) {
        fill(op->data, sent.messages);
        if (!post(op, option.size, 0)) {
            return;
        }
        add(&sent, op->data, option.size);
    }
    if (option.send > 0 && sent.messages == option.send && !end_sent && free_sends != NULL) {
        end_sent = post(free_sends, 0, delivery());
    }
}

static bool receiving_done(void) {
    return end_received || (option.receive_number > 0 && received.messages == option.receive_number);
}

static bool done(void) {
    bool receives = option.receive || option.receive_number > 0;
    return (!receives || receiving_done()) && (option.send == 0 || (end_sent && sends_in_flight == 0));
}

static void completed(const struct fi_cq_msg_entry *entry) {
    struct op *op = entry->op_context;
    if (!op->receiving) {
        op->next = free_sends;
        free_sends = op;
        sends_in_flight--;
        return;
    }
    if (entry->len == 0) {
        if (!option.receive || end_received) {
            die(WRONG_DATA, "an empty message after message %" PRIu64, received.messages);
        }
        end_received = true;
    } else if (receiving_done() || (!option.receive && option.receive_number == 0)) {
        die(WRONG_DATA, "a message that nobody waits for");
    } else {
        verify(op->data, entry->len);
        if (option.delay > 0) {
            usleep(option.delay);
        }
    }
    post_receive(op);
}

// Waits for completions, at most 50 ms. False if the connection is over.
static bool turn(void) {
    struct fi_cq_msg_entry entries[BATCH];
    ssize_t read = fi_cq_sread(cq, entries, BATCH, NULL, 50);
    for (ssize_t i = 0; i < read; i++) {
        completed(&entries[i]);
    }
    if (read == -FI_EAVAIL) {
        struct fi_cq_err_entry error = { 0 };
        fi_cq_readerr(cq, &error, 0);
        if (error.err != FI_ECANCELED && error.err != FI_ENOTCONN && error.err != FI_ECONNRESET) {
            die(FAILED, "completion: %s", fi_strerror(error.err));
        }
        return false;
    }
    if (read != -FI_EAGAIN && read != -FI_EINTR) {
        check(read, "fi_cq_sread");
    }
    return read > 0 || !peer_left();
}

static void exchange(void) {
    bool connected = true;
    while (!done()) {
        if (!connected) {
            die(PEER_LEFT, "the peer left: %" PRIu64 " messages sent, %" PRIu64 " received", sent.messages, received.messages);
        }
        send_some();
        connected = turn();
    }
    // The acknowledgement of what was received may still be on its way out: let the peer close first, for a second.
    for (int i = 0; i < 20 && connected && receiving_done(); i++) {
        connected = turn();
    }
}

static void close_all(void) {
    struct fid *fids[] = { &ep->fid, mr ? &mr->fid : NULL, &cq->fid, pep ? &pep->fid : NULL, &domain->fid, &eq->fid, &fabric->fid };
    fi_shutdown(ep, 0);
    for (size_t i = 0; i < sizeof fids / sizeof *fids; i++) {
        if (fids[i] != NULL) {
            fi_close(fids[i]);
        }
    }
    fi_freeinfo(info);
}

static void print(const char *what, const struct tally *tally) {
    printf("%s %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", what, tally->messages, tally->bytes, tally->checksum);
}

int main(int count, char **arguments) {
    for (int c; (c = getopt(count, arguments, "lrP:a:p:s:n:m:b:d:t:")) != -1; ) {
        switch (c) {
        case 'l': option.listen = true; break;
        case 'r': option.receive = true; break;
        case 'P': option.port = optarg; break;
        case 'a': option.address = optarg; break;
        case 'p': option.provider = optarg; break;
        case 's': option.send = strtoull(optarg, NULL, 10); break;
        case 'n': option.receive_number = strtoull(optarg, NULL, 10); break;
        case 'm': option.size = strtoul(optarg, NULL, 10); break;
        case 'b': option.buffers = strtoul(optarg, NULL, 10); break;
        case 'd': option.delay = (useconds_t) strtoul(optarg, NULL, 10); break;
        case 't': option.seconds = (unsigned) strtoul(optarg, NULL, 10); break;
        default: return FAILED;
        }
    }
    if (option.size == 0 || option.buffers == 0 || option.seconds == 0) {
        die(FAILED, "sizes, buffers and seconds must be positive");
    }
    alarm(option.seconds);
    establish();
    exchange();
    close_all();
    if (option.send > 0) {
        print("sent", &sent);
    }
    if (option.receive || option.receive_number > 0) {
        print("received", &received);
    }
    return 0;
}

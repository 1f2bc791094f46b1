/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfabric for netio.c, which includes this file if NETIO_LIBFABRIC is defined. The compiler needs libfabric's headers; the library
 * is loaded when the first listener or connection asks for a provider, so a program runs without it as long as nobody does.
 *
 * A page is a message of an endpoint of type FI_EP_MSG. It is copied into one of a few registered buffers, and stays there until its
 * completion. As many receive buffers are posted as the peer has credits, and two more, so that a credit that is returned is always
 * posted. Each connection has a completion queue; the connections of a domain have one event queue, and each listener has its own.
 * A queue is read when its descriptor is readable, or fi_trywait() says that the loop must not wait.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#define FAB_VERSION FI_VERSION(1, 17)
#define FAB_SENDS 16
#define FAB_SPARE 2
#define FAB_EVENT_BYTES 1024
#define FAB_STARVED_MS 2   /* how often a connection without a posted buffer is looked at while it sends */
#define FAB_LINGER_MS 60000 /* how long one that was closed may go on to send */

static struct {
    int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *, struct fi_info **);
    void (*freeinfo)(struct fi_info *);
    struct fi_info *(*dupinfo)(const struct fi_info *);
    int (*fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
    const char *(*text)(int);
} fab_library;

/* What a name says in the version that these headers describe; later libraries have it still. */
static void *fab_symbol(void *library, const char *name, const char *version) {
    void *found = dlvsym(library, name, version);
    return found != NULL ? found : dlsym(library, name);
}

static void fab_load_once(void) {
    void *library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) {
        *(void **)&fab_library.freeinfo = fab_symbol(library, "fi_freeinfo", "FABRIC_1.3");
        *(void **)&fab_library.dupinfo = fab_symbol(library, "fi_dupinfo", "FABRIC_1.3");
        *(void **)&fab_library.fabric = fab_symbol(library, "fi_fabric", "FABRIC_1.1");
        *(void **)&fab_library.text = fab_symbol(library, "fi_strerror", "FABRIC_1.0");
        *(void **)&fab_library.getinfo = fab_symbol(library, "fi_getinfo", "FABRIC_1.3");
    }
}

static bool fab_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fab_load_once);
    return fab_library.getinfo != NULL && fab_library.freeinfo != NULL && fab_library.dupinfo != NULL && fab_library.fabric != NULL
            && fab_library.text != NULL;
}

/* An open fabric, by its name. */
struct fab_fabric {
    struct fab_fabric *next;
    struct fid_fabric *fabric;
    char *name;
};

/* A domain, and the event queue of its connections. */
struct fab_net {
    struct fab_net *next;
    struct fab_fabric *in;
    struct fid_domain *domain;
    struct fid_eq *eq;
    char *name;
    uint32_t readable;
    uint64_t keys;
};

/* A buffer that is posted, or free. libfabric has the context until the completion. */
struct fab_slot {
    struct fi_context2 context;
    uint8_t *data;
    uint32_t length;
    bool send;
};

/* What a connection has of libfabric. */
struct fab {
    struct fab_net *net;
    struct fid_ep *ep;
    struct fid_cq *cq;
    struct fid_mr *mr;
    void *descriptor;
    uint8_t *memory;
    struct fab_slot *slots;
    uint32_t *ring, *free_sends; /* those that have come and are not taken yet, in their order; those that are free */
    uint32_t receives, sends, ring_head, ring_count, free_count, posted, readable;
    uint64_t closing_until;
    int fd;
    bool established, shut, watched, acknowledged;
};

struct fab_listener {
    struct fab_fabric *in;
    struct fid_pep *pep;
    struct fid_eq *eq;
    uint32_t readable;
};

static int fab_errno(int code) {
    errno = code < 0 ? -code : code;
    return code;
}

static bool fab_watch(netio *ctx, int fd, uint32_t *readable) {
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = (uint64_t)(uintptr_t)readable | 2};
    *readable = 1;
    return epoll_ctl(ctx->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static struct fi_info *fab_info(const char *provider, const char *host, uint16_t port, bool listens) {
    struct fi_info *found = NULL;
    if (!fab_loaded()) {
        errno = ELIBACC;
        return NULL;
    }
    struct fi_info *hints = fab_library.dupinfo(NULL);
    if (hints == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    /* the peer's keep-alive over verbs is a write of no bytes, which needs FI_RMA on both sides */
    hints->caps = strncmp(provider, "verbs", 5) == 0 ? FI_MSG | FI_RMA : FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(provider);
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    int result = fab_library.getinfo(FAB_VERSION, host, service, listens ? FI_SOURCE : 0, hints, &found);
    fab_library.freeinfo(hints);
    if (result != 0) {
        fab_errno(result == -FI_ENODATA ? ENODEV : result);
        return NULL;
    }
    return found;
}

static struct fab_fabric *fab_fabric(netio *ctx, const char *name, struct fi_info *info) {
    for (struct fab_fabric *f = ctx->fabrics; f != NULL; f = f->next) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    struct fab_fabric *f = calloc(1, sizeof *f);
    if (f == NULL || (f->name = strdup(name)) == NULL || fab_errno(fab_library.fabric(info->fabric_attr, &f->fabric, NULL)) != 0) {
        if (f != NULL) {
            free(f->name);
        }
        free(f);
        return NULL;
    }
    f->next = ctx->fabrics;
    ctx->fabrics = f;
    return f;
}

/* An event queue with its descriptor in the loop; NULL: errno says why. */
static struct fid_eq *fab_queue(netio *ctx, struct fid_fabric *fabric, uint32_t *readable) {
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_FD};
    struct fid_eq *eq = NULL;
    int fd = -1;
    if (fab_errno(fi_eq_open(fabric, &attributes, &eq, NULL)) != 0) {
        return NULL;
    }
    if (fab_errno(fi_control(&eq->fid, FI_GETWAIT, &fd)) != 0 || !fab_watch(ctx, fd, readable)) {
        fi_close(&eq->fid);
        return NULL;
    }
    return eq;
}

static void fab_unwatch(netio *ctx, struct fid *queue) {
    int fd = -1;
    if (fi_control(queue, FI_GETWAIT, &fd) == 0 && fd >= 0) {
        epoll_ctl(ctx->epoll, EPOLL_CTL_DEL, fd, NULL);
    }
}

static struct fab_net *fab_net(netio *ctx, const char *fabric, struct fi_info *info) {
    for (struct fab_net *n = ctx->nets; n != NULL; n = n->next) {
        if (strcmp(n->name, info->domain_attr->name) == 0 && strcmp(n->in->name, fabric) == 0) {
            return n;
        }
    }
    struct fab_net *n = calloc(1, sizeof *n);
    if (n == NULL) {
        return NULL;
    }
    n->in = fab_fabric(ctx, fabric, info);
    n->name = strdup(info->domain_attr->name);
    if (n->in == NULL || n->name == NULL || fab_errno(fi_domain(n->in->fabric, info, &n->domain, NULL)) != 0
            || (n->eq = fab_queue(ctx, n->in->fabric, &n->readable)) == NULL) {
        int error = errno;
        if (n->domain != NULL) {
            fi_close(&n->domain->fid);
        }
        free(n->name);
        free(n);
        errno = error;
        return NULL;
    }
    n->next = ctx->nets;
    ctx->nets = n;
    return n;
}

static void fab_close(netio_connection *c) {
    struct fab *f = c->fab;
    if (f == NULL) {
        return;
    }
    if (f->watched) {
        epoll_ctl(c->ctx->epoll, EPOLL_CTL_DEL, f->fd, NULL);
        f->watched = false;
    }
    if (f->ep != NULL) {
        if (f->established && !f->shut) {
            fi_shutdown(f->ep, 0);
        }
        fi_close(&f->ep->fid);
    }
    if (f->cq != NULL) {
        fi_close(&f->cq->fid);
    }
    if (f->mr != NULL) {
        fi_close(&f->mr->fid);
    }
    f->ep = NULL;
    f->cq = NULL;
    f->mr = NULL;
}

/* The memory goes with that of the connection, because callbacks may be reading in it. */
static void fab_free(netio_connection *c) {
    if (c->fab != NULL) {
        free(c->fab->memory);
        free(c->fab->slots);
        free(c->fab->ring);
        free(c->fab->free_sends);
        free(c->fab);
    }
}

static int fab_post(netio_connection *c, struct fab_slot *slot) {
    struct fab *f = c->fab;
    ssize_t result = fi_recv(f->ep, slot->data, c->s.page, f->descriptor, 0, &slot->context);
    if (result == 0) {
        f->posted++;
        if (!f->watched && f->fd >= 0) {
            f->watched = fab_watch(c->ctx, f->fd, &f->readable);
        }
    }
    return (int)result;
}

/* Opens the endpoint of a connection, with its receive buffers posted. 0, or a negative code. */
static int fab_open(netio_connection *c, const char *fabric, struct fi_info *info) {
    struct fab *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -ENOMEM;
    }
    c->fab = f;
    c->out_head = c->out_tail = 0; /* the handshake is the private data of the connection */
    f->fd = -1;
    f->receives = c->s.data_pages + (c->s.framing == NETIO_STREAM ? c->s.control_pages : 0) + FAB_SPARE;
    f->sends = (uint32_t)least(FAB_SENDS, info->tx_attr->size);
    f->acknowledged = strncmp(info->fabric_attr->prov_name, "verbs", 5) == 0;
    if (f->receives > info->rx_attr->size) {
        return -EINVAL;
    }
    uint32_t all = f->receives + f->sends;
    size_t bytes = (size_t)all * c->s.page;
    void *memory = NULL;
    f->slots = calloc(all, sizeof *f->slots);
    f->ring = calloc(f->receives, sizeof *f->ring);
    f->free_sends = calloc(f->sends, sizeof *f->free_sends);
    if (f->slots == NULL || f->ring == NULL || f->free_sends == NULL || posix_memalign(&memory, 4096, bytes) != 0) {
        return -ENOMEM;
    }
    f->memory = memory;
    f->net = fab_net(c->ctx, fabric, info);
    if (f->net == NULL) {
        return -errno;
    }
    struct fi_cq_attr attributes = {.size = all + 8, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD};
    int result = fi_endpoint(f->net->domain, info, &f->ep, NULL);
    result = result != 0 ? result : fi_cq_open(f->net->domain, &attributes, &f->cq, NULL);
    result = result != 0 ? result : fi_control(&f->cq->fid, FI_GETWAIT, &f->fd);
    if (result == 0 && (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
        result = fi_mr_reg(f->net->domain, memory, bytes, FI_SEND | FI_RECV, 0, ++f->net->keys, 0, &f->mr, NULL);
        f->descriptor = result == 0 ? fi_mr_desc(f->mr) : NULL;
    }
    result = result != 0 ? result : fi_ep_bind(f->ep, &f->net->eq->fid, 0);
    result = result != 0 ? result : fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV);
    result = result != 0 ? result : fi_enable(f->ep);
    for (uint32_t i = 0; result == 0 && i < all; i++) {
        struct fab_slot *slot = &f->slots[i];
        slot->data = f->memory + (size_t)i * c->s.page;
        slot->send = i >= f->receives;
        if (slot->send) {
            f->free_sends[f->free_count++] = i;
        } else {
            result = fab_post(c, slot);
        }
    }
    f->net->readable = 1;
    return result;
}

/* ---- Sending ---- */

static bool fab_idle(const netio_connection *c) { return c->fab->free_count == c->fab->sends; }

/* Hands whole pages to libfabric, as long as there are buffers. */
static void fab_write(netio_connection *c, size_t end) {
    struct fab *f = c->fab;
    while (c->out_head < end && f->free_count > 0 && !c->out_broken) {
        uint32_t length = get32(c->out + c->out_head);
        struct fab_slot *slot = &f->slots[f->free_sends[f->free_count - 1]];
        copy(slot->data, c->out + c->out_head + PREFIX, length);
        struct iovec v = {.iov_base = slot->data, .iov_len = length};
        struct fi_msg message = {.msg_iov = &v, .desc = &f->descriptor, .iov_count = 1, .context = &slot->context};
        /* with tcp a completion means little, so the last page asks for the peer's acknowledgement */
        bool ask = c->out_head + PREFIX + length == end && !f->acknowledged
                && (c->state == CLOSING || c->s.framing != NETIO_STREAM);
        ssize_t result = fi_sendmsg(f->ep, &message, FI_COMPLETION | (ask ? FI_DELIVERY_COMPLETE : 0));
        f->readable = 1;
        if (result == -FI_EAGAIN) {
            return;
        }
        if (result != 0) {
            c->out_broken = true;
            return;
        }
        f->free_count--;
        c->out_head += PREFIX + length;
        c->last_out = c->ctx->now;
    }
}

/* Whether a connection that was closed goes on to send: there is no kernel that would do it instead. */
static bool fab_lingers(netio_connection *c) {
    if (c->fab->closing_until == 0) {
        c->fab->closing_until = c->ctx->now + FAB_LINGER_MS;
    }
    c->deadline = c->ctx->now + LINGER_MS;
    mark(c);
    return !c->fab->shut && !c->out_broken && !(fab_idle(c) && c->out_head == c->out_tail)
            && c->ctx->now < c->fab->closing_until;
}

/* ---- Receiving ---- */

static void fab_closed(netio_connection *c) {
    if (c->state == CLOSING) {
        connection_gone(c);
    } else {
        peer_closed(c, true, "the peer has closed");
    }
}

/* Takes the pages that have come, and posts their buffers again. */
static void fab_process(netio_connection *c) {
    struct fab *f = c->fab;
    bool stopped = false;
    while (f->ring_count > 0 && (c->state == OPEN || c->state == CLOSING)) {
        struct fab_slot *slot = &f->slots[f->ring[f->ring_head]];
        if (c->state == OPEN && c->s.framing == NETIO_STREAM) {
            take_page(c, slot->data, slot->length);
        } else if (c->state == OPEN && !take_plain(c, slot->data, slot->length)) {
            stopped = true;
            break;
        }
        f->ring_head = (f->ring_head + 1) % f->receives;
        f->ring_count--;
        if (c->state == DEAD) {
            return;
        }
        int result = fab_post(c, slot);
        if (result != 0 && !f->shut) {
            f->shut = true; /* the event that says why comes, or has come */
        }
    }
    c->stopped = stopped;
    if (f->posted == 0 && f->watched) { /* tcp keeps the descriptor readable as long as there is no buffer */
        epoll_ctl(c->ctx->epoll, EPOLL_CTL_DEL, f->fd, NULL);
        f->watched = false;
    }
    if (f->shut && !stopped && c->state != DEAD) {
        fab_closed(c);
    }
}

static void fab_failed(netio_connection *c, const struct fi_cq_err_entry *error) {
    struct fab *f = c->fab;
    struct fab_slot *slot = error->op_context;
    if (slot != NULL && slot->send) {
        c->out_broken = true;
        f->free_sends[f->free_count++] = (uint32_t)(slot - f->slots);
        mark(c);
    } else if (slot != NULL) {
        f->posted--;
    }
    if (error->err == FI_ECANCELED || error->err == FI_ENOTCONN || error->err == FI_ECONNRESET || error->err == FI_ECONNABORTED) {
        f->shut = true; /* the peer has gone */
    } else if (c->state == CLOSING) {
        f->shut = true;
    } else {
        end_connection(c, NETIO_LOST, error->err == FI_ETRUNC ? "a page is larger than allowed" : fab_library.text(error->err), false);
    }
}

/* Reads the completions. */
static void fab_read(netio_connection *c) {
    struct fab *f = c->fab;
    for (int rounds = 0; rounds < 8 && f->cq != NULL; rounds++) {
        struct fi_cq_msg_entry entries[32];
        ssize_t n = fi_cq_read(f->cq, entries, 32);
        if (n == -FI_EAGAIN) {
            f->readable = 0;
            break;
        }
        if (n == -FI_EAVAIL) {
            struct fi_cq_err_entry error = {0};
            if (fi_cq_readerr(f->cq, &error, 0) > 0) {
                fab_failed(c, &error);
            }
            continue;
        }
        if (n < 0) {
            f->shut = true;
            break;
        }
        for (ssize_t i = 0; i < n; i++) {
            struct fab_slot *slot = entries[i].op_context;
            if (slot->send) {
                f->free_sends[f->free_count++] = (uint32_t)(slot - f->slots);
                mark(c);
            } else {
                slot->length = (uint32_t)entries[i].len;
                f->ring[(f->ring_head + f->ring_count++) % f->receives] = (uint32_t)(slot - f->slots);
                f->posted--;
                c->last_in = c->ctx->now;
            }
        }
        if (f->established) {
            fab_process(c);
        }
    }
    if (f->cq != NULL && f->established) {
        fab_process(c);
        mark(c);
    }
}

/* ---- Events ---- */

static netio_connection *fab_find(netio *ctx, const struct fid *fid) {
    for (netio_connection *c = ctx->connections; c != NULL; c = c->next) {
        if (c->fab != NULL && c->fab->ep != NULL && &c->fab->ep->fid == fid) {
            return c;
        }
    }
    return NULL; /* it was closed meanwhile */
}

static void fab_connected(netio_connection *c, const uint8_t *data, size_t n) {
    if (c->state != CONNECTING && c->state != SHAKING) {
        return;
    }
    c->fab->established = true;
    c->fab->readable = 1;
    if (c->accepted || c->s.framing != NETIO_STREAM) { /* an accepted one has had the peer's handshake with the request */
        connection_open(c);
    } else if (n < HANDSHAKE) {
        end_connection(c, NETIO_LOST, "the peer does not speak this protocol", false);
    } else {
        copy(c->in, data, HANDSHAKE);
        c->in_head = 0;
        c->state = SHAKING;
        take_handshake(c);
    }
}

static void fab_read_events(netio *ctx, struct fab_net *net) {
    union {
        struct fi_eq_cm_entry entry;
        uint8_t bytes[FAB_EVENT_BYTES];
    } u;
    for (int i = 0; i < 64; i++) {
        uint32_t event = 0;
        ssize_t n = fi_eq_read(net->eq, &event, &u, sizeof u, 0);
        if (n == -FI_EAVAIL) {
            struct fi_eq_err_entry error = {0};
            netio_connection *c = fi_eq_readerr(net->eq, &error, 0) > 0 ? fab_find(ctx, error.fid) : NULL;
            if (c != NULL) {
                c->fab->shut = true;
                if (c->state == CLOSING) {
                    connection_gone(c);
                } else {
                    c->eof = true;
                    end_connection(c, NETIO_LOST, fab_library.text(error.err), false);
                }
            }
            continue;
        }
        if (n < 0) {
            net->readable = 0;
            return;
        }
        netio_connection *c = fab_find(ctx, u.entry.fid);
        if (c != NULL && event == FI_CONNECTED) {
            fab_connected(c, u.entry.data, (size_t)n - sizeof u.entry);
        } else if (c != NULL && event == FI_SHUTDOWN) {
            c->fab->shut = true; /* behind what has come */
            c->fab->readable = 1;
        }
    }
}

static void fab_accept(netio_listener *l, struct fi_info *info, const uint8_t *data, size_t n) {
    netio *ctx = l->ctx;
    fid_t request = info->handle;
    netio_connection *c = l->connections >= l->s.accepted ? NULL : connection_new(ctx, -1, &l->s, &l->events, true);
    uint8_t mine[HANDSHAKE];
    size_t size = c != NULL && c->s.framing == NETIO_STREAM ? HANDSHAKE : 0;
    const char *wrong = NULL;
    if (size > 0) {
        copy(mine, c->out, HANDSHAKE);
        copy(c->in, data, least(n, HANDSHAKE));
        wrong = n < HANDSHAKE ? "no handshake" : agree(c);
    }
    if (c == NULL || wrong != NULL) {
        fi_reject(l->fab->pep, request, mine, size); /* so both know why */
        if (c != NULL) {
            connection_gone(c);
        }
        fab_library.freeinfo(info);
        return;
    }
    c->listener = l;
    l->connections++;
    int result = fab_open(c, l->fab->in->name, info);
    bool taken = c->fab != NULL && c->fab->ep != NULL;
    result = result != 0 ? result : fi_accept(c->fab->ep, mine, size);
    if (result != 0) {
        if (!taken) { /* an endpoint owns the request, and closes it */
            fi_reject(l->fab->pep, request, NULL, 0);
        }
        connection_gone(c);
    }
    fab_library.freeinfo(info);
}

static void fab_read_requests(netio_listener *l, bool accept) {
    union {
        struct fi_eq_cm_entry entry;
        uint8_t bytes[FAB_EVENT_BYTES];
    } u;
    for (int i = 0; i < 64 && l->fab != NULL; i++) {
        uint32_t event = 0;
        ssize_t n = fi_eq_read(l->fab->eq, &event, &u, sizeof u, 0);
        if (n == -FI_EAVAIL) {
            struct fi_eq_err_entry error = {0};
            fi_eq_readerr(l->fab->eq, &error, 0);
        } else if (n < 0) {
            l->fab->readable = 0;
            return;
        } else if (event == FI_CONNREQ && accept) {
            fab_accept(l, u.entry.info, u.entry.data, (size_t)n - sizeof u.entry);
        } else if (event == FI_CONNREQ) {
            fi_reject(l->fab->pep, u.entry.info->handle, NULL, 0);
            fab_library.freeinfo(u.entry.info);
        }
    }
}

/* ---- For the loop ---- */

static bool fab_sleeps(struct fab_fabric *in, struct fid *queue, uint32_t *readable) {
    if (*readable == 0) {
        struct fid *queues[] = {queue};
        *readable = fi_trywait(in->fabric, queues, 1) == FI_SUCCESS ? 0 : 1;
    }
    return *readable == 0;
}

/* How long the loop may wait: as given, or less. */
static int fab_timeout(netio *ctx, int timeout) {
    bool sleeps = true;
    for (struct fab_net *n = ctx->nets; n != NULL; n = n->next) {
        sleeps &= fab_sleeps(n->in, &n->eq->fid, &n->readable);
    }
    for (netio_listener *l = ctx->nets == NULL && ctx->fabrics == NULL ? NULL : ctx->listeners; l != NULL; l = l->next) {
        sleeps &= l->fab == NULL || fab_sleeps(l->fab->in, &l->fab->eq->fid, &l->fab->readable);
    }
    for (netio_connection *c = ctx->nets == NULL ? NULL : ctx->connections; c != NULL; c = c->next) {
        struct fab *f = c->fab;
        if (f == NULL || f->cq == NULL) {
            continue;
        }
        if (f->watched) {
            sleeps &= fab_sleeps(f->net->in, &f->cq->fid, &f->readable);
        } else if (!fab_idle(c)) {
            f->readable = 1;
            timeout = timeout < 0 || timeout > FAB_STARVED_MS ? FAB_STARVED_MS : timeout;
        }
    }
    return sleeps ? timeout : 0;
}

static void fab_poll(netio *ctx) {
    for (struct fab_net *n = ctx->nets; n != NULL; n = n->next) {
        if (n->readable != 0) {
            fab_read_events(ctx, n);
        }
    }
    for (netio_listener *l = ctx->listeners, *next; l != NULL; l = next) {
        next = l->next;
        if (l->fab != NULL && l->fab->readable != 0) {
            fab_read_requests(l, true);
        }
    }
    for (netio_connection *c = ctx->nets == NULL ? NULL : ctx->connections, *next; c != NULL; c = next) {
        next = c->next;
        if (c->fab != NULL && c->fab->cq != NULL && c->fab->readable != 0) {
            fab_read(c);
        }
        if (next != NULL && next->state == DEAD) { /* a callback has closed it: the rest comes in the next turn */
            return;
        }
    }
}

static void fab_done(netio *ctx) {
    while (ctx->nets != NULL) {
        struct fab_net *n = ctx->nets;
        ctx->nets = n->next;
        fi_close(&n->domain->fid);
        fab_unwatch(ctx, &n->eq->fid);
        fi_close(&n->eq->fid);
        free(n->name);
        free(n);
    }
    while (ctx->fabrics != NULL) {
        struct fab_fabric *f = ctx->fabrics;
        ctx->fabrics = f->next;
        fi_close(&f->fabric->fid);
        free(f->name);
        free(f);
    }
}

/* ---- Listening and connecting ---- */

static bool fab_listen(netio_listener *l, const char *host, uint16_t port) {
    struct fab_listener *f = calloc(1, sizeof *f);
    struct fi_info *info = f == NULL ? NULL : fab_info(l->s.provider, host, port, true);
    if (info == NULL) {
        free(f);
        return false;
    }
    f->in = fab_fabric(l->ctx, info->fabric_attr->name, info);
    bool made = f->in != NULL && fab_errno(fi_passive_ep(f->in->fabric, info, &f->pep, NULL)) == 0
            && (f->eq = fab_queue(l->ctx, f->in->fabric, &f->readable)) != NULL
            && fab_errno(fi_pep_bind(f->pep, &f->eq->fid, 0)) == 0 && fab_errno(fi_listen(f->pep)) == 0;
    int error = errno;
    fab_library.freeinfo(info);
    l->fab = f;
    if (!made) {
        fab_listener_close(l);
        errno = error;
    }
    return made;
}

static void fab_listener_close(netio_listener *l) {
    if (l->fab == NULL) {
        return;
    }
    if (l->fab->pep != NULL) {
        if (l->fab->eq != NULL) {
            fab_read_requests(l, false); /* those that nobody will accept */
        }
        fi_close(&l->fab->pep->fid);
    }
    if (l->fab->eq != NULL) {
        fab_unwatch(l->ctx, &l->fab->eq->fid);
        fi_close(&l->fab->eq->fid);
    }
    free(l->fab);
    l->fab = NULL;
}

static void fab_address(const netio_listener *l, void *address, socklen_t *n) {
    size_t size = *n;
    if (fi_getname(&l->fab->pep->fid, address, &size) == 0) {
        *n = (socklen_t)size;
    }
}

static netio_connection *fab_connect(netio *ctx, const char *host, uint16_t port, const netio_settings *settings,
        const netio_connection_events *events) {
    struct fi_info *info = fab_info(settings->provider, host, port, false);
    netio_connection *c = info == NULL ? NULL : connection_new(ctx, -1, settings, events, false);
    if (c != NULL) {
        uint8_t mine[HANDSHAKE];
        size_t size = settings->framing == NETIO_STREAM ? HANDSHAKE : 0;
        copy(mine, c->out, size);
        int result = fab_open(c, info->fabric_attr->name, info);
        result = result != 0 ? result : fi_connect(c->fab->ep, info->dest_addr, mine, size);
        if (result != 0) {
            connection_gone(c);
            c = NULL;
            fab_errno(result);
        }
    }
    int error = errno;
    if (info != NULL) {
        fab_library.freeinfo(info);
    }
    errno = error;
    return c;
}

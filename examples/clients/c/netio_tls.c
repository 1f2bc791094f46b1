/* SPDX-License-Identifier: Apache-2.0 */
/* TLS of connections, with OpenSSL 3 (-lssl -lcrypto). Part of netio.c where NETIO_TLS is defined. A page is sealed as a whole. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum { TLS_PAGE = 0, TLS_GREETING = 1, TLS_HEADER = 5, TLS_OWN = 17920 };

struct tls {
    SSL *ssl;
    BIO *in, *out;
    uint8_t *plain, *open; /* a page and the byte behind it: one that leaves, and one that has come */
    size_t size;
    bool shaken, greeted, ended;
    uint8_t peer[HANDSHAKE];
};

static void tls_free(netio_connection *c) {
    if (c->tls != NULL) {
        SSL_free(c->tls->ssl);
        free(c->tls->plain);
        free(c->tls->open);
        free(c->tls);
        c->tls = NULL;
    }
}

static bool tls_new(netio_connection *c) {
    struct tls *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return false;
    }
    c->tls = t;
    t->size = (c->s.page < HANDSHAKE ? HANDSHAKE : c->s.page) + 1u;
    t->plain = malloc(t->size);
    t->open = malloc(t->size);
    t->ssl = SSL_new(c->s.tls);
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    if (t->ssl == NULL || t->in == NULL || t->out == NULL) {
        BIO_free(t->in);
        BIO_free(t->out);
        return false;
    }
    SSL_set_bio(t->ssl, t->in, t->out);
    if (c->accepted) {
        SSL_set_accept_state(t->ssl);
    } else {
        SSL_set_connect_state(t->ssl);
        SSL_set_verify(t->ssl, SSL_VERIFY_PEER, NULL);
    }
    return t->plain != NULL && t->open != NULL;
}

/* The name or address that the listener's certificate has to be for. */
static bool tls_host(netio_connection *c, const char *host) {
    const char *name = c->s.tls_name != NULL ? c->s.tls_name : host;
    c->s.tls_name = NULL; /* the user's, who may free it now */
    X509_VERIFY_PARAM *rules = SSL_get0_param(c->tls->ssl);
    return X509_VERIFY_PARAM_set1_ip_asc(rules, name) == 1
            || (SSL_set1_host(c->tls->ssl, name) == 1 && SSL_set_tlsext_host_name(c->tls->ssl, name) == 1);
}

/* What the peer has said in the clear. */
static void tls_met(netio_connection *c, const uint8_t *handshake) { copy(c->tls->peer, handshake, HANDSHAKE); }
static const uint8_t *tls_content(const netio_connection *c) { return c->tls->open; }
static bool tls_is_greeted(const netio_connection *c) { return c->tls->greeted; }
static bool tls_is_ended(const netio_connection *c) { return c->tls->ended; }

static const char *tls_problem(const netio_connection *c) {
    long verified = SSL_get_verify_result(c->tls->ssl);
    const char *reason = verified != X509_V_OK ? X509_verify_cert_error_string(verified)
            : ERR_reason_error_string(ERR_peek_last_error());
    return reason != NULL ? reason : "TLS has failed";
}

/* A message of so many bytes that are next in what the engine has said. */
static bool tls_write(netio_connection *c, size_t n) {
    if (!room_after_writing(c, PREFIX + n)) {
        return false;
    }
    put32(append(c, PREFIX), (uint32_t)n);
    BIO_read(c->tls->out, append(c, n), (int)n);
    mark(c);
    return true;
}

/* Sends what the engine has to say by itself: whole records, as many in a message as may be. */
static bool tls_said(netio_connection *c) {
    char *data;
    if (BIO_ctrl_pending(c->tls->out) > 0) {
        close_page(c); /* one that is being written goes first, and takes along what is said already */
    }
    long all = BIO_get_mem_data(c->tls->out, &data);
    while (all > 0) {
        size_t n = 0;
        for (long at = 0; at + TLS_HEADER <= all;) {
            long end = at + TLS_HEADER + ((long)(uint8_t)data[at + 3] << 8 | (uint8_t)data[at + 4]);
            if (end > all || (end > TLS_OWN && n > 0)) {
                break;
            }
            n = (size_t)(at = end);
        }
        if (n == 0 || !tls_write(c, n)) {
            return false;
        }
        all = BIO_get_mem_data(c->tls->out, &data);
    }
    return true;
}

/* Puts the sealed content in the place of the open one, which is at the end of the output behind its prefix. */
static bool tls_seal_last(netio_connection *c, size_t at, uint8_t kind) {
    struct tls *t = c->tls;
    size_t n = c->out_tail - at - PREFIX;
    copy(t->plain, c->out + at + PREFIX, n);
    t->plain[n] = kind;
    size_t written = 0;
    ERR_clear_error();
    if (SSL_write_ex(t->ssl, t->plain, n + 1, &written) != 1 || written != n + 1) {
        return false;
    }
    size_t sealed = BIO_ctrl_pending(t->out);
    if (at + PREFIX + sealed > c->out_capacity) {
        return false;
    }
    BIO_read(t->out, c->out + at + PREFIX, (int)sealed);
    put32(c->out + at, (uint32_t)sealed);
    c->out_tail = at + PREFIX + sealed;
    return true;
}

static bool tls_greet(netio_connection *c) {
    if (!room_after_writing(c, PREFIX + TLS_OWN)) {
        return false;
    }
    size_t at = c->out_tail;
    append(c, PREFIX);
    write_handshake(append(c, HANDSHAKE), &c->mine);
    mark(c);
    return tls_seal_last(c, at, TLS_GREETING);
}

/* Goes on with the handshake. Returns what is wrong. */
static const char *tls_shake(netio_connection *c) {
    struct tls *t = c->tls;
    ERR_clear_error();
    int result = SSL_do_handshake(t->ssl);
    bool failed = result != 1 && SSL_get_error(t->ssl, result) != SSL_ERROR_WANT_READ;
    const char *problem = failed ? tls_problem(c) : NULL;
    if (!tls_said(c) && problem == NULL) {
        return "no room for the TLS handshake";
    }
    if (result == 1) {
        t->shaken = true;
        return tls_greet(c) ? NULL : "no room for the TLS handshake";
    }
    return problem;
}

/* Opens a message. The content is empty if it has no page. Returns what is wrong. */
static const char *tls_take(netio_connection *c, const uint8_t *p, size_t n, size_t *content) {
    struct tls *t = c->tls;
    *content = 0;
    if (n == 0 || BIO_write(t->in, p, (int)n) != (int)n) {
        return "a sealed message without a record";
    }
    if (!t->shaken) {
        const char *wrong = tls_shake(c);
        if (wrong != NULL || !t->shaken) {
            return wrong;
        }
    }
    size_t got = 0, some = 0;
    uint8_t more;
    ERR_clear_error();
    int result;
    while ((result = SSL_read_ex(t->ssl, got < t->size ? t->open + got : &more, got < t->size ? t->size - got : 1, &some)) == 1) {
        if (got == t->size) {
            return "a page is larger than allowed";
        }
        got += some;
    }
    int error = SSL_get_error(t->ssl, result);
    t->ended = error == SSL_ERROR_ZERO_RETURN;
    if (!t->ended && error != SSL_ERROR_WANT_READ) {
        return tls_problem(c);
    }
    if (!tls_said(c)) {
        return "no room for what TLS has to say";
    }
    if (got == 0) {
        return NULL;
    }
    if (!t->greeted) {
        if (got != HANDSHAKE + 1 || t->open[HANDSHAKE] != TLS_GREETING || memcmp(t->open, t->peer, HANDSHAKE) != 0) {
            return "what the peer said before TLS was changed on its way";
        }
        t->greeted = true;
        return NULL;
    }
    if (t->open[got - 1] != TLS_PAGE) {
        return "a sealed message of an unknown kind";
    }
    *content = got - 1;
    return NULL;
}

/* Says that nothing follows. */
static void tls_end(netio_connection *c) {
    if (c->tls->shaken) {
        SSL_shutdown(c->tls->ssl);
    }
    (void)tls_said(c);
}

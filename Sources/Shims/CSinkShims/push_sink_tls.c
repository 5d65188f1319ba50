// The server side of TLS for pushsink. See push_sink.h.

#include "push_sink.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct push_sink_tls_context {
    SSL_CTX *ssl;
    unsigned char protocols[64];  // the length byte and the text of each protocol, as ALPN encodes them
    unsigned int protocols_length;
};

// push_sink_tls is pushsink's name for OpenSSL's SSL.
static SSL *ssl_of(push_sink_tls *tls) { return (SSL *)tls; }

static push_sink_tls_context *give_up(push_sink_tls_context *context, const char *what, const char *path,
                                      char *error, size_t capacity) {
    unsigned long code = ERR_peek_last_error();
    snprintf(error, capacity, "%s %s: %s", what, path,
             code ? ERR_reason_error_string(code) : "unknown cause");
    ERR_clear_error();
    push_sink_tls_context_free(context);
    return NULL;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                           const unsigned char *in, unsigned int in_length, void *argument) {
    (void)ssl;
    const push_sink_tls_context *context = argument;
    int result = SSL_select_next_proto((unsigned char **)out, out_length, context->protocols,
                                       context->protocols_length, in, in_length);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int let_pass(int verified, X509_STORE_CTX *store) {
    (void)verified;
    (void)store;
    return 1;  // SSL_get_verify_result still returns the actual result
}

push_sink_tls_context *push_sink_tls_context_make(
    const char *identity, const char *authority, const char *protocols, bool require, bool lenient,
    char *error, size_t capacity) {
    push_sink_tls_context *context = calloc(1, sizeof *context);
    size_t length = strlen(protocols);
    if (context == NULL || length >= sizeof context->protocols) {
        snprintf(error, capacity, "out of memory");
        free(context);
        return NULL;
    }
    context->protocols_length = (unsigned int)length + 1;
    for (size_t from = 0; from <= length;) {
        size_t count = strcspn(protocols + from, ",");
        context->protocols[from] = (unsigned char)count;
        memcpy(context->protocols + from + 1, protocols + from, count);
        from += count + 1;
    }
    SSL_CTX *ssl = context->ssl = SSL_CTX_new(TLS_server_method());
    if (ssl == NULL) return give_up(context, "cannot set up", "TLS", error, capacity);
    SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
    // Each connection performs a full handshake, without resumption, because clients do not use short
    // connections for pushes.
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_num_tickets(ssl, 0);
    // AES-128 comes first because it costs the least CPU time: the sink shares its cores with the program
    // that it measures.
    SSL_CTX_set_ciphersuites(
        ssl, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
    SSL_CTX_set_mode(ssl, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE
                              | SSL_MODE_RELEASE_BUFFERS);
    // One system call reads several records, because requests arrive in quick succession.
    SSL_CTX_set_read_ahead(ssl, 1);
    SSL_CTX_set_default_read_buffer_len(ssl, 128 * 1024);
    if (length > 0) SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, context);

    if (SSL_CTX_use_certificate_chain_file(ssl, identity) != 1
        || SSL_CTX_use_PrivateKey_file(ssl, identity, SSL_FILETYPE_PEM) != 1)
        return give_up(context, "cannot use the server's certificate in", identity, error, capacity);
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(authority);
    if (names == NULL || SSL_CTX_load_verify_file(ssl, authority) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return give_up(context, "cannot use the authority in", authority, error, capacity);
    }
    SSL_CTX_set_client_CA_list(ssl, names);
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | (require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       lenient ? let_pass : NULL);
    return context;
}

void push_sink_tls_context_free(push_sink_tls_context *context) {
    SSL_CTX_free(context->ssl);
    free(context);
}

push_sink_tls *push_sink_tls_make(push_sink_tls_context *context, int descriptor) {
    SSL *ssl = SSL_new(context->ssl);
    if (ssl == NULL) return NULL;
    if (SSL_set_fd(ssl, descriptor) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_accept_state(ssl);
    return (push_sink_tls *)ssl;
}

void push_sink_tls_free(push_sink_tls *tls) {
    SSL_free(ssl_of(tls));
    ERR_clear_error();
}

static int meaning(SSL *ssl, int result) {
    switch (SSL_get_error(ssl, result)) {
        case SSL_ERROR_WANT_READ: return PUSH_SINK_WANTS_READ;
        case SSL_ERROR_WANT_WRITE: return PUSH_SINK_WANTS_WRITE;
        case SSL_ERROR_ZERO_RETURN: return PUSH_SINK_CLOSED;
        default: return PUSH_SINK_BROKEN;
    }
}

// SSL_get_error reads the thread's error queue, which all connections share. The queue must be empty before
// each call.

int push_sink_tls_handshake(push_sink_tls *tls) {
    ERR_clear_error();
    int result = SSL_do_handshake(ssl_of(tls));
    return result == 1 ? 1 : meaning(ssl_of(tls), result);
}

int push_sink_tls_read(push_sink_tls *tls, uint8_t *bytes, int capacity) {
    ERR_clear_error();
    int result = SSL_read(ssl_of(tls), bytes, capacity);
    return result > 0 ? result : meaning(ssl_of(tls), result);
}

int push_sink_tls_write(push_sink_tls *tls, const uint8_t *bytes, int count) {
    ERR_clear_error();
    int result = SSL_write(ssl_of(tls), bytes, count);
    return result > 0 ? result : meaning(ssl_of(tls), result);
}

void push_sink_tls_shutdown(push_sink_tls *tls) {
    ERR_clear_error();
    SSL_shutdown(ssl_of(tls));
    ERR_clear_error();
}

void push_sink_tls_reason(push_sink_tls *tls, char *text, size_t capacity) {
    long verdict = SSL_get_verify_result(ssl_of(tls));
    unsigned long code = ERR_peek_last_error();
    if (verdict != X509_V_OK) {
        snprintf(text, capacity, "client certificate: %s", X509_verify_cert_error_string(verdict));
    } else if (code != 0 && ERR_reason_error_string(code) != NULL) {
        snprintf(text, capacity, "%s", ERR_reason_error_string(code));
    } else {
        snprintf(text, capacity, "the peer closed the connection");
    }
    ERR_clear_error();
}

int push_sink_tls_certificate(push_sink_tls *tls, char *uid, size_t capacity) {
    uid[0] = 0;
    X509 *certificate = SSL_get0_peer_certificate(ssl_of(tls));
    if (certificate == NULL) return 0;
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_userId, uid, (int)capacity);
    return SSL_get_verify_result(ssl_of(tls)) == X509_V_OK ? 1 : -1;
}

bool push_sink_tls_speaks(push_sink_tls *tls, const char *protocol) {
    const unsigned char *chosen;
    unsigned int length;
    SSL_get0_alpn_selected(ssl_of(tls), &chosen, &length);
    return length == strlen(protocol) && memcmp(chosen, protocol, length) == 0;
}

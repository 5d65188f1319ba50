/* The server side of TLS over memory. See push_crypto.h. */
#include "push_crypto_library.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string.h>
#include <time.h>

/* A push_tls_server is OpenSSL's SSL_CTX, and a push_tls_session is its SSL. */
static SSL_CTX *context_of(push_tls_server *server) { return (SSL_CTX *)server; }
static SSL *ssl_of(push_tls_session *session) { return (SSL *)session; }

/* Chooses HTTP/1.1 if the client offers it. Otherwise, the connection has no protocol by ALPN. */
static int choose_http1(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                        const unsigned char *offered, unsigned int count, void *unused)
{
    static const unsigned char http1[] = "\x08http/1.1";
    (void)ssl, (void)unused;
    unsigned char *protocol = NULL;
    if (SSL_select_next_proto(&protocol, length, http1, sizeof http1 - 1, offered, count)
        != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *chosen = protocol;
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *make_context(void)
{
    OSSL_LIB_CTX *library = push_crypto_library_of()->context;
    SSL_CTX *context = library ? SSL_CTX_new_ex(library, NULL, TLS_server_method()) : NULL;
    if (!context) return NULL;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
    /* Each read handles one record, so that push_tls_session_read can count them. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    /* Clients resume sessions with tickets. The server keeps none. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose_http1, NULL);
    /* The administrator's openssl.cnf may require a later version. */
    bool is_recent = SSL_CTX_get_min_proto_version(context) >= TLS1_2_VERSION
        || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
    /* With TLS 1.2, only keys that are forgotten after the connection (forward secrecy). */
    if (is_recent && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES") == 1)
        return context;
    SSL_CTX_free(context);
    return NULL;
}

/* Reads the next certificate in the library context of this file. */
static X509 *next_certificate(BIO *text)
{
    X509 *fresh = X509_new_ex(push_crypto_library_of()->context, NULL);
    X509 *read = fresh ? PEM_read_bio_X509(text, &fresh, push_crypto_no_password, NULL) : NULL;
    if (!read) X509_free(fresh);
    return read;
}

/* Makes the first certificate of a PEM text the server's own, and the others its chain. */
static push_tls_status take_chain(SSL_CTX *context, const void *pem, size_t count, int64_t *not_after)
{
    BIO *text = count > 0 && count <= INT_MAX ? BIO_new_mem_buf(pem, (int)count) : NULL;
    X509 *own = text ? next_certificate(text) : NULL;
    struct tm end = {0};
    push_tls_status status = own && ASN1_TIME_to_tm(X509_get0_notAfter(own), &end) == 1
        ? PUSH_TLS_OK : PUSH_TLS_NO_CERTIFICATE;
    if (status == PUSH_TLS_OK && SSL_CTX_use_certificate(context, own) != 1) status = PUSH_TLS_REFUSED;
    X509_free(own);
    for (X509 *next; status == PUSH_TLS_OK && (next = next_certificate(text));) {
        if (SSL_CTX_add0_chain_cert(context, next) == 1) continue;
        X509_free(next);
        status = PUSH_TLS_REFUSED_CHAIN;
    }
    /* A text that ends after the last certificate has no further start line. */
    if (status == PUSH_TLS_OK && ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        status = PUSH_TLS_NO_CERTIFICATE;
    BIO_free(text);
    *not_after = (int64_t)timegm(&end);
    return status;
}

static push_tls_status take_key(SSL_CTX *context, const void *pem, size_t count)
{
    EVP_PKEY *key;
    if (push_crypto_read_key(pem, count, &key) != PUSH_KEY_OK) return PUSH_TLS_NO_KEY;
    bool fits = X509_check_private_key(SSL_CTX_get0_certificate(context), key) == 1;
    bool is_taken = fits && SSL_CTX_use_PrivateKey(context, key) == 1;
    EVP_PKEY_free(key);
    return is_taken ? PUSH_TLS_OK : fits ? PUSH_TLS_REFUSED : PUSH_TLS_OTHER_KEY;
}

push_tls_status push_tls_server_new(const void *chain, size_t chain_count, const void *key, size_t key_count,
                                    push_tls_server **server, int64_t *not_after, const char **reason)
{
    *server = NULL;
    *reason = NULL;
    ERR_clear_error();
    SSL_CTX *context = make_context();
    push_tls_status status = context ? take_chain(context, chain, chain_count, not_after) : PUSH_TLS_REFUSED;
    if (status == PUSH_TLS_OK) {
        ERR_clear_error();
        status = take_key(context, key, key_count);
    }
    if (status == PUSH_TLS_OK) {
        *server = (push_tls_server *)context;
    } else {
        *reason = ERR_reason_error_string(ERR_peek_last_error());
        SSL_CTX_free(context);
    }
    ERR_clear_error();
    return status;
}

void push_tls_server_free(push_tls_server *server) { SSL_CTX_free(context_of(server)); }

push_tls_session *push_tls_session_new(push_tls_server *server)
{
    SSL *ssl = SSL_new(context_of(server));
    BIO *received = ssl ? BIO_new(BIO_s_mem()) : NULL, *sent = received ? BIO_new(BIO_s_mem()) : NULL;
    if (!sent) {
        BIO_free(received);
        SSL_free(ssl);
        ERR_clear_error();
        return NULL;
    }
    SSL_set_bio(ssl, received, sent); /* The session owns both from now on. */
    SSL_set_accept_state(ssl);
    return (push_tls_session *)ssl;
}

void push_tls_session_free(push_tls_session *session) { SSL_free(ssl_of(session)); }

bool push_tls_session_receive(push_tls_session *session, const void *bytes, size_t count)
{
    size_t written = 0;
    if (count == 0) return true;
    bool good = BIO_write_ex(SSL_get_rbio(ssl_of(session)), bytes, count, &written) == 1 && written == count;
    if (!good) ERR_clear_error();
    return good;
}

push_tls_progress push_tls_session_read(push_tls_session *session, void *bytes, size_t room, size_t *count)
{
    /* Without a limit, a client could occupy the thread with key updates: 25 µs for each 27 bytes. */
    enum { most_empty = 32 }; /* reads without data; a key update needs more than one */
    int error = SSL_ERROR_WANT_READ;
    for (int empty = 0; error == SSL_ERROR_WANT_READ; empty++) {
        ERR_clear_error();
        int result = SSL_read_ex(ssl_of(session), bytes, room, count);
        if (result == 1) return PUSH_TLS_BYTES;
        *count = 0;
        error = SSL_get_error(ssl_of(session), result);
        if (BIO_ctrl_pending(SSL_get_rbio(ssl_of(session))) == 0) break;
        if (empty == most_empty) error = SSL_ERROR_SSL;
    }
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ ? PUSH_TLS_WAITS
        : error == SSL_ERROR_ZERO_RETURN ? PUSH_TLS_CLOSED : PUSH_TLS_FAILED;
}

bool push_tls_session_is_established(push_tls_session *session)
{
    return SSL_is_init_finished(ssl_of(session)) == 1;
}

bool push_tls_session_write(push_tls_session *session, const void *bytes, size_t count)
{
    size_t written = 0;
    if (count == 0) return true;
    ERR_clear_error();
    /* A memory BIO accepts everything, so a write is never partial. */
    bool good = SSL_write_ex(ssl_of(session), bytes, count, &written) == 1 && written == count;
    ERR_clear_error();
    return good;
}

void push_tls_session_close(push_tls_session *session)
{
    if (SSL_is_init_finished(ssl_of(session)) == 1) SSL_shutdown(ssl_of(session));
    ERR_clear_error();
}

size_t push_tls_session_pending(push_tls_session *session)
{
    return BIO_ctrl_pending(SSL_get_wbio(ssl_of(session)));
}

size_t push_tls_session_take(push_tls_session *session, void *bytes, size_t room)
{
    size_t count = 0;
    return room > 0 && BIO_read_ex(SSL_get_wbio(ssl_of(session)), bytes, room, &count) == 1 ? count : 0;
}

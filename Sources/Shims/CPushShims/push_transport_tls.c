#include "push_curl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

push_tls_watch *push_tls_watch_new(void)
{
    push_tls_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return NULL;
    watch->references = 1;
    watch->alert_received = -1;
    return watch;
}

void push_tls_watch_release(push_tls_watch *watch)
{
    if (--watch->references == 0) free(watch);
}

/* Releases an SSL_CTX's reference to its watch. OpenSSL calls this function when it frees the SSL_CTX. */
static void context_freed(void *parent, void *pointer, CRYPTO_EX_DATA *data, int index, long argl, void *argp)
{
    (void)parent, (void)data, (void)index, (void)argl, (void)argp;
    if (pointer) push_tls_watch_release(pointer);
}

static CRYPTO_ONCE index_once = CRYPTO_ONCE_STATIC_INIT;
static int watch_index = -1;
static void make_index(void) { watch_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, context_freed); }

/* Receives OpenSSL's progress reports, and records the end of the handshake and the alerts of the peer. A TLS
   1.3 peer refuses the client's certificate only after the client's side of the handshake is done, so this
   function records alerts during the entire life of the connection. */
static void observe(const SSL *ssl, int where, int value)
{
    push_tls_watch *watch = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), watch_index);
    if (!watch) return;
    if (where & SSL_CB_HANDSHAKE_DONE) {
        const unsigned char *name = NULL;
        unsigned int length = 0;
        SSL_get0_alpn_selected(ssl, &name, &length);
        if (length >= sizeof watch->selected) length = sizeof watch->selected - 1;
        if (length) memcpy(watch->selected, name, length);
        watch->selected[length] = 0;
        watch->handshake_done = true;
    }
    if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) {
        if ((value >> 8) == SSL3_AL_FATAL) watch->alert_received = value & 0xff;
        else if ((value & 0xff) == SSL_AD_CLOSE_NOTIFY) watch->close_notified = true;
    }
}

static CURLcode prepare_context(CURL *easy, void *ssl_ctx, void *pointer)
{
    (void)easy;
    SSL_CTX *context = ssl_ctx;
    push_tls_watch *watch = pointer;
    if (watch_index < 0) return CURLE_OUT_OF_MEMORY;
    /* SSL_CTX_set_alpn_protos returns 0 on success. */
    if (watch->offered_length && SSL_CTX_set_alpn_protos(context, watch->offered, watch->offered_length))
        return CURLE_OUT_OF_MEMORY;
    /* HTTP/2 forbids renegotiation (RFC 9113, 9.2.1). The loop would treat a write that waits for the bytes
       of a renegotiation as a write that waits for room, and it would spin. The peer receives a
       no_renegotiation alert. */
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (watch->read_buffer) {
        SSL_CTX_set_read_ahead(context, 1);
        SSL_CTX_set_default_read_buffer_len(context, watch->read_buffer);
    }
    if (!SSL_CTX_get_ex_data(context, watch_index)) {
        if (!SSL_CTX_set_ex_data(context, watch_index, watch)) return CURLE_OUT_OF_MEMORY;
        watch->references++;
    }
    SSL_CTX_set_info_callback(context, observe);
    return CURLE_OK;
}

/* Opens a socket and records errno, because libcurl does not report why it has no socket. */
static curl_socket_t open_socket(void *pointer, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    push_tls_watch *watch = pointer;
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    watch->socket_error = descriptor < 0 ? errno : 0;
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

CURLcode push_tls_watch_install(CURL *easy, push_tls_watch *watch)
{
    if (!CRYPTO_THREAD_run_once(&index_once, make_index) || watch_index < 0) return CURLE_OUT_OF_MEMORY;
    CURLcode result = push_curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, prepare_context);
    if (!result) result = push_curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, watch);
    if (!result) result = push_curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    return result ? result : push_curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, watch);
}

const char *push_tls_alert_text(int alert) { return SSL_alert_desc_string_long(alert); }

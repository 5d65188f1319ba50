// A TLS client without an application protocol, for the tests of pushsink. See push_probe.h.

#define _GNU_SOURCE
#include "push_probe.h"
#include "push_sink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct push_probe_stream {
    int descriptor;
    SSL_CTX *context;
    SSL *ssl;
};

push_probe_stream *push_probe_stream_make(uint16_t port, const char *authority, const char *identity) {
    push_probe_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) abort();
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    stream->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stream->context = SSL_CTX_new(TLS_client_method());
    bool good = connect(stream->descriptor, (struct sockaddr *)&address, sizeof address) == 0
        && SSL_CTX_load_verify_file(stream->context, authority) == 1
        && (identity == NULL || (SSL_CTX_use_certificate_chain_file(stream->context, identity) == 1
            && SSL_CTX_use_PrivateKey_file(stream->context, identity, SSL_FILETYPE_PEM) == 1));
    if (!good) {
        push_probe_stream_free(stream);
        return NULL;
    }
    fcntl(stream->descriptor, F_SETFL, fcntl(stream->descriptor, F_GETFL) | O_NONBLOCK);
    SSL_CTX_set_verify(stream->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(stream->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    stream->ssl = SSL_new(stream->context);
    SSL_set_fd(stream->ssl, stream->descriptor);
    SSL_set1_host(stream->ssl, "localhost");
    SSL_set_connect_state(stream->ssl);
    return stream;
}

void push_probe_stream_free(push_probe_stream *stream) {
    SSL_free(stream->ssl);
    SSL_CTX_free(stream->context);
    ERR_clear_error();
    if (stream->descriptor >= 0) close(stream->descriptor);
    free(stream);
}

// Waits until the socket is ready for the call that did not succeed. Returns 0 if the caller must try again,
// otherwise the result for its own caller.
static int settle(push_probe_stream *stream, int result, uint64_t limit) {
    int kind = SSL_get_error(stream->ssl, result);
    int cause = errno;
    if (kind == SSL_ERROR_ZERO_RETURN) return PUSH_PROBE_STREAM_CLOSED;
    if (kind != SSL_ERROR_WANT_READ && kind != SSL_ERROR_WANT_WRITE)
        return kind == SSL_ERROR_SYSCALL && (cause == ECONNRESET || cause == EPIPE)
            ? PUSH_PROBE_STREAM_RESET
            : PUSH_PROBE_STREAM_BROKEN;
    uint64_t now = push_sink_monotonic_nanoseconds();
    if (now >= limit) return PUSH_PROBE_STREAM_LATE;
    struct pollfd watched = {stream->descriptor, kind == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, 0};
    poll(&watched, 1, (int)((limit - now) / 1000000u) + 1);
    return 0;
}

int push_probe_stream_read(push_probe_stream *stream, uint8_t *bytes, int capacity, int milliseconds) {
    uint64_t limit = push_sink_monotonic_nanoseconds() + (uint64_t)milliseconds * 1000000u;
    while (true) {
        ERR_clear_error();
        errno = 0;
        int result = SSL_read(stream->ssl, bytes, capacity);
        if (result > 0) return result;
        int end = settle(stream, result, limit);
        if (end != 0) return end;
    }
}

int push_probe_stream_write(push_probe_stream *stream, const uint8_t *bytes, int count, int milliseconds) {
    uint64_t limit = push_sink_monotonic_nanoseconds() + (uint64_t)milliseconds * 1000000u;
    int sent = 0;
    while (sent < count) {
        ERR_clear_error();
        errno = 0;
        int result = SSL_write(stream->ssl, bytes + sent, count - sent);
        if (result > 0) {
            sent += result;
            continue;
        }
        int end = settle(stream, result, limit);
        if (end != 0) return end;
    }
    return sent;
}

// A small HTTP/2 client for the tests of pushsink. See push_probe.h.

#define _GNU_SOURCE
#include "push_probe.h"
#include "push_sink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct push_probe_item {
    push_probe_event event;
    struct push_probe_item *next;
} item;

typedef struct {
    push_probe_event answer;
    uint8_t *body;
    size_t body_count, body_sent;
} exchange;

struct push_probe {
    int descriptor;
    SSL_CTX *context;
    SSL *ssl;
    nghttp2_session *session;
    item *first, *last;
    bool shaken, ended, wants_write;
    uint8_t *output;
    size_t output_count, output_sent;
};

static void report(push_probe *probe, const push_probe_event *event) {
    item *new = calloc(1, sizeof *new);
    if (new == NULL) abort();
    new->event = *event;
    if (probe->last != NULL) probe->last->next = new;
    else probe->first = new;
    probe->last = new;
}

static void end(push_probe *probe, const char *text) {
    if (probe->ended) return;
    probe->ended = true;
    push_probe_event event = {.kind = PUSH_PROBE_ENDED};
    snprintf(event.text, sizeof event.text, "%s", text);
    report(probe, &event);
}

static void append(char *text, size_t capacity, const uint8_t *bytes, size_t count) {
    size_t used = strlen(text);
    if (count > capacity - 1 - used) count = capacity - 1 - used;
    memcpy(text + used, bytes, count);
    text[used + count] = 0;
}

// MARK: Callbacks of nghttp2

static int got_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_count, const uint8_t *value, size_t value_count, uint8_t flags,
                     void *user) {
    (void)flags;
    (void)user;
    exchange *it = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (it == NULL) return 0;
    if (name_count == 7 && memcmp(name, ":status", 7) == 0)
        it->answer.number = (uint32_t)atoi((const char *)value);
    if (name_count == 7 && memcmp(name, "apns-id", 7) == 0)
        append(it->answer.id, sizeof it->answer.id, value, value_count);
    return 0;
}

static int got_body(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t count, void *user) {
    (void)flags;
    (void)user;
    exchange *it = nghttp2_session_get_stream_user_data(session, stream);
    if (it != NULL) append(it->answer.text, sizeof it->answer.text, bytes, count);
    return 0;
}

static int got_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    push_probe *probe = user;
    push_probe_event event = {0};
    if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK)) {
        event.kind = PUSH_PROBE_SETTINGS;
        event.number = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        report(probe, &event);
    } else if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK)) {
        event.kind = PUSH_PROBE_PONG;
        report(probe, &event);
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
        event.kind = PUSH_PROBE_GOAWAY;
        event.stream = frame->goaway.last_stream_id;
        event.number = frame->goaway.error_code;
        append(event.text, sizeof event.text, frame->goaway.opaque_data, frame->goaway.opaque_data_len);
        report(probe, &event);
    }
    return 0;
}

static int closed(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    exchange *it = nghttp2_session_get_stream_user_data(session, stream);
    if (it == NULL) return 0;
    it->answer.stream = stream;
    if (code != 0) {
        it->answer.kind = PUSH_PROBE_RESET;
        it->answer.number = code;
    }
    report(user, &it->answer);
    free(it->body);
    free(it);
    return 0;
}

static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t capacity,
                         uint32_t *flags, nghttp2_data_source *source, void *user) {
    (void)session;
    (void)stream;
    (void)user;
    exchange *it = source->ptr;
    size_t count = it->body_count - it->body_sent;
    if (count > capacity) count = capacity;
    else *flags |= NGHTTP2_DATA_FLAG_EOF;
    memcpy(bytes, it->body + it->body_sent, count);
    it->body_sent += count;
    return (ssize_t)count;
}

// MARK: Connections

push_probe *push_probe_make(uint16_t port, const char *authority, const char *identity) {
    push_probe *probe = calloc(1, sizeof *probe);
    if (probe == NULL) abort();
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    probe->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    probe->context = SSL_CTX_new(TLS_client_method());
    bool good = connect(probe->descriptor, (struct sockaddr *)&address, sizeof address) == 0
        && SSL_CTX_load_verify_file(probe->context, authority) == 1
        && SSL_CTX_set_alpn_protos(probe->context, (const unsigned char *)"\x02h2", 3) == 0
        && (identity == NULL || (SSL_CTX_use_certificate_chain_file(probe->context, identity) == 1
            && SSL_CTX_use_PrivateKey_file(probe->context, identity, SSL_FILETYPE_PEM) == 1));
    if (!good) {
        push_probe_free(probe);
        return NULL;
    }
    fcntl(probe->descriptor, F_SETFL, fcntl(probe->descriptor, F_GETFL) | O_NONBLOCK);
    SSL_CTX_set_verify(probe->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(probe->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    probe->ssl = SSL_new(probe->context);
    SSL_set_fd(probe->ssl, probe->descriptor);
    SSL_set_tlsext_host_name(probe->ssl, "localhost");
    SSL_set1_host(probe->ssl, "localhost");
    SSL_set_connect_state(probe->ssl);
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, got_field);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, got_body);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, got_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closed);
    nghttp2_session_client_new(&probe->session, callbacks, probe);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(probe->session, NGHTTP2_FLAG_NONE, NULL, 0);
    return probe;
}

void push_probe_narrow(push_probe *probe) {
    int small = 2048;
    setsockopt(probe->descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
}

void push_probe_free(push_probe *probe) {
    if (probe->session != NULL) nghttp2_session_del(probe->session);
    SSL_free(probe->ssl);
    SSL_CTX_free(probe->context);
    ERR_clear_error();
    if (probe->descriptor >= 0) close(probe->descriptor);
    while (probe->first != NULL) {
        item *next = probe->first->next;
        free(probe->first);
        probe->first = next;
    }
    free(probe->output);
    free(probe);
}

int32_t push_probe_send(push_probe *probe, const push_probe_field *fields, size_t count,
                        const uint8_t *body, size_t body_count) {
    nghttp2_nv pairs[32];
    if (count > 32) count = 32;
    for (size_t i = 0; i < count; i++)
        pairs[i] = (nghttp2_nv){(uint8_t *)fields[i].name, (uint8_t *)fields[i].value, strlen(fields[i].name),
                                strlen(fields[i].value), NGHTTP2_NV_FLAG_NONE};
    exchange *it = calloc(1, sizeof *it);
    if (it == NULL) abort();
    it->answer.kind = PUSH_PROBE_ANSWER;
    it->body = malloc(body_count + 1);
    it->body_count = body_count;
    memcpy(it->body, body, body_count);
    nghttp2_data_provider provider = {.source.ptr = it, .read_callback = read_body};
    return nghttp2_submit_request(probe->session, NULL, pairs, count, body_count > 0 ? &provider : NULL, it);
}

void push_probe_ping(push_probe *probe) {
    nghttp2_submit_ping(probe->session, NGHTTP2_FLAG_NONE, NULL);
}

// MARK: Bytes

// Interprets the result of a TLS call that did not succeed. Returns true if the caller must try again when
// the socket is ready.
static bool later(push_probe *probe, int result) {
    int kind = SSL_get_error(probe->ssl, result);
    probe->wants_write |= kind == SSL_ERROR_WANT_WRITE;
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return true;
    unsigned long code = ERR_peek_last_error();
    const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;
    if (kind == SSL_ERROR_ZERO_RETURN) end(probe, "closed");
    else if (kind == SSL_ERROR_SYSCALL && (errno == ECONNRESET || errno == EPIPE)) end(probe, "reset");
    else end(probe, reason != NULL ? reason : "broken");
    return false;
}

static void pump(push_probe *probe) {
    probe->wants_write = false;
    ERR_clear_error();
    if (!probe->shaken) {
        int result = SSL_do_handshake(probe->ssl);
        if (result != 1) {
            later(probe, result);
            return;
        }
        probe->shaken = true;
    }
    while (true) {
        if (probe->output_sent == probe->output_count) {
            const uint8_t *bytes;
            ssize_t count = nghttp2_session_mem_send(probe->session, &bytes);
            if (count <= 0) break;
            probe->output = realloc(probe->output, (size_t)count);
            memcpy(probe->output, bytes, (size_t)count);
            probe->output_count = (size_t)count;
            probe->output_sent = 0;
        }
        int result = SSL_write(probe->ssl, probe->output + probe->output_sent,
                               (int)(probe->output_count - probe->output_sent));
        if (result <= 0) {
            int kind = SSL_get_error(probe->ssl, result);
            probe->wants_write |= kind == SSL_ERROR_WANT_WRITE;
            // The peer's last bytes are not read yet, and reading shows how the peer closed the connection.
            if (kind != SSL_ERROR_WANT_WRITE && kind != SSL_ERROR_WANT_READ)
                probe->output_sent = probe->output_count;
            break;
        }
        probe->output_sent += (size_t)result;
    }
    ERR_clear_error();
    uint8_t bytes[16384];
    int result = SSL_read(probe->ssl, bytes, sizeof bytes);
    if (result <= 0) later(probe, result);
    else if (nghttp2_session_mem_recv(probe->session, bytes, (size_t)result) < 0) end(probe, "not HTTP/2");
}

bool push_probe_next(push_probe *probe, push_probe_event *event, int milliseconds) {
    uint64_t limit = push_sink_monotonic_nanoseconds() + (uint64_t)milliseconds * 1000000u;
    while (probe->first == NULL) {
        if (probe->ended) return false;
        pump(probe);
        if (probe->first != NULL || probe->ended) continue;
        if (SSL_pending(probe->ssl) > 0) continue;
        uint64_t now = push_sink_monotonic_nanoseconds();
        if (now >= limit) return false;
        struct pollfd watched = {probe->descriptor, (short)(POLLIN | (probe->wants_write ? POLLOUT : 0)), 0};
        poll(&watched, 1, (int)((limit - now) / 1000000u) + 1);
    }
    item *first = probe->first;
    *event = first->event;
    probe->first = first->next;
    if (probe->first == NULL) probe->last = NULL;
    free(first);
    return true;
}

size_t push_probe_allocated(void) { return mallinfo2().uordblks; }

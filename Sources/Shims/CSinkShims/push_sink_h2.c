// The server side of HTTP/2 for pushsink. nghttp2 processes the frames; this code collects requests and calls
// Swift once per request. See push_sink.h.

#include "push_sink.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>

#define POOLED_REQUESTS 65536u
// The size of a frame header plus the largest payload that the server may send: the default of
// SETTINGS_MAX_FRAME_SIZE, because no client raises it.
#define LARGEST_FRAME (9u + 16384u)

struct push_sink_h2_kind {
    push_sink_h2_events events;
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    push_sink_request *_Nullable pool;
    uint32_t pooled;
    uint32_t open, peak, peak_together;
    uint32_t kept_body;
    char *names[PUSH_SINK_MAX_FIELDS];
    // Field numbers + 1, indexed by the length of the name. Names are compared by length and bytes, not
    // hashes.
    uint8_t by_length[64][PUSH_SINK_MAX_FIELDS];
};

struct push_sink_h2 {
    nghttp2_session *session;
    push_sink_h2_kind *kind;
    void *context;
    push_sink_request *_Nullable current;  // the request whose fields or body are arriving
    push_sink_request *_Nullable waiting;  // the requests whose stream is open, newest first
    uint32_t open;
};

// MARK: Requests

static push_sink_request *take(push_sink_h2 *h2, int32_t stream) {
    push_sink_h2_kind *kind = h2->kind;
    push_sink_request *request = kind->pool;
    if (request != NULL) {
        kind->pool = request->next;
        kind->pooled--;
    } else {
        request = push_sink_request_make();
        request->body_limit = kind->kept_body;
    }
    request->stream = stream;
    push_sink_request_clear(request);
    request->previous = NULL;
    request->next = h2->waiting;
    if (h2->waiting != NULL) h2->waiting->previous = request;
    h2->waiting = request;
    h2->open++;
    kind->open++;
    if (h2->open > kind->peak) kind->peak = h2->open;
    if (kind->open > kind->peak_together) kind->peak_together = kind->open;
    return request;
}

static void give_back(push_sink_h2 *h2, push_sink_request *request) {
    push_sink_h2_kind *kind = h2->kind;
    if (request->previous != NULL) request->previous->next = request->next;
    else h2->waiting = request->next;
    if (request->next != NULL) request->next->previous = request->previous;
    if (h2->current == request) h2->current = NULL;
    h2->open--;
    kind->open--;
    if (request->long_answer != NULL) {
        free(request->long_answer);
        request->long_answer = NULL;
    }
    // Large bodies are rare, so their buffers are not kept for small bodies.
    if (kind->pooled >= POOLED_REQUESTS || request->body_capacity > 2 * PUSH_SINK_KEPT_BODY) {
        push_sink_request_free(request);
        return;
    }
    request->next = kind->pool;
    kind->pool = request;
    kind->pooled++;
}

static push_sink_request *_Nullable request_of(push_sink_h2 *h2, int32_t stream) {
    if (h2->current != NULL && h2->current->stream == stream) return h2->current;
    return h2->current = nghttp2_session_get_stream_user_data(h2->session, stream);
}

// MARK: Callbacks of nghttp2

static int began(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    push_sink_h2 *h2 = user;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    push_sink_request *request = take(h2, frame->hd.stream_id);
    h2->current = request;
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
    return 0;
}

static int got_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_length, const uint8_t *value, size_t value_length, uint8_t flags,
                     void *user) {
    (void)session;
    (void)flags;
    push_sink_h2 *h2 = user;
    // Trailers contain no fields that a gateway uses.
    if (name_length >= 64 || frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    const uint8_t *candidates = h2->kind->by_length[name_length];
    for (int i = 0; i < PUSH_SINK_MAX_FIELDS && candidates[i] != 0; i++) {
        int field = candidates[i] - 1;
        if (memcmp(h2->kind->names[field], name, name_length) != 0) continue;
        push_sink_request *request = request_of(h2, frame->hd.stream_id);
        if (request != NULL) push_sink_request_add_value(request, field, value, value_length);
        break;
    }
    return 0;
}

static int got_body(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                    size_t count, void *user) {
    (void)session;
    (void)flags;
    push_sink_request *request = request_of(user, stream);
    if (request != NULL) push_sink_request_add_body(request, bytes, count);
    return 0;
}

static int got_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    (void)session;
    push_sink_h2 *h2 = user;
    switch (frame->hd.type) {
        case NGHTTP2_HEADERS:
        case NGHTTP2_DATA:
            if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
                push_sink_request *request = request_of(h2, frame->hd.stream_id);
                if (request != NULL && !request->answered) h2->kind->events.arrived(h2->context, request);
            }
            break;
        case NGHTTP2_PING:
            if ((frame->hd.flags & NGHTTP2_FLAG_ACK) && memcmp(frame->ping.opaque_data, "farewell", 8) == 0)
                h2->kind->events.noticed(h2->context);
            break;
        default: break;
    }
    return 0;
}

static int closed(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)code;
    push_sink_h2 *h2 = user;
    push_sink_request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (request == NULL) return 0;
    nghttp2_session_set_stream_user_data(session, stream, NULL);
    if (!request->answered) h2->kind->events.vanished(h2->context, request);
    give_back(h2, request);
    return 0;
}

// MARK: Kinds and connections

push_sink_h2_kind *push_sink_h2_kind_make(const char *const *names, int count, uint32_t kept_body,
                                          push_sink_h2_events events) {
    push_sink_h2_kind *kind = calloc(1, sizeof *kind);
    if (kind == NULL || nghttp2_session_callbacks_new(&kind->callbacks) != 0
        || nghttp2_option_new(&kind->option) != 0)
        abort();
    kind->events = events;
    kind->kept_body = kept_body;
    for (int field = 0; field < count && field < PUSH_SINK_MAX_FIELDS; field++) {
        kind->names[field] = strdup(names[field]);
        uint8_t *candidates = kind->by_length[strlen(names[field]) % 64];
        while (*candidates != 0) candidates++;
        *candidates = (uint8_t)(field + 1);
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(kind->callbacks, began);
    nghttp2_session_callbacks_set_on_header_callback(kind->callbacks, got_field);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(kind->callbacks, got_body);
    nghttp2_session_callbacks_set_on_frame_recv_callback(kind->callbacks, got_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(kind->callbacks, closed);
    nghttp2_option_set_no_closed_streams(kind->option, 1);
    // By default, nghttp2 ends a connection after 1000 resets by the client. The behaviour `silent` makes
    // clients reset streams. A client that resets silent streams would reach this limit instead of the fault
    // under test.
    nghttp2_option_set_stream_reset_rate_limit(kind->option, 1u << 30, 1u << 30);
    return kind;
}

void push_sink_h2_kind_free(push_sink_h2_kind *kind) {
    while (kind->pool != NULL) {
        push_sink_request *next = kind->pool->next;
        push_sink_request_free(kind->pool);
        kind->pool = next;
    }
    for (int field = 0; field < PUSH_SINK_MAX_FIELDS; field++) free(kind->names[field]);
    nghttp2_session_callbacks_del(kind->callbacks);
    nghttp2_option_del(kind->option);
    free(kind);
}

void push_sink_h2_kind_enter(push_sink_h2_kind *kind) {
    kind->open++;
    if (kind->open > kind->peak_together) kind->peak_together = kind->open;
    if (kind->peak == 0) kind->peak = 1;
}

void push_sink_h2_kind_leave(push_sink_h2_kind *kind) { kind->open--; }

uint32_t push_sink_h2_kind_peak(const push_sink_h2_kind *kind) { return kind->peak; }
uint32_t push_sink_h2_kind_peak_together(const push_sink_h2_kind *kind) { return kind->peak_together; }

push_sink_h2 *push_sink_h2_make(push_sink_h2_kind *kind, void *context, uint32_t streams) {
    push_sink_h2 *h2 = calloc(1, sizeof *h2);
    if (h2 == NULL) return NULL;
    h2->kind = kind;
    h2->context = context;
    if (nghttp2_session_server_new2(&h2->session, kind->callbacks, h2, kind->option) != 0) {
        free(h2);
        return NULL;
    }
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams}};
    nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings, 1);
    // Bodies are small and consumed immediately. Windows of megabytes avoid nearly all WINDOW_UPDATE frames.
    nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, 16 << 20);
    return h2;
}

void push_sink_h2_free(push_sink_h2 *h2) {
    while (h2->waiting != NULL) {
        push_sink_request *request = h2->waiting;
        if (!request->answered) h2->kind->events.vanished(h2->context, request);
        give_back(h2, request);
    }
    nghttp2_session_del(h2->session);
    free(h2);
}

int push_sink_h2_receive(push_sink_h2 *h2, const uint8_t *bytes, size_t count) {
    ssize_t result = nghttp2_session_mem_recv(h2->session, bytes, count);
    return result < 0 ? (int)result : 0;
}

ptrdiff_t push_sink_h2_fill(push_sink_h2 *h2, uint8_t *bytes, size_t capacity) {
    size_t used = 0;
    // nghttp2 returns whole frames and does not take them back, so the loop needs room for the largest frame.
    while (capacity - used >= LARGEST_FRAME) {
        const uint8_t *frame;
        ssize_t count = nghttp2_session_mem_send(h2->session, &frame);
        if (count < 0) return count;
        if (count == 0) break;
        memcpy(bytes + used, frame, (size_t)count);
        used += (size_t)count;
    }
    return (ptrdiff_t)used;
}

bool push_sink_h2_over(push_sink_h2 *h2) {
    return !nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session);
}

// MARK: Answers of a gateway

static ssize_t read_answer(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t capacity,
                           uint32_t *flags, nghttp2_data_source *source, void *user) {
    (void)user;
    push_sink_request *request = source->ptr;
    const uint8_t *answer =
        request->long_answer != NULL ? request->long_answer : (const uint8_t *)request->answer;
    size_t left = request->answer_count - request->answer_sent;
    size_t count = left < capacity ? left : capacity;
    memcpy(bytes, answer + request->answer_sent, count);
    request->answer_sent += (uint32_t)count;
    if (count == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (count == left && request->answer_breaks_off) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
    }
    return (ssize_t)count;
}

// Returns a field. Its name must remain valid; its value must remain valid if `flags` contains
// NGHTTP2_NV_FLAG_NO_COPY_VALUE.
static nghttp2_nv field(const char *name, const void *value, size_t count, uint8_t flags) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), count,
                        NGHTTP2_NV_FLAG_NO_COPY_NAME | flags};
}

int push_sink_h2_answer(push_sink_h2 *h2, push_sink_request *request, int status, const char *identifier,
                        const char *type, const char *retry_after, const uint8_t *body, size_t count,
                        bool breaks_off) {
    char digits[4] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10),
                      (char)('0' + status % 10), 0};
    nghttp2_nv fields[4] = {field(":status", digits, 3, NGHTTP2_NV_FLAG_NONE)};
    size_t used = 1;
    // An id never occurs twice. Indexing it would evict all other entries from the peer's table.
    if (identifier != NULL) fields[used++] = field(identifier, request->note, 36, NGHTTP2_NV_FLAG_NO_INDEX);
    if (type != NULL)
        fields[used++] = field("content-type", type, strlen(type), NGHTTP2_NV_FLAG_NO_COPY_VALUE);
    if (retry_after != NULL)
        fields[used++] = field("retry-after", retry_after, strlen(retry_after), NGHTTP2_NV_FLAG_NONE);
    request->answered = true;
    if (count == 0 && !breaks_off)
        return nghttp2_submit_response(h2->session, request->stream, fields, used, NULL);
    uint8_t *room = (uint8_t *)request->answer;
    if (count > sizeof request->answer) {
        room = request->long_answer = malloc(count);
        if (room == NULL) abort();
    }
    if (count > 0) memcpy(room, body, count);
    request->answer_count = (uint32_t)count;
    request->answer_sent = 0;
    request->answer_breaks_off = breaks_off;
    nghttp2_data_provider provider = {.source.ptr = request, .read_callback = read_answer};
    return nghttp2_submit_response(h2->session, request->stream, fields, used, &provider);
}

void push_sink_h2_refuse(push_sink_h2 *h2, push_sink_request *request) {
    request->answered = true;
    nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, request->stream, NGHTTP2_REFUSED_STREAM);
}

void push_sink_h2_ignore(push_sink_request *request) { request->answered = true; }

void push_sink_h2_advertise(push_sink_h2 *h2, uint32_t streams) {
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams}};
    nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings, 1);
}

void push_sink_h2_go_away(push_sink_h2 *h2, int32_t last, const char *reason, size_t count) {
    nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, (const uint8_t *)reason,
                          count);
}

void push_sink_h2_notice(push_sink_h2 *h2) {
    nghttp2_submit_shutdown_notice(h2->session);
    nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, (const uint8_t *)"farewell");
}

int32_t push_sink_h2_last_stream(push_sink_h2 *h2) {
    return nghttp2_session_get_last_proc_stream_id(h2->session);
}

push_sink_request *push_sink_h2_request(push_sink_h2 *h2, int32_t stream) {
    push_sink_request *request = nghttp2_session_get_stream_user_data(h2->session, stream);
    return request == NULL || request->answered ? NULL : request;
}

int32_t push_sink_h2_middle(push_sink_h2 *h2) {
    // The list begins with the newest request, and answered requests are skipped. The middle is rounded
    // towards the older request.
    uint32_t count = 0;
    for (push_sink_request *each = h2->waiting; each != NULL; each = each->next) count += !each->answered;
    uint32_t skip = count / 2;
    for (push_sink_request *each = h2->waiting; each != NULL; each = each->next) {
        if (each->answered) continue;
        if (skip-- == 0) return each->stream;
    }
    return 0;
}

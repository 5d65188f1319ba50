#include "push_transport.h"

#include <stdlib.h>
#include <string.h>

static void append_event(push_h2 *h2, push_h2_event event)
{
    if (h2->event_count == h2->event_room) {
        uint32_t room = h2->event_room * 2;
        push_h2_event *events = realloc(h2->events, room * sizeof *events);
        if (!events) {
            h2->out_of_memory = true;
            return;
        }
        h2->events = events;
        h2->event_room = room;
    }
    h2->events[h2->event_count++] = event;
}

/* MARK: callbacks */

/* Ends the session from within a callback. */
static int over(push_h2 *h2, push_h2_excess excess)
{
    h2->excess = excess;
    return NGHTTP2_ERR_CALLBACK_FAILURE;
}

static ssize_t read_body(nghttp2_session *session, int32_t stream_id, uint8_t *buffer, size_t length, uint32_t *flags,
                         nghttp2_data_source *source, void *user_data)
{
    (void)session, (void)stream_id, (void)user_data;
    push_h2_slot *slot = source->ptr;
    size_t rest = slot->body_length - slot->body_taken;
    if (rest <= length) {
        length = rest;
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    memcpy(buffer, slot->memory + slot->body_offset + slot->body_taken, length);
    slot->body_taken += (uint32_t)length;
    return (ssize_t)length;
}

static int before_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    push_h2 *h2 = user_data;
    if (frame->hd.type == NGHTTP2_GOAWAY) h2->goaway_sent = frame->goaway.error_code;
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (slot) slot->first_byte = h2->pulled;
    return 0;
}

static bool reserve_response(push_h2 *h2, push_h2_slot *slot, size_t more)
{
    size_t needed = (size_t)slot->kept_headers + slot->kept_body + more;
    if (needed <= slot->response_room) return true;
    size_t room = slot->response_room ? slot->response_room : 256;
    while (room < needed) room *= 2;
    uint8_t *response = realloc(slot->response, room);
    if (!response) {
        h2->out_of_memory = true;
        return false;
    }
    slot->response = response;
    slot->response_room = (uint32_t)room;
    return true;
}

/* A header that was asked for. Kept in front of the body; trailers come after it and are not kept. */
static int keep_header(push_h2 *h2, push_h2_slot *slot, uint32_t which, const uint8_t *value, size_t length)
{
    enum { KEPT_HEADERS_MOST = 2048 };
    if (slot->kept_body || length > 0xffff || slot->kept_headers + 3 + length > KEPT_HEADERS_MOST) return 0;
    if (!reserve_response(h2, slot, 3 + length)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    uint8_t *to = slot->response + slot->kept_headers;
    to[0] = (uint8_t)which;
    to[1] = (uint8_t)(length & 0xff);
    to[2] = (uint8_t)(length >> 8);
    memcpy(to + 3, value, length);
    slot->kept_headers += (uint32_t)(3 + length);
    return 0;
}

static int on_frame_head(nghttp2_session *session, const nghttp2_frame_hd *head, void *user_data)
{
    (void)session, (void)head;
    push_h2 *h2 = user_data;
    h2->frames++;
    return 0;
}

static int on_header_block(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)session, (void)frame;
    push_h2 *h2 = user_data;
    h2->block_bytes = 0;
    return 0;
}

/* A field of one byte on the wire can stand for four thousand: what counts is what comes out of the decoder. */
static int count_field(push_h2 *h2, size_t name_length, size_t value_length)
{
    uint32_t bytes = (uint32_t)(name_length + value_length + 32);
    h2->header_bytes += bytes;
    h2->block_bytes += bytes;
    return h2->block_bytes > h2->limits.header_bytes ? over(h2, PUSH_H2_EXCESS_HEADERS) : 0;
}

/* nghttp2 drops fields that are not well-formed; they are work nevertheless. */
static int on_invalid_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                             size_t name_length, const uint8_t *value, size_t value_length, uint8_t flags,
                             void *user_data)
{
    (void)session, (void)frame, (void)name, (void)value, (void)flags;
    return count_field(user_data, name_length, value_length);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                     const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
    (void)flags;
    push_h2 *h2 = user_data;
    int result = count_field(h2, name_length, value_length);
    if (result) return result;
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (name_length == 7 && memcmp(name, ":status", 7) == 0) {
        if (value_length != 3) return 0; /* nghttp2 checks that it is three digits */
        push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
        int status = (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0');
        if (slot && status >= 200) slot->status = (uint16_t)status; /* 1xx are no answers */
        return 0;
    }
    if (name_length >= 64 || !(h2->wanted_lengths >> name_length & 1)) return 0;
    for (uint32_t i = 0; i < h2->wanted_count; i++) {
        if (h2->wanted_length[i] != name_length || memcmp(h2->wanted[i], name, name_length) != 0) continue;
        push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
        return slot ? keep_header(h2, slot, i, value, value_length) : 0;
    }
    return 0;
}

static int on_body(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *bytes, size_t count,
                   void *user_data)
{
    (void)flags;
    push_h2 *h2 = user_data;
    push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, stream_id);
    if (!slot) return 0;
    slot->body_bytes += count;
    if (slot->body_bytes > h2->limits.body_bytes) return over(h2, PUSH_H2_EXCESS_BODY);
    if (slot->kept_body >= h2->body_most) return 0;
    if (count > h2->body_most - slot->kept_body) count = h2->body_most - slot->kept_body;
    if (!reserve_response(h2, slot, count)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    memcpy(slot->response + slot->kept_headers + slot->kept_body, bytes, count);
    slot->kept_body += (uint32_t)count;
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    push_h2 *h2 = user_data;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: {
        push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
        if (!slot) break;
        if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
            slot->complete = true;
            break;
        }
        if (frame->hd.type == NGHTTP2_HEADERS && slot->status == 0 && ++slot->interim > h2->limits.interim)
            return over(h2, PUSH_H2_EXCESS_INTERIM);
        if (++slot->frames > h2->limits.frames) return over(h2, PUSH_H2_EXCESS_FRAMES);
        break;
    }
    case NGHTTP2_GOAWAY: {
        if (++h2->goaways > h2->limits.goaways) return over(h2, PUSH_H2_EXCESS_GOAWAYS);
        size_t length = frame->goaway.opaque_data_len;
        if (length > sizeof h2->goaway_debug) length = sizeof h2->goaway_debug;
        if (length) memcpy(h2->goaway_debug, frame->goaway.opaque_data, length);
        h2->goaway_debug_length = (uint32_t)length;
        append_event(h2, (push_h2_event){PUSH_H2_GOAWAY, 0, frame->goaway.error_code, frame->goaway.last_stream_id});
        break;
    }
    case NGHTTP2_SETTINGS:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK)) append_event(h2, (push_h2_event){PUSH_H2_SETTINGS, 0, 0, 0});
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK) append_event(h2, (push_h2_event){PUSH_H2_PONG, 0, 0, 0});
        break;
    default: break;
    }
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t error_code, void *user_data)
{
    push_h2_slot *slot = nghttp2_session_get_stream_user_data(session, stream_id);
    if (slot) append_event(user_data, (push_h2_event){PUSH_H2_STREAM_CLOSED, slot->index, error_code, stream_id});
    return 0;
}

/* MARK: life */

static nghttp2_session *make_session(push_h2 *h2)
{
    nghttp2_session *session = NULL;
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *options = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) || nghttp2_option_new(&options)) goto done;
    nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, before_frame_send);
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_frame_head);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_header_block);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_body);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    /* nghttp2 itself would hold back what exceeds 100 before SETTINGS; the limit is ours to keep. */
    nghttp2_option_set_peer_max_concurrent_streams(options, h2->slots_most);
    /* Closed streams are kept for a priority tree that a client has no use for. */
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_option_set_max_reserved_remote_streams(options, 0);
    if (nghttp2_session_client_new2(&session, callbacks, h2, options)) session = NULL;
done:
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    return session;
}

push_h2 *push_h2_new(uint32_t slots_most, uint32_t slot_size, uint32_t body_most, push_h2_limits limits)
{
    push_h2 *h2 = calloc(1, sizeof *h2);
    if (!h2) return NULL;
    uint32_t chunks_most = (slots_most + PUSH_H2_SLOTS_PER_CHUNK - 1) / PUSH_H2_SLOTS_PER_CHUNK;
    h2->slots_most = slots_most;
    h2->slot_size = (slot_size + 63) / 64 * 64;
    h2->body_most = body_most;
    h2->limits = limits;
    h2->event_room = 64;
    h2->chunks = calloc(chunks_most, sizeof *h2->chunks);
    h2->free_list = malloc((size_t)chunks_most * PUSH_H2_SLOTS_PER_CHUNK * sizeof *h2->free_list);
    h2->events = malloc(h2->event_room * sizeof *h2->events);
    if (h2->chunks && h2->free_list && h2->events) h2->session = make_session(h2);
    if (!h2->session) {
        push_h2_free(h2);
        return NULL;
    }
    return h2;
}

void push_h2_free(push_h2 *h2)
{
    if (h2->session) nghttp2_session_del(h2->session);
    for (uint32_t i = 0; i < h2->chunk_count; i++) {
        for (int j = 0; j < PUSH_H2_SLOTS_PER_CHUNK; j++) free(h2->chunks[i][j].response);
        free(h2->chunks[i][0].memory);
        free(h2->chunks[i]);
    }
    for (uint32_t i = 0; i < h2->wanted_count; i++) free(h2->wanted[i]);
    free(h2->chunks);
    free(h2->free_list);
    free(h2->events);
    free(h2);
}

bool push_h2_want(push_h2 *h2, const char *name)
{
    size_t length = strlen(name);
    if (h2->wanted_count == PUSH_H2_WANTED_MOST || length == 0 || length >= 64) return false;
    char *copy = strdup(name);
    if (!copy) return false;
    h2->wanted[h2->wanted_count] = copy;
    h2->wanted_length[h2->wanted_count++] = (uint32_t)length;
    h2->wanted_lengths |= 1ull << length;
    return true;
}

int push_h2_greet(push_h2 *h2, uint32_t stream_window, uint32_t connection_window)
{
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, h2->limits.header_bytes},
    };
    int result = nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings, 3);
    if (result) return result;
    return nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0, (int32_t)connection_window);
}

/* MARK: slots */

static bool add_chunk(push_h2 *h2)
{
    if (h2->chunk_count * PUSH_H2_SLOTS_PER_CHUNK >= h2->slots_most) return false;
    push_h2_slot *chunk = calloc(PUSH_H2_SLOTS_PER_CHUNK, sizeof *chunk);
    uint8_t *memory = chunk ? malloc((size_t)PUSH_H2_SLOTS_PER_CHUNK * h2->slot_size) : NULL;
    if (!memory) {
        free(chunk);
        h2->out_of_memory = true;
        return false;
    }
    uint32_t first = h2->chunk_count * PUSH_H2_SLOTS_PER_CHUNK;
    for (uint32_t i = PUSH_H2_SLOTS_PER_CHUNK; i-- > 0;) {
        chunk[i].memory = memory + (size_t)i * h2->slot_size;
        chunk[i].index = first + i;
        h2->free_list[h2->free_count++] = first + i;
    }
    h2->chunks[h2->chunk_count++] = chunk;
    return true;
}

push_h2_slot *push_h2_next_slot(push_h2 *h2)
{
    if (h2->in_use >= h2->slots_most) return NULL;
    if (!h2->free_count && !add_chunk(h2)) return NULL;
    return push_h2_slot_at(h2, h2->free_list[h2->free_count - 1]);
}

int32_t push_h2_submit(push_h2 *h2, const nghttp2_nv *fields, size_t count, uint64_t tag, uint32_t body_offset,
                       uint32_t body_length)
{
    push_h2_slot *slot = push_h2_next_slot(h2);
    if (!slot) return NGHTTP2_ERR_NOMEM;
    slot->tag = tag;
    slot->first_byte = UINT64_MAX;
    slot->body_offset = body_offset;
    slot->body_length = body_length;
    slot->body_taken = 0;
    slot->status = 0;
    slot->ended = slot->complete = false;
    slot->kept_headers = slot->kept_body = 0;
    slot->interim = slot->frames = 0;
    slot->body_bytes = 0;
    nghttp2_data_provider body = {.source.ptr = slot, .read_callback = read_body};
    int32_t id = nghttp2_submit_request(h2->session, NULL, fields, count, body_length ? &body : NULL, slot);
    if (id < 0) return id;
    slot->stream_id = id;
    slot->in_use = true;
    h2->free_count--;
    h2->in_use++;
    return id;
}

void push_h2_free_slot(push_h2 *h2, push_h2_slot *slot)
{
    if (!slot->in_use) return;
    slot->in_use = false;
    slot->stream_id = 0;
    h2->free_list[h2->free_count++] = slot->index;
    h2->in_use--;
}

/* MARK: bytes */

ssize_t push_h2_pull(push_h2 *h2, uint8_t *into, size_t room)
{
    size_t done = 0;
    while (done < room) {
        if (!h2->chunk_rest_length) {
            const uint8_t *frame;
            ssize_t length = nghttp2_session_mem_send(h2->session, &frame);
            if (length < 0) return length;
            if (length == 0) break;
            h2->pulled += (uint64_t)length;
            h2->chunk_rest = frame;
            h2->chunk_rest_length = (size_t)length;
        }
        size_t part = h2->chunk_rest_length < room - done ? h2->chunk_rest_length : room - done;
        memcpy(into + done, h2->chunk_rest, part);
        done += part;
        h2->chunk_rest += part;
        h2->chunk_rest_length -= part;
    }
    return (ssize_t)done;
}

bool push_h2_wants_pull(const push_h2 *h2)
{
    return h2->chunk_rest_length || nghttp2_session_want_write(h2->session);
}

int push_h2_feed(push_h2 *h2, const uint8_t *bytes, size_t count)
{
    ssize_t taken = nghttp2_session_mem_recv(h2->session, bytes, count);
    if (taken < 0) return (int)taken;
    return h2->out_of_memory ? NGHTTP2_ERR_NOMEM : 0;
}

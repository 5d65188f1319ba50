// A received request, in memory that is reused for the next one. See push_sink.h.

#include "push_sink.h"

#include <stdlib.h>
#include <string.h>

// The maximum size of all values, which is more than any gateway accepts. Further bytes are dropped.
#define KEPT_VALUES 16384u

push_sink_request *push_sink_request_make(void) {
    push_sink_request *request = calloc(1, sizeof *request);
    if (request == NULL) abort();
    request->values_capacity = request->body_capacity = 1024;
    request->body_limit = PUSH_SINK_KEPT_BODY;
    request->values = malloc(request->values_capacity);
    request->body = malloc(request->body_capacity);
    if (request->values == NULL || request->body == NULL) abort();
    return request;
}

void push_sink_request_free(push_sink_request *request) {
    free(request->long_answer);
    free(request->values);
    free(request->body);
    free(request);
}

void push_sink_request_clear(push_sink_request *request) {
    request->seen = request->repeated = request->phase = 0;
    request->mark = 0;
    request->part_at = request->part_count = 0;
    request->body_kept = request->values_used = 0;
    request->body_total = 0;
    request->answered = false;
    request->answer_breaks_off = false;
}

static void make_room(uint8_t **bytes, uint32_t *capacity, size_t wanted) {
    if (wanted <= *capacity) return;
    while (*capacity < wanted) *capacity *= 2;
    uint8_t *larger = realloc(*bytes, *capacity);
    if (larger == NULL) abort();
    *bytes = larger;
}

void push_sink_request_add_value(push_sink_request *request, int field, const uint8_t *bytes, size_t count) {
    uint32_t bit = 1u << field;
    if (request->seen & bit) {
        request->repeated |= bit;
        return;
    }
    request->seen |= bit;
    // nghttp2 limits a header block to 64 KiB. A value that does not fit is longer than any rule allows.
    if (request->values_used + count > KEPT_VALUES) count = KEPT_VALUES - request->values_used;
    make_room(&request->values, &request->values_capacity, request->values_used + count);
    memcpy(request->values + request->values_used, bytes, count);
    request->fields[field].at = request->values_used;
    request->fields[field].count = (uint32_t)count;
    request->values_used += (uint32_t)count;
}

void push_sink_request_add_body(push_sink_request *request, const uint8_t *bytes, size_t count) {
    request->body_total += count;
    if (request->body_kept + count > request->body_limit) count = request->body_limit - request->body_kept;
    make_room(&request->body, &request->body_capacity, request->body_kept + count);
    memcpy(request->body + request->body_kept, bytes, count);
    request->body_kept += (uint32_t)count;
}

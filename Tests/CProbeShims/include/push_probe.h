// Two clients for the tests of pushsink: of HTTP/2 and of bytes, both over TLS. They show what arrived on the
// wire and have no opinion. Neither is used by a program. Signatures of a provider's tokens come along, and nghttp2's
// own functions, which the tests hold against the engine's side of HTTP/2.

#ifndef PUSH_PROBE_H
#define PUSH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <nghttp2/nghttp2.h>
#include <push_sink.h>

#pragma clang assume_nonnull begin

// MARK: Keys of other kinds than pushsink makes, and in other forms

/// `curve`: OpenSSL's name, such as "P-384".
push_sink_key *_Nullable push_probe_key_make_curve(const char *curve);
push_sink_key *_Nullable push_probe_key_make_rsa(size_t bits);
/// The private key as PEM in SEC 1 or PKCS #1; with a password, as encrypted PKCS #8. Its length, or 0 where it does
/// not fit.
size_t push_probe_key_text(push_sink_key *key, const char *_Nullable password, char *text, size_t capacity);

// MARK: Memory

/// The bytes that malloc(3) has given out in this process and that are not freed.
size_t push_probe_allocated(void);

// MARK: Signatures

/// Signs with SHA-256 by a key of pushsink, as RFC 7518 section 3.3 has it. The signature's length, 0 on failure.
size_t push_probe_sign_rs256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature, size_t capacity);
/// The same as section 3.4 has it: 64 bytes, R and S.
bool push_probe_sign_es256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature);

// MARK: HTTP/2

typedef struct push_probe push_probe;

typedef enum {
    PUSH_PROBE_SETTINGS,   // `number`: MAX_CONCURRENT_STREAMS
    PUSH_PROBE_ANSWER,     // `stream` is answered: `number` is the status, `id` and `text` (the body) come along
    PUSH_PROBE_RESET,      // `stream` was reset or given up: `number` is HTTP/2's error code
    PUSH_PROBE_GOAWAY,     // `stream`: the last processed; `number`: the error code; `text`: debug data
    PUSH_PROBE_PONG,       // a PING is answered
    PUSH_PROBE_ENDED,      // the connection is over; `text` is "closed", "reset" or OpenSSL's reason
} push_probe_kind;

typedef struct {
    push_probe_kind kind;
    int32_t stream;
    uint32_t number;
    char id[64];
    char text[512];
} push_probe_event;

typedef struct {
    const char *name;
    const char *value;
} push_probe_field;

/// Connects to 127.0.0.1, trusting `authority` (PEM file); `identity`: PEM file with a certificate and its
/// key to show. NULL: no TCP connection, or a file is not good. Refusals by TLS come as an ENDED event.
push_probe *_Nullable push_probe_make(uint16_t port, const char *authority, const char *_Nullable identity);
/// A small receive buffer, before anything is sent: makes the peer's writes stick.
void push_probe_narrow(push_probe *probe);
void push_probe_free(push_probe *probe);
/// Queues a request and returns its stream; it leaves with the next push_probe_next.
int32_t push_probe_send(push_probe *probe, const push_probe_field *fields, size_t count,
                             const uint8_t *body, size_t body_count);
/// Queues a PING.
void push_probe_ping(push_probe *probe);
/// Sends and receives until there is an event; false after `milliseconds` without one.
bool push_probe_next(push_probe *probe, push_probe_event *event, int milliseconds);

// MARK: Bytes

typedef struct push_probe_stream push_probe_stream;

enum {
    PUSH_PROBE_STREAM_CLOSED = -1,  // in order
    PUSH_PROBE_STREAM_RESET = -2,
    PUSH_PROBE_STREAM_BROKEN = -3,  // by TLS, or without TLS's goodbye
    PUSH_PROBE_STREAM_LATE = -4,    // nothing more within the time
};

/// As push_probe_make, without ALPN. The first read or write shakes hands.
push_probe_stream *_Nullable push_probe_stream_make(uint16_t port, const char *authority, const char *_Nullable identity);
void push_probe_stream_free(push_probe_stream *stream);
/// Bytes read (> 0), else one of the constants above.
int push_probe_stream_read(push_probe_stream *stream, uint8_t *bytes, int capacity, int milliseconds);
/// `count` once all are written, else one of the constants above.
int push_probe_stream_write(push_probe_stream *stream, const uint8_t *bytes, int count, int milliseconds);

// MARK: A server

/// What a server shows by TLS, for all of its connections; it is never freed.
typedef struct push_probe_receiver push_probe_receiver;
/// One accepted connection, with TLS or without. One thread at a time may use it.
typedef struct push_probe_caller push_probe_caller;

/// `identity`: PEM file with a chain and its key. NULL: it is not good.
push_probe_receiver *_Nullable push_probe_receiver_new(const char *identity);

/// Waits for a connection to a listening socket. NULL: the socket is shut down. Without `receiver` there is no TLS.
push_probe_caller *_Nullable push_probe_receiver_accept(push_probe_receiver *_Nullable receiver, int listener);

/// The handshake, where there is TLS.
bool push_probe_caller_greet(push_probe_caller *caller);

/// How many bytes came; 0 or less: it is over.
long push_probe_caller_read(push_probe_caller *caller, uint8_t *bytes, size_t size);
void push_probe_caller_write(push_probe_caller *caller, const uint8_t *bytes, size_t size);

/// Closes it and frees what belongs to it.
void push_probe_caller_end(push_probe_caller *caller);

#pragma clang assume_nonnull end

#endif

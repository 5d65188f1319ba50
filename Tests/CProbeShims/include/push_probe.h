// Two clients for the tests of pushsink, one for HTTP/2 and one for bytes, both over TLS. They report what
// arrived on the wire and do not judge it. No program uses them. This header also provides signatures of a
// provider's tokens, and the functions of nghttp2, with which the tests compare the engine's side of HTTP/2.

#ifndef PUSH_PROBE_H
#define PUSH_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <nghttp2/nghttp2.h>
#include <push_sink.h>

#pragma clang assume_nonnull begin

// MARK: Keys of types and formats that pushsink does not generate

/// Generates a key. `curve`: OpenSSL's name, such as "P-384".
push_sink_key *_Nullable push_probe_key_make_curve(const char *curve);
push_sink_key *_Nullable push_probe_key_make_rsa(size_t bits);
/// Writes the private key to `text` as PEM in SEC 1 or PKCS #1; with a password, as encrypted PKCS #8.
/// Returns its length, or 0 if it does not fit.
size_t push_probe_key_text(push_sink_key *key, const char *_Nullable password, char *text, size_t capacity);

// MARK: Memory

/// Returns the number of bytes that malloc(3) has allocated in this process and that have not been freed.
size_t push_probe_allocated(void);

// MARK: Signatures

/// Signs with SHA-256 and a key of pushsink, as defined in RFC 7518 section 3.3. Returns the length of the
/// signature, or 0 on failure.
size_t push_probe_sign_rs256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature,
                             size_t capacity);
/// Signs as defined in section 3.4. The signature consists of R and S, 64 bytes.
bool push_probe_sign_es256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature);

/// Writes a number of the public part as big-endian bytes: the modulus and the exponent of an RSA key, the
/// coordinates of a point. Returns the count of bytes, or 0 on failure.
size_t push_probe_key_number(const void *key, bool is_second, uint8_t *bytes, size_t capacity);
/// Writes the SHA-256 digest, 32 bytes.
bool push_probe_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

// MARK: HTTP/2

typedef struct push_probe push_probe;

typedef enum {
    PUSH_PROBE_SETTINGS,   // `number`: MAX_CONCURRENT_STREAMS
    PUSH_PROBE_ANSWER,     // `stream` was answered; `number`: the status; `id`; `text`: the body
    PUSH_PROBE_RESET,      // `stream` was reset or abandoned; `number`: the error code of HTTP/2
    PUSH_PROBE_GOAWAY,     // `stream`: the last processed; `number`: the error code; `text`: the debug data
    PUSH_PROBE_PONG,       // a PING was answered
    PUSH_PROBE_ENDED,      // the connection has ended; `text`: "closed", "reset" or OpenSSL's reason
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

/// Connects to 127.0.0.1 and trusts `authority` (PEM file). `identity`: a PEM file with the client's
/// certificate and its key. Returns NULL if the TCP connection fails or a file is unusable. A refusal by TLS
/// is reported as a PUSH_PROBE_ENDED event.
push_probe *_Nullable push_probe_make(uint16_t port, const char *authority, const char *_Nullable identity);
/// Sets a small receive buffer, so that the peer's writes stall. The caller must set it before it sends
/// anything.
void push_probe_narrow(push_probe *probe);
void push_probe_free(push_probe *probe);
/// Queues a request and returns its stream. The next call of push_probe_next sends it.
int32_t push_probe_send(push_probe *probe, const push_probe_field *fields, size_t count,
                        const uint8_t *body, size_t body_count);
/// Queues a PING.
void push_probe_ping(push_probe *probe);
/// Sends and receives until an event occurs. Returns false after `milliseconds` without an event.
bool push_probe_next(push_probe *probe, push_probe_event *event, int milliseconds);

// MARK: Bytes

typedef struct push_probe_stream push_probe_stream;

enum {
    PUSH_PROBE_STREAM_CLOSED = -1,  // orderly
    PUSH_PROBE_STREAM_RESET = -2,
    PUSH_PROBE_STREAM_BROKEN = -3,  // an error of TLS, or an end without close_notify
    PUSH_PROBE_STREAM_LATE = -4,    // no progress within the time limit
};

/// Connects as push_probe_make does, but without ALPN. The first read or write performs the handshake.
push_probe_stream *_Nullable push_probe_stream_make(uint16_t port, const char *authority,
                                                    const char *_Nullable identity);
void push_probe_stream_free(push_probe_stream *stream);
/// Returns the number of bytes read (> 0), otherwise one of the constants above.
int push_probe_stream_read(push_probe_stream *stream, uint8_t *bytes, int capacity, int milliseconds);
/// Returns `count` after all bytes have been written, otherwise one of the constants above.
int push_probe_stream_write(push_probe_stream *stream, const uint8_t *bytes, int count, int milliseconds);

// MARK: A server

/// The TLS identity of a server, for all of its connections. It is never freed.
typedef struct push_probe_receiver push_probe_receiver;
/// One accepted connection, with or without TLS. Only one thread at a time may use it.
typedef struct push_probe_caller push_probe_caller;

/// `identity`: a PEM file with a chain and its key. Returns NULL if the file is unusable.
push_probe_receiver *_Nullable push_probe_receiver_new(const char *identity);

/// Waits for a connection to a listening socket. Returns NULL if the socket is shut down. If `receiver` is
/// NULL, the connection does not use TLS.
push_probe_caller *_Nullable push_probe_receiver_accept(push_probe_receiver *_Nullable receiver,
                                                        int listener);

/// Performs the handshake if the connection uses TLS. Returns false on failure.
bool push_probe_caller_greet(push_probe_caller *caller);

/// Returns the number of bytes received; 0 or less if the connection has ended.
long push_probe_caller_read(push_probe_caller *caller, uint8_t *bytes, size_t size);
void push_probe_caller_write(push_probe_caller *caller, const uint8_t *bytes, size_t size);

/// Closes the connection and frees its memory.
void push_probe_caller_end(push_probe_caller *caller);

#pragma clang assume_nonnull end

#endif

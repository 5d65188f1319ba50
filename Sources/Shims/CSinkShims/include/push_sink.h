// The C code that pushsink needs: the server side of TLS (OpenSSL) and of HTTP/2 (nghttp2), readiness, and
// the generation of keys and certificates. It provides mechanisms only; Swift code decides which request gets
// which answer. The engine does not use this code and implements its own side of these protocols, so that the
// two do not share misinterpretations.
//
// Two threads must not call these functions at the same time.

#ifndef PUSH_SINK_H
#define PUSH_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Readiness and signals

/// Returns an epoll descriptor, or -1 with errno set.
int push_sink_poll_make(void);
/// Watches `descriptor`, level-triggered, until it is closed. `is_first`: the descriptor is not watched yet.
/// Returns 0, or -1 with errno set.
int push_sink_poll_watch(int poll, int descriptor, uint64_t tag, bool read, bool write, bool is_first);
/// Waits for events of watched descriptors and writes the tags of at most `capacity` of them to `ready`.
/// Returns their number; 0 after `nanoseconds` or after an interruption.
int push_sink_poll_wait(int poll, uint64_t *ready, int capacity, uint64_t nanoseconds);

/// Blocks SIGTERM, SIGINT and SIGUSR1, and ignores SIGPIPE and SIGHUP. Returns a descriptor that reports the
/// blocked signals, or -1 with errno set.
int push_sink_signals(void);
/// Returns the number of the next pending signal, or 0 if there is none.
int push_sink_next_signal(int descriptor);
/// Raises the soft limit on open descriptors to the hard limit.
void push_sink_lift_descriptor_limit(void);
/// Returns the CPU time (user and system) that this process has used, in nanoseconds.
uint64_t push_sink_cpu_nanoseconds(void);
/// Return the time of the monotonic clock and of the wall clock, in nanoseconds.
uint64_t push_sink_monotonic_nanoseconds(void);
uint64_t push_sink_wall_nanoseconds(void);

// MARK: Sockets

/// Reports whether the text is an address that only this machine can reach (127.0.0.0/8 or ::1).
bool push_sink_is_loopback(const char *address);
/// Returns a non-blocking listening socket and writes its port to `bound`, or returns -1 with errno set.
int push_sink_listen(const char *address, uint16_t port, uint16_t *bound);
/// Returns the next accepted connection, non-blocking and without Nagle's delay, or -1 with errno set.
int push_sink_accept(int listener);
/// Makes the next close send a TCP reset instead of an orderly end.
void push_sink_arm_reset(int descriptor);

// MARK: TLS, the server side

typedef struct push_sink_tls_context push_sink_tls_context;
typedef struct push_sink_tls push_sink_tls;

enum {
    PUSH_SINK_WANTS_READ = 0,
    PUSH_SINK_CLOSED = -1,      // orderly
    PUSH_SINK_BROKEN = -2,
    PUSH_SINK_WANTS_WRITE = -3,
};

/// Creates a context that presents the certificate chain in `identity` (PEM), uses the key in it, and
/// requests a client certificate issued by `authority` (PEM). `protocols`: the ALPN protocols, separated by
/// commas, in order of preference. A client that offers protocols must offer one of these. If the text is
/// empty, the protocols that clients offer are ignored. `require`: no handshake succeeds without a client
/// certificate. `lenient`: a bad client certificate does not end the handshake, and push_sink_tls_certificate
/// reports it. Returns NULL on failure; `error` then contains the reason.
push_sink_tls_context *_Nullable push_sink_tls_context_make(
    const char *identity, const char *authority, const char *protocols, bool require, bool lenient,
    char *error, size_t capacity);
void push_sink_tls_context_free(push_sink_tls_context *context);

push_sink_tls *_Nullable push_sink_tls_make(push_sink_tls_context *context, int descriptor);
void push_sink_tls_free(push_sink_tls *tls);
/// Returns 1 if the handshake is done, otherwise one of the constants above.
int push_sink_tls_handshake(push_sink_tls *tls);
/// Returns the number of bytes read (> 0), otherwise one of the constants above.
int push_sink_tls_read(push_sink_tls *tls, uint8_t *bytes, int capacity);
/// Returns the number of bytes written (> 0), otherwise one of the constants above. After
/// PUSH_SINK_WANTS_READ or PUSH_SINK_WANTS_WRITE, the caller must pass the same bytes again.
int push_sink_tls_write(push_sink_tls *tls, const uint8_t *bytes, int count);
void push_sink_tls_shutdown(push_sink_tls *tls);
/// Writes the reason why the last handshake or read failed to `text`, as one line.
void push_sink_tls_reason(push_sink_tls *tls, char *text, size_t capacity);
/// Returns 0 if the client presented no certificate, 1 if it presented a valid one, and -1 if it presented
/// one whose verification failed. Writes the UID of the certificate's subject to `uid`.
int push_sink_tls_certificate(push_sink_tls *tls, char *uid, size_t capacity);
/// Reports whether ALPN has selected `protocol`.
bool push_sink_tls_speaks(push_sink_tls *tls, const char *protocol);

// MARK: HTTP/2, the server side

#define PUSH_SINK_MAX_FIELDS 16
/// The default number of bytes of a body to keep, which is more than any gateway accepts. Further bytes are
/// counted and dropped.
#define PUSH_SINK_KEPT_BODY 8192u

typedef struct push_sink_h2 push_sink_h2;
typedef struct push_sink_h2_kind push_sink_h2_kind;

/// A received request: the values of the fields that the kind selects, and the first bytes of the body.
typedef struct push_sink_request {
    int32_t stream;
    uint32_t seen;               // bit i: field i is present
    uint32_t repeated;           // bit i: field i occurs more than once; its first value is kept
    uint32_t phase;              // for use by the owner; 0 on arrival
    uint64_t mark;               // for use by the owner; 0 on arrival
    uint32_t part_at;            // for use by the owner: a part of the body
    uint32_t part_count;
    uint8_t note[40];            // for use by the owner
    uint8_t *body;
    uint32_t body_kept;          // bytes at `body`
    uint32_t body_capacity;
    uint64_t body_total;         // bytes that the client sent
    uint32_t body_limit;         // the maximum number of bytes to keep
    uint8_t *values;
    uint32_t values_used;
    uint32_t values_capacity;
    struct { uint32_t at, count; } fields[PUSH_SINK_MAX_FIELDS];
    bool answered;
    bool answer_breaks_off;      // the stream is reset after the answer's body, instead of being ended
    uint32_t answer_sent;
    uint32_t answer_count;
    uint8_t *_Nullable long_answer;  // the answer's body if it does not fit into `answer`
    char answer[256];
    struct push_sink_request *_Nullable next;
    struct push_sink_request *_Nullable previous;
} push_sink_request;

typedef struct {
    const uint8_t *_Nullable start;   // NULL if the field is absent
    size_t count;
} push_sink_value;

static inline push_sink_value push_sink_request_value(const push_sink_request *request, int field) {
    if (!(request->seen >> field & 1)) return (push_sink_value){NULL, 0};
    return (push_sink_value){request->values + request->fields[field].at, request->fields[field].count};
}

/// Creates a request outside HTTP/2: for HTTP/1.1, and for tests of the code that checks requests.
push_sink_request *push_sink_request_make(void);
void push_sink_request_free(push_sink_request *request);
/// Resets the object for another request. `body_limit` is preserved.
void push_sink_request_clear(push_sink_request *request);
void push_sink_request_add_value(push_sink_request *request, int field, const uint8_t *bytes, size_t count);
void push_sink_request_add_body(push_sink_request *request, const uint8_t *bytes, size_t count);

typedef struct {
    /// A request is complete.
    void (*arrived)(void *context, push_sink_request *request);
    /// The stream of a request without an answer was closed.
    void (*vanished)(void *context, push_sink_request *request);
    /// The peer answered the PING that followed the first GOAWAY of a graceful end.
    void (*noticed)(void *context);
} push_sink_h2_events;

/// Creates the data that all connections of one gateway share: the names of the fields that the gateway uses
/// (including pseudo-header fields such as ":method"; at most PUSH_SINK_MAX_FIELDS), the maximum number of
/// bytes of a body to keep, and the callbacks.
push_sink_h2_kind *push_sink_h2_kind_make(const char *const _Nonnull *_Nonnull names, int count,
                                          uint32_t kept_body, push_sink_h2_events events);
void push_sink_h2_kind_free(push_sink_h2_kind *kind);
/// Return the maximum number of streams that were open at once on one connection, and on all connections.
uint32_t push_sink_h2_kind_peak(const push_sink_h2_kind *kind);
uint32_t push_sink_h2_kind_peak_together(const push_sink_h2_kind *kind);
/// Record that a request of another protocol begins (enter) and ends (leave). Until it ends, it counts as an
/// open stream.
void push_sink_h2_kind_enter(push_sink_h2_kind *kind);
void push_sink_h2_kind_leave(push_sink_h2_kind *kind);

/// Creates a connection that first advertises `streams` as SETTINGS_MAX_CONCURRENT_STREAMS.
push_sink_h2 *_Nullable push_sink_h2_make(push_sink_h2_kind *kind, void *context, uint32_t streams);
/// Ends the connection. Calls `vanished` for every request that waits for an answer.
void push_sink_h2_free(push_sink_h2 *h2);
/// Processes received bytes. Returns 0, or a negative error of nghttp2. After an error, the caller must send
/// the remaining frames and close the connection.
int push_sink_h2_receive(push_sink_h2 *h2, const uint8_t *bytes, size_t count);
/// Writes outgoing frames to `bytes`. Returns their size, at most `capacity`; 0 if there is nothing to send;
/// a negative error of nghttp2 on failure.
ptrdiff_t push_sink_h2_fill(push_sink_h2 *h2, uint8_t *bytes, size_t capacity);
/// Reports whether neither side has anything more to send.
bool push_sink_h2_over(push_sink_h2 *h2);

/// Answers with `status` and an optional body.
/// `identifier`: the name of the field that contains the request's note. `type` and `retry_after`: the values
/// of Content-Type and Retry-After. If one of these is NULL, the answer does not contain the field. `type`
/// must remain valid.
/// `breaks_off`: the stream is reset after the body. Returns 0 or an error.
int push_sink_h2_answer(push_sink_h2 *h2, push_sink_request *request, int status,
                        const char *_Nullable identifier, const char *_Nullable type,
                        const char *_Nullable retry_after, const uint8_t *_Nullable body, size_t count,
                        bool breaks_off);
/// Resets the request's stream with REFUSED_STREAM.
void push_sink_h2_refuse(push_sink_h2 *h2, push_sink_request *request);
/// Marks a request that never gets an answer. Its stream stays open for the peer.
void push_sink_h2_ignore(push_sink_request *request);
void push_sink_h2_advertise(push_sink_h2 *h2, uint32_t streams);
/// Sends GOAWAY: streams above `last` are not processed.
void push_sink_h2_go_away(push_sink_h2 *h2, int32_t last, const char *reason, size_t count);
/// Sends GOAWAY with 2^31-1 and a PING. `noticed` reports the answer to the PING.
void push_sink_h2_notice(push_sink_h2 *h2);
/// Returns the highest stream whose request was accepted for processing.
int32_t push_sink_h2_last_stream(push_sink_h2 *h2);
/// Returns the request of this stream if it waits for an answer, otherwise NULL.
push_sink_request *_Nullable push_sink_h2_request(push_sink_h2 *h2, int32_t stream);
/// Returns the stream in the middle of the streams that wait for an answer. If only one stream waits, returns
/// that stream; if none waits, returns 0.
int32_t push_sink_h2_middle(push_sink_h2 *h2);

// MARK: Keys and certificates

typedef struct push_sink_key push_sink_key;
typedef struct push_sink_certificate push_sink_certificate;

push_sink_key *_Nullable push_sink_key_make_p256(void);
push_sink_key *_Nullable push_sink_key_make_rsa2048(void);
/// Reads a private key from PEM text (PKCS#8, such as Apple's .p8, or another format).
push_sink_key *_Nullable push_sink_key_parse(const char *text);
/// Writes the private key to `text` as PKCS#8 PEM, terminated by zero. Returns its length, or 0 if it does
/// not fit.
size_t push_sink_key_text(push_sink_key *key, char *text, size_t capacity);
void push_sink_key_free(push_sink_key *key);
/// Reports whether `signature` (64 bytes, R and S as in RFC 7518 section 3.4) is the key's ES256 signature of
/// `bytes`.
bool push_sink_key_verifies_es256(push_sink_key *key, const uint8_t *bytes, size_t count,
                                  const uint8_t *signature);
/// Reports whether `signature` is the key's RS256 signature of `bytes` (RFC 7518 section 3.3).
bool push_sink_key_verifies_rs256(push_sink_key *key, const uint8_t *bytes, size_t count,
                                  const uint8_t *signature, size_t signature_count);

/// Creates a certificate for `key`, signed by `issuer`, or self-signed if `issuer` is NULL.
/// `uid`: the UID of the subject, which in Apple's certificates is the bundle id. `alternative_names`: names
/// in OpenSSL's syntax, such as "DNS:localhost,IP:127.0.0.1".
/// `usage`: "serverAuth" or "clientAuth", or NULL for an authority. `from_seconds` and `to_seconds`: the
/// validity, relative to now.
push_sink_certificate *_Nullable push_sink_certificate_make(
    const char *common_name, const char *_Nullable uid, const char *_Nullable alternative_names,
    const char *_Nullable usage, long from_seconds, long to_seconds, push_sink_key *key,
    push_sink_certificate *_Nullable issuer, push_sink_key *_Nullable issuer_key);
void push_sink_certificate_free(push_sink_certificate *certificate);

/// Both functions below create a file with mode 0600. On failure, they return false and write the reason to
/// `error`.
bool push_sink_write_pem(const char *path, push_sink_certificate *_Nullable certificate,
                         push_sink_certificate *_Nullable issuer, push_sink_key *_Nullable key,
                         char *error, size_t capacity);
/// `old_fashioned`: encrypts with RC2-40 and 3DES, as keychains do for exports, instead of AES-256.
bool push_sink_write_p12(const char *path, const char *password, push_sink_certificate *certificate,
                         push_sink_certificate *issuer, push_sink_key *key, bool old_fashioned,
                         char *error, size_t capacity);

#pragma clang assume_nonnull end

#endif

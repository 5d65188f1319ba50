// What pushsink needs from C: a server's side of TLS (OpenSSL) and of HTTP/2 (nghttp2), readiness, and the
// making of keys and certificates. Mechanism only: Swift decides which request gets which answer. The
// engine does not use any of this and implements its own side of these protocols, so that the two do not share a
// misreading.
//
// Nothing here is safe for use from two threads at once.

#ifndef PUSH_SINK_H
#define PUSH_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Readiness and signals

/// An epoll descriptor, or -1 with errno.
int push_sink_poll_make(void);
/// Watches `descriptor`, level-triggered, until it is closed; `anew`: for the first time. Returns 0, or -1 with
/// errno.
int push_sink_poll_watch(int poll, int descriptor, uint64_t tag, bool read, bool write, bool anew);
/// Waits for events of watched descriptors and puts the tags of at most `capacity` of them into `ready`. Returns
/// their number: 0 after `nanoseconds` and after an interruption.
int push_sink_poll_wait(int poll, uint64_t *ready, int capacity, uint64_t nanoseconds);

/// Blocks SIGTERM, SIGINT and SIGUSR1, ignores SIGPIPE and SIGHUP, and returns a descriptor that reports the
/// blocked ones.
int push_sink_signals(void);
/// The next pending signal's number, 0 when there is none.
int push_sink_next_signal(int descriptor);
/// Lifts the soft limit of open descriptors to the hard one.
void push_sink_lift_descriptor_limit(void);
/// CPU time that this process has used, user and system, in nanoseconds.
uint64_t push_sink_cpu_nanoseconds(void);
/// Monotonic and wall clock in nanoseconds.
uint64_t push_sink_monotonic_nanoseconds(void);
uint64_t push_sink_wall_nanoseconds(void);

// MARK: Sockets

/// True where the text is an address that only this machine can reach (127.0.0.0/8 or ::1).
bool push_sink_is_loopback(const char *address);
/// A non-blocking listening socket, with the port it got in `bound`; or -1 with errno.
int push_sink_listen(const char *address, uint16_t port, uint16_t *bound);
/// The next accepted connection, non-blocking and without Nagle's delay; or -1 with errno.
int push_sink_accept(int listener);
/// Makes the next close a TCP reset instead of an orderly end.
void push_sink_arm_reset(int descriptor);

// MARK: TLS, the server's side

typedef struct push_sink_tls_context push_sink_tls_context;
typedef struct push_sink_tls push_sink_tls;

enum {
    PUSH_SINK_WANTS_READ = 0,
    PUSH_SINK_CLOSED = -1,      // orderly
    PUSH_SINK_BROKEN = -2,
    PUSH_SINK_WANTS_WRITE = -3,
};

/// Serves with the chain and key in `identity` (PEM), asks for a client certificate issued by `authority`
/// (PEM), and insists on one of the ALPN protocols `protocols` (with commas, the best first; "": whatever the
/// client offers is passed over) where the client offers any.
/// `require`: no handshake without a client certificate. `lenient`: a bad client certificate does not end the
/// handshake; push_sink_tls_certificate reports it. NULL: `error` contains the reason.
push_sink_tls_context *_Nullable push_sink_tls_context_make(
    const char *identity, const char *authority, const char *protocols, bool require, bool lenient,
    char *error, size_t capacity);
void push_sink_tls_context_free(push_sink_tls_context *context);

push_sink_tls *_Nullable push_sink_tls_make(push_sink_tls_context *context, int descriptor);
void push_sink_tls_free(push_sink_tls *tls);
/// 1 when done, else one of the constants above.
int push_sink_tls_handshake(push_sink_tls *tls);
/// Bytes read (> 0), else one of the constants above.
int push_sink_tls_read(push_sink_tls *tls, uint8_t *bytes, int capacity);
/// Bytes written (> 0), else one of the constants above. After a "wants" the same bytes must be offered
/// again.
int push_sink_tls_write(push_sink_tls *tls, const uint8_t *bytes, int count);
void push_sink_tls_shutdown(push_sink_tls *tls);
/// Why the last handshake or read broke, one line.
void push_sink_tls_reason(push_sink_tls *tls, char *text, size_t capacity);
/// 0: the client showed no certificate; 1: a valid one, whose subject's UID is in `uid`; -1: one that does
/// not verify.
int push_sink_tls_certificate(push_sink_tls *tls, char *uid, size_t capacity);
/// True where ALPN has chosen `protocol`.
bool push_sink_tls_speaks(push_sink_tls *tls, const char *protocol);

// MARK: HTTP/2, the server's side

#define PUSH_SINK_MAX_FIELDS 16
/// Bytes of a body that are kept unless more are asked for: beyond what any gateway accepts. More are counted
/// and dropped.
#define PUSH_SINK_KEPT_BODY 8192u

typedef struct push_sink_h2 push_sink_h2;
typedef struct push_sink_h2_kind push_sink_h2_kind;

/// A request as it arrived: the values of the fields that the kind asked for, and the first bytes of the
/// body.
typedef struct push_sink_request {
    int32_t stream;
    uint32_t seen;               // bit i: field i was there
    uint32_t repeated;           // bit i: it was there more than once; the first value is kept
    uint32_t phase;              // for the owner; 0 on arrival
    uint64_t mark;               // for the owner; 0 on arrival
    uint32_t part_at;            // for the owner: a part of the body
    uint32_t part_count;
    uint8_t note[40];            // for the owner
    uint8_t *body;
    uint32_t body_kept;          // bytes at `body`
    uint32_t body_capacity;
    uint64_t body_total;         // bytes that were sent
    uint32_t body_limit;         // how much of the body is kept at most
    uint8_t *values;
    uint32_t values_used;
    uint32_t values_capacity;
    struct { uint32_t at, count; } fields[PUSH_SINK_MAX_FIELDS];
    bool answered;
    bool answer_breaks_off;      // after its body the stream is reset instead of ended
    uint32_t answer_sent;
    uint32_t answer_count;
    uint8_t *_Nullable long_answer;  // the body where `answer` has no room for it
    char answer[256];
    struct push_sink_request *_Nullable next;
    struct push_sink_request *_Nullable previous;
} push_sink_request;

typedef struct {
    const uint8_t *_Nullable start;   // NULL: the field was not there
    size_t count;
} push_sink_value;

static inline push_sink_value push_sink_request_value(const push_sink_request *request, int field) {
    if (!(request->seen >> field & 1)) return (push_sink_value){NULL, 0};
    return (push_sink_value){request->values + request->fields[field].at, request->fields[field].count};
}

/// Requests made by hand: of HTTP/1.1, and for tests of what judges them.
push_sink_request *push_sink_request_make(void);
void push_sink_request_free(push_sink_request *request);
/// As new, for another request; `body_limit` stays.
void push_sink_request_clear(push_sink_request *request);
void push_sink_request_add_value(push_sink_request *request, int field, const uint8_t *bytes, size_t count);
void push_sink_request_add_body(push_sink_request *request, const uint8_t *bytes, size_t count);

typedef struct {
    /// A request is complete.
    void (*arrived)(void *context, push_sink_request *request);
    /// The stream of a request that was not answered was closed; `complete` states whether the request had
    /// arrived.
    void (*vanished)(void *context, push_sink_request *request);
    /// The peer has answered the PING that followed the first GOAWAY of a graceful end.
    void (*noticed)(void *context);
} push_sink_h2_events;

/// What all connections of one gateway share: the names of the fields that it wants (":method" and the like
/// included), at most PUSH_SINK_MAX_FIELDS, how many bytes of a body are kept, and the callbacks.
push_sink_h2_kind *push_sink_h2_kind_make(const char *const _Nonnull *_Nonnull names, int count, uint32_t kept_body,
                                          push_sink_h2_events events);
void push_sink_h2_kind_free(push_sink_h2_kind *kind);
/// The most streams that were open at one moment on one connection, and on all of them.
uint32_t push_sink_h2_kind_peak(const push_sink_h2_kind *kind);
uint32_t push_sink_h2_kind_peak_together(const push_sink_h2_kind *kind);
/// A request of another protocol's connection begins or ends: it counts among all that are open.
void push_sink_h2_kind_enter(push_sink_h2_kind *kind);
void push_sink_h2_kind_leave(push_sink_h2_kind *kind);

/// A connection that begins by advertising `streams`.
push_sink_h2 *_Nullable push_sink_h2_make(push_sink_h2_kind *kind, void *context, uint32_t streams);
/// Ends the connection: every request that waits for an answer vanishes.
void push_sink_h2_free(push_sink_h2 *h2);
/// 0, or nghttp2's (negative) error: the connection is to be closed after what remains was sent.
int push_sink_h2_receive(push_sink_h2 *h2, const uint8_t *bytes, size_t count);
/// Frames to send, at most `capacity` bytes of them; 0: nothing to send; negative: nghttp2's error.
ptrdiff_t push_sink_h2_fill(push_sink_h2 *h2, uint8_t *bytes, size_t capacity);
/// True once neither side has anything to say any more.
bool push_sink_h2_over(push_sink_h2 *h2);

/// Answers with `status` and any body. `identifier`: the field that has the request's note; `type` and
/// `retry_after`: the values of these fields; `type` must stay valid. NULL: without the field.
/// `breaks_off`: the stream is reset after the body. Returns 0 or an error.
int push_sink_h2_answer(push_sink_h2 *h2, push_sink_request *request, int status, const char *_Nullable identifier,
                        const char *_Nullable type, const char *_Nullable retry_after,
                        const uint8_t *_Nullable body, size_t count, bool breaks_off);
void push_sink_h2_refuse(push_sink_h2 *h2, push_sink_request *request);
/// Never to be answered: forgotten here, while the stream stays open for the peer.
void push_sink_h2_ignore(push_sink_request *request);
void push_sink_h2_advertise(push_sink_h2 *h2, uint32_t streams);
/// GOAWAY: streams above `last` are not processed.
void push_sink_h2_go_away(push_sink_h2 *h2, int32_t last, const char *reason, size_t count);
/// GOAWAY with 2^31-1 and a PING, whose answer is reported as `noticed`.
void push_sink_h2_notice(push_sink_h2 *h2);
/// The highest stream whose request was taken up.
int32_t push_sink_h2_last_stream(push_sink_h2 *h2);
/// The request of that stream while it waits for an answer, else NULL.
push_sink_request *_Nullable push_sink_h2_request(push_sink_h2 *h2, int32_t stream);
/// The stream in the middle of those that wait for an answer (the only one, if it is one), 0 where there is
/// none.
int32_t push_sink_h2_middle(push_sink_h2 *h2);

// MARK: Keys and certificates

typedef struct push_sink_key push_sink_key;
typedef struct push_sink_certificate push_sink_certificate;

push_sink_key *_Nullable push_sink_key_make_p256(void);
push_sink_key *_Nullable push_sink_key_make_rsa2048(void);
/// A private key from PEM text (PKCS#8 as Apple's .p8, or other).
push_sink_key *_Nullable push_sink_key_parse(const char *text);
/// The private key as PKCS#8 PEM, terminated by zero; its length, or 0 where it does not fit.
size_t push_sink_key_text(push_sink_key *key, char *text, size_t capacity);
void push_sink_key_free(push_sink_key *key);
/// True where `signature` (64 bytes, R and S as in RFC 7518 section 3.4) is the key's ES256 signature of
/// `bytes`.
bool push_sink_key_verifies_es256(push_sink_key *key, const uint8_t *bytes, size_t count, const uint8_t *signature);
/// True where `signature` is the key's RS256 signature of `bytes` (RFC 7518 section 3.3).
bool push_sink_key_verifies_rs256(push_sink_key *key, const uint8_t *bytes, size_t count, const uint8_t *signature,
                                  size_t signature_count);

/// A certificate for `key`, signed by `issuer` (NULL: by itself). `uid`: of the subject, where Apple puts the
/// bundle id. `alternative_names`: in OpenSSL's syntax, "DNS:localhost,IP:127.0.0.1". `usage`: "serverAuth" or
/// "clientAuth"; NULL: an authority. Its validity is relative to now.
push_sink_certificate *_Nullable push_sink_certificate_make(
    const char *common_name, const char *_Nullable uid, const char *_Nullable alternative_names,
    const char *_Nullable usage, long from_seconds, long to_seconds, push_sink_key *key,
    push_sink_certificate *_Nullable issuer, push_sink_key *_Nullable issuer_key);
void push_sink_certificate_free(push_sink_certificate *certificate);

/// Writers create the file with mode 0600 and return false with a text in `error` on failure.
bool push_sink_write_pem(const char *path, push_sink_certificate *_Nullable certificate,
                         push_sink_certificate *_Nullable issuer, push_sink_key *_Nullable key,
                         char *error, size_t capacity);
/// `old_fashioned`: RC2-40 and 3DES, as a keychain exports; else AES-256.
bool push_sink_write_p12(const char *path, const char *password, push_sink_certificate *certificate,
                         push_sink_certificate *issuer, push_sink_key *key, bool old_fashioned,
                         char *error, size_t capacity);

#pragma clang assume_nonnull end

#endif

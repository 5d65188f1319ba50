#ifndef PUSH_TRANSPORT_H
#define PUSH_TRANSPORT_H

/* What PushTransport needs from C: libcurl's variadic setters with types, the OpenSSL callbacks that must be C, and the
   loops around nghttp2 that would otherwise cross the language border several times a request. Mechanism only: every
   decision (limits, deadlines, endings) is taken in Swift. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <curl/curl.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* MARK: libcurl. It is not linked but loaded, by the first who connects: it brings thirty libraries (Kerberos, LDAP,
   GnuTLS), which would make every start of the program a third dearer, and a command connects to nobody. */

/* To be called before any other function of libcurl; what cannot be loaded must not be called. NULL when all is well,
   else the reason. */
const char *_Nullable push_curl_load(void);

/* curl_easy_setopt and its family are variadic, which Swift cannot call. */

CURLcode push_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode push_curl_set_off_t(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/* libcurl copies the text. */
CURLcode push_curl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable text);
/* libcurl keeps the pointer: error buffers, private data, callback data, slists. */
CURLcode push_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable pointer);
/* libcurl copies the bytes (CURL_BLOB_COPY). */
CURLcode push_curl_set_blob(CURL *_Nonnull easy, CURLoption option, const void *_Nonnull bytes, size_t count);
/* The shape shared by CURLOPT_READFUNCTION, WRITEFUNCTION and HEADERFUNCTION. */
typedef size_t (*push_curl_data_function)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);
CURLcode push_curl_set_data_function(CURL *_Nonnull easy, CURLoption option,
                                     push_curl_data_function _Nullable function);
/* CURLOPT_XFERINFOFUNCTION; anything but 0 ends the transfer. */
typedef int (*push_curl_progress_function)(void *_Nullable context, curl_off_t down_total, curl_off_t down,
                                           curl_off_t up_total, curl_off_t up);
CURLcode push_curl_set_progress_function(CURL *_Nonnull easy, push_curl_progress_function _Nullable function);
/* Bytes that the TLS of a transfer under way has read from its socket; 0 where there is none. */
uint64_t push_curl_tls_received(CURL *_Nonnull easy);

CURLcode push_curl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value);
CURLcode push_curl_get_off_t(CURL *_Nonnull easy, CURLINFO info, curl_off_t *_Nonnull value);
CURLcode push_curl_get_socket(CURL *_Nonnull easy, CURLINFO info, curl_socket_t *_Nonnull value);
CURLcode push_curl_get_pointer(CURL *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value);

CURLMcode push_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

/* The next finished transfer: false when there is none. */
bool push_curl_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

/* Whether this process could open so many more descriptors. */
bool push_descriptors_free(int count);

/* Forgets what the environment would make libcurl or OpenSSL do that nobody asked us for: to write the keys of all
   connections to a file (SSLKEYLOGFILE), or their traffic (QLOGDIR). */
void push_forget_environment(void);

/* Ignores SIGPIPE, unless the program has a handler for it. */
void push_ignore_broken_pipes(void);

/* MARK: Readiness (epoll), level-triggered: which Swift's Glibc does not have. */

#define PUSH_POLL_AT_ONCE 256

typedef struct {
    int descriptor;
    bool readable; /* also after an error or a hang-up: reading says which */
    bool writable;
} push_poll_ready;

/* A descriptor that is readable while one of those that it watches is ready; -1 with errno. It is the caller's. */
int push_poll_make(void);
/* Watches a descriptor, also one that is watched for something else. False with errno where it cannot be. */
bool push_poll_watch(int poll, int descriptor, bool reads, bool writes);
void push_poll_forget(int poll, int descriptor);
/* How many of `ready` were filled, at most PUSH_POLL_AT_ONCE; 0 after `milliseconds` (-1: no limit), or after a signal. */
int push_poll_wait(int poll, push_poll_ready *_Nonnull ready, int capacity, int milliseconds);

/* MARK: TLS. What a handshake taught us, learned in OpenSSL's own callbacks, because libcurl 7.88.1 gives no SSL
   pointer once a connect-only transfer is done. Counted: the stream holds one reference, the SSL_CTX another, since
   libcurl may keep the context for longer than the stream lives. One thread. */

typedef struct push_tls_watch {
    int references;
    /* What SSL_CTX_set_alpn_protos gets: length-prefixed names. None when empty. */
    unsigned char offered[64];
    unsigned int offered_length;
    /* Bytes read from the socket at once: one system call for many small records. */
    size_t read_buffer;
    /* Learned: */
    char selected[64]; /* the ALPN name the peer chose, zero-terminated; empty when it chose none */
    bool handshake_done;
    int alert_received; /* TLS alert description that the peer sent as fatal; -1 when none */
    int socket_error;  /* errno where no socket could be opened; 0 when one could */
    bool close_notified; /* the peer said that it closes: an end of the connection without it is none in order */
} push_tls_watch;

push_tls_watch *_Nullable push_tls_watch_new(void);
void push_tls_watch_release(push_tls_watch *_Nonnull watch);
/* Makes every SSL_CTX of the handle report to `watch` (CURLOPT_SSL_CTX_FUNCTION), offer its ALPN names, and allow
   partial writes from a moving buffer; and its sockets, which are closed on exec. */
CURLcode push_tls_watch_install(CURL *_Nonnull easy, push_tls_watch *_Nonnull watch);
/* "bad certificate" and the like. */
const char *_Nonnull push_tls_alert_text(int alert);

/* MARK: HTTP/2. One client session with its table of requests in flight. */

/* One request in flight, and the memory that its header values and its body live in until nghttp2 lets go of it. */
typedef struct push_h2_slot {
    uint8_t *_Nonnull memory; /* `slot_size` bytes */
    uint64_t tag;
    uint64_t first_byte; /* where its HEADERS frame begins in all bytes pulled so far; UINT64_MAX: not framed yet */
    uint32_t index;
    int32_t stream_id; /* 0: free */
    uint32_t body_offset, body_length, body_taken;
    uint16_t status; /* 0: no final response headers yet */
    bool in_use;
    bool complete; /* the response's END_STREAM has come */
    bool ended;    /* its ending was delivered, only nghttp2 still holds it */
    /* What the peer sent for it so far, short of its end: for `push_h2_limits`. */
    uint32_t interim, frames;
    uint64_t body_bytes;
    /* Response: `kept_headers` bytes of wanted headers (index u8, length u16 little-endian, value), then body. */
    uint8_t *_Nullable response;
    uint32_t response_room, kept_headers, kept_body;
} push_h2_slot;

typedef enum push_h2_event_kind {
    PUSH_H2_STREAM_CLOSED = 1, /* slot; code: the HTTP/2 error it closed with; value: stream id */
    PUSH_H2_GOAWAY,            /* code, value: last stream id; the debug data is in `push_h2.goaway_debug` */
    PUSH_H2_SETTINGS,          /* the peer's SETTINGS were applied */
    PUSH_H2_PONG               /* a PING of ours was answered */
} push_h2_event_kind;

typedef struct push_h2_event {
    uint32_t kind;
    uint32_t slot;
    uint32_t code;
    int64_t value;
} push_h2_event;

/* How much a peer may send before the session is given up; counted as nghttp2 tells of it, so that no single receive
   can do more than is allowed. The values are Swift's. */
typedef struct push_h2_limits {
    uint32_t header_bytes; /* of one header block, decoded: names, values and 32 each (RFC 9113, 6.5.2) */
    uint32_t interim;      /* 1xx answers to one request */
    uint32_t frames;       /* HEADERS and DATA of one request that do not end it */
    uint64_t body_bytes;   /* of one answer */
    uint32_t goaways;
} push_h2_limits;

typedef enum push_h2_excess {
    PUSH_H2_NO_EXCESS = 0,
    PUSH_H2_EXCESS_HEADERS,
    PUSH_H2_EXCESS_INTERIM,
    PUSH_H2_EXCESS_FRAMES,
    PUSH_H2_EXCESS_BODY,
    PUSH_H2_EXCESS_GOAWAYS
} push_h2_excess;

enum { PUSH_H2_SLOTS_PER_CHUNK = 64, PUSH_H2_DEBUG_ROOM = 512, PUSH_H2_WANTED_MOST = 8 };

typedef struct push_h2 {
    nghttp2_session *_Nullable session;
    /* Slots, in chunks that never move. */
    push_h2_slot *_Nullable *_Nonnull chunks;
    uint32_t chunk_count, slots_most, slot_size;
    uint32_t *_Nonnull free_list; /* a stack: the warmest slot is used next */
    uint32_t free_count;
    uint32_t in_use;
    /* A frame that nghttp2 has made and that did not fit into the caller's buffer. */
    const uint8_t *_Nullable chunk_rest;
    size_t chunk_rest_length;
    uint64_t pulled; /* bytes that nghttp2 has made so far */
    /* What a receive brought. */
    push_h2_event *_Nonnull events;
    uint32_t event_count, event_room;
    bool out_of_memory;
    /* Response headers to keep; a bit per length says quickly that a name is none of them. */
    char *_Nullable wanted[PUSH_H2_WANTED_MOST];
    uint32_t wanted_length[PUSH_H2_WANTED_MOST];
    uint32_t wanted_count;
    uint64_t wanted_lengths;
    uint32_t body_most;
    uint8_t goaway_debug[PUSH_H2_DEBUG_ROOM];
    uint32_t goaway_debug_length;
    uint32_t goaway_sent; /* the code of our own GOAWAY, where nghttp2 found something wrong */
    push_h2_limits limits;
    uint32_t excess; /* push_h2_excess: the limit that the peer went over; the session is of no more use */
    uint32_t block_bytes, goaways;
    uint64_t frames;       /* frames of the peer so far, of every type */
    uint64_t header_bytes; /* decoded bytes of its header blocks so far */
} push_h2;

/* A session with at most `slots_most` requests in flight, each with `slot_size` bytes for values and body, keeping at
   most `body_most` bytes of a response body. NULL when memory is short. */
push_h2 *_Nullable push_h2_new(uint32_t slots_most, uint32_t slot_size, uint32_t body_most, push_h2_limits limits);
void push_h2_free(push_h2 *_Nonnull h2);
/* Keep the value of this response header. Names are lower case. False when there is no room for more. */
bool push_h2_want(push_h2 *_Nonnull h2, const char *_Nonnull name);
/* The client preface: SETTINGS (no push, stream window, header list size) and the connection's receive window. */
int push_h2_greet(push_h2 *_Nonnull h2, uint32_t stream_window, uint32_t connection_window);
/* The slot that push_h2_submit will take next, or NULL when all are taken or memory is short. Nothing is taken yet. */
push_h2_slot *_Nullable push_h2_next_slot(push_h2 *_Nonnull h2);
/* Submits what stands in the next slot: stream id, or a negative nghttp2 error and nothing is taken. */
int32_t push_h2_submit(push_h2 *_Nonnull h2, const nghttp2_nv *_Nonnull fields, size_t count, uint64_t tag,
                       uint32_t body_offset, uint32_t body_length);
/* The slot of this index, taken or not; the index must have been handed out before. */
static inline push_h2_slot *_Nonnull push_h2_slot_at(const push_h2 *_Nonnull h2, uint32_t index)
{
    return &h2->chunks[index / PUSH_H2_SLOTS_PER_CHUNK][index % PUSH_H2_SLOTS_PER_CHUNK];
}
void push_h2_free_slot(push_h2 *_Nonnull h2, push_h2_slot *_Nonnull slot);
/* Slots handed out so far lie in indices below this. */
static inline uint32_t push_h2_slots_made(const push_h2 *_Nonnull h2)
{
    return h2->chunk_count * PUSH_H2_SLOTS_PER_CHUNK;
}
/* Copies frames into `into` until it is full or there are none: bytes copied, or a negative nghttp2 error. */
ssize_t push_h2_pull(push_h2 *_Nonnull h2, uint8_t *_Nonnull into, size_t room);
/* Anything to pull? */
bool push_h2_wants_pull(const push_h2 *_Nonnull h2);
/* Feeds received bytes; what they mean is appended to `events`. 0, or a negative nghttp2 error, after which nothing
   more is to be fed; `excess` says whether a limit is the reason. */
int push_h2_feed(push_h2 *_Nonnull h2, const uint8_t *_Nonnull bytes, size_t count);

/* MARK: PKCS#12 and PEM. OpenSSL 3 keeps RC2-40, which keychains still export with, in its legacy provider; it is
   loaded into a library context of its own, never into the one that TLS uses. */

typedef enum push_identity_status {
    PUSH_IDENTITY_OK = 0,
    PUSH_IDENTITY_UNREADABLE,     /* not the format at all, or damaged */
    PUSH_IDENTITY_WRONG_PASSWORD,
    PUSH_IDENTITY_UNSUPPORTED,    /* an algorithm that OpenSSL does not have here */
    PUSH_IDENTITY_NO_CERTIFICATE,
    PUSH_IDENTITY_NO_KEY,
    PUSH_IDENTITY_NO_MEMORY
} push_identity_status;

/* Bytes that C made and push_bytes_free releases (and wipes: they may be a key). */
typedef struct push_bytes {
    uint8_t *_Nullable bytes;
    size_t count;
} push_bytes;
void push_bytes_free(push_bytes *_Nonnull bytes);

/* The certificate chain (leaf first) and the private key of a .p12, as PEM. `why` gets OpenSSL's words. */
push_identity_status push_pkcs12_read(const uint8_t *_Nonnull file, size_t count, const char *_Nonnull password,
                                      push_bytes *_Nonnull certificates, push_bytes *_Nonnull key,
                                      char *_Nonnull why, size_t why_room);

typedef struct push_certificate_facts {
    char subject[512];  /* RFC 2253 */
    char user_id[256];  /* the UID of the subject (0.9.2342.19200300.100.1.1), UTF-8; empty when it has none */
    char common_name[256]; /* the CN of the subject, UTF-8; empty when it has none */
    int64_t not_before; /* epoch seconds */
    int64_t not_after;
    uint8_t sha256[32];
} push_certificate_facts;
/* The first certificate of a PEM text. */
push_identity_status push_certificate_read(const uint8_t *_Nonnull pem, size_t count,
                                           push_certificate_facts *_Nonnull facts);
/* Is this the private key of the PEM text's first certificate? NO_KEY: it is another's. */
push_identity_status push_key_matches(const uint8_t *_Nonnull certificate_pem, size_t certificate_count,
                                      const uint8_t *_Nonnull key_pem, size_t key_count);
typedef struct push_private_key_facts {
    char type[32];  /* OpenSSL's name: "EC", "RSA", "ED25519" */
    char curve[64]; /* of "EC": "prime256v1"; empty when it has no name */
    int bits;
} push_private_key_facts;
/* The first private key of a PEM text, and the same key in PKCS #8. `why` gets OpenSSL's words. WRONG_PASSWORD: it is
   encrypted. */
push_identity_status push_private_key_read(const uint8_t *_Nonnull pem, size_t count,
                                           push_private_key_facts *_Nonnull facts, push_bytes *_Nonnull pkcs8,
                                           char *_Nonnull why, size_t why_room);
/* Does the PEM key need a password? */
bool push_key_is_encrypted(const uint8_t *_Nonnull key_pem, size_t count);

#endif

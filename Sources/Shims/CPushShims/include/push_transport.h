#ifndef PUSH_TRANSPORT_H
#define PUSH_TRANSPORT_H

/* What PushTransport needs from C: libcurl's variadic setters with types, and the OpenSSL callbacks that must be C.
   Mechanism only: every decision (limits, deadlines, endings) is taken in Swift. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* MARK: libcurl. It is not linked but loaded before the first connection: it depends on thirty libraries (Kerberos,
   LDAP, GnuTLS), which would make each start of the program a third slower, and commands do not need it. */

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

/* Handles that use the share have this in common. */
CURLSHcode push_curl_share_data(CURLSH *_Nonnull share, curl_lock_data data);
CURLMcode push_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

/* The next finished transfer: false when there is none. */
bool push_curl_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

/* Whether this process could open so many more descriptors. */
bool push_descriptors_free(int count);

/* Removes environment variables that would make libcurl or OpenSSL write the keys of all connections to a file
   (SSLKEYLOGFILE), or their traffic (QLOGDIR). */
void push_forget_environment(void);

/* Ignores SIGPIPE, unless the program has a handler for it. */
void push_ignore_broken_pipes(void);

/* MARK: Readiness (epoll), level-triggered: which Swift's Glibc does not have. */

#define PUSH_POLL_AT_ONCE 256

typedef struct {
    int descriptor;
    bool readable; /* Also after an error or a hang-up; a read reports which. */
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
    char curve[64]; /* The name of the curve of an "EC" key, such as "prime256v1"; empty if it has none. */
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

#ifndef PUSH_TRANSPORT_H
#define PUSH_TRANSPORT_H

/* The C code that PushTransport needs: typed functions for libcurl's variadic setters, and the OpenSSL
   callbacks that must be written in C. It provides mechanisms only; Swift code makes every decision (limits,
   deadlines, endings). */

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

/* MARK: libcurl. The program does not link libcurl, but loads it before the first connection. libcurl depends
   on thirty libraries (Kerberos, LDAP, GnuTLS), which would make each start of the program a third slower,
   and commands do not need libcurl. */

/* Loads libcurl. The caller must call this function before any function of libcurl, and must not call
   functions of libcurl if loading fails. Returns NULL on success, otherwise the reason for the failure. */
const char *_Nullable push_curl_load(void);

/* curl_easy_setopt and related functions are variadic, so Swift cannot call them. */

CURLcode push_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value);
CURLcode push_curl_set_off_t(CURL *_Nonnull easy, CURLoption option, curl_off_t value);
/* libcurl copies the text. */
CURLcode push_curl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable text);
/* libcurl keeps the pointer, which is an error buffer, private data, callback data or an slist. */
CURLcode push_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable pointer);
/* libcurl copies the bytes (CURL_BLOB_COPY). */
CURLcode push_curl_set_blob(CURL *_Nonnull easy, CURLoption option, const void *_Nonnull bytes, size_t count);
/* The common type of CURLOPT_READFUNCTION, WRITEFUNCTION and HEADERFUNCTION. */
typedef size_t (*push_curl_data_function)(char *_Nonnull bytes, size_t size, size_t count,
                                          void *_Nullable context);
CURLcode push_curl_set_data_function(CURL *_Nonnull easy, CURLoption option,
                                     push_curl_data_function _Nullable function);
/* CURLOPT_XFERINFOFUNCTION. A result other than 0 ends the transfer. */
typedef int (*push_curl_progress_function)(void *_Nullable context, curl_off_t down_total, curl_off_t down,
                                           curl_off_t up_total, curl_off_t up);
CURLcode push_curl_set_progress_function(CURL *_Nonnull easy, push_curl_progress_function _Nullable function);
/* Returns the number of bytes that the TLS connection of an active transfer has read from its socket; 0 if
   there is no such connection. */
uint64_t push_curl_tls_received(CURL *_Nonnull easy);

CURLcode push_curl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value);
CURLcode push_curl_get_off_t(CURL *_Nonnull easy, CURLINFO info, curl_off_t *_Nonnull value);
CURLcode push_curl_get_socket(CURL *_Nonnull easy, CURLINFO info, curl_socket_t *_Nonnull value);
CURLcode push_curl_get_pointer(CURL *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value);

/* Shares this kind of data among the handles that use the share. */
CURLSHcode push_curl_share_data(CURLSH *_Nonnull share, curl_lock_data data);
CURLMcode push_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value);

/* Gets the next finished transfer. Returns false if there is none. */
bool push_curl_next_done(CURLM *_Nonnull multi, CURL *_Nullable *_Nonnull easy, CURLcode *_Nonnull result);

/* Reports whether this process can open `count` more descriptors. Values above 16 have the effect of 16. */
bool push_descriptors_free(int count);

/* Removes the environment variables that would make libcurl or OpenSSL write the keys of all connections
   (SSLKEYLOGFILE) or their traffic (QLOGDIR) to files. */
void push_forget_environment(void);

/* Ignores SIGPIPE, unless the program has a handler for it. */
void push_ignore_broken_pipes(void);

/* MARK: Readiness (level-triggered epoll), which Swift's Glibc module does not provide */

#define PUSH_POLL_AT_ONCE 256

typedef struct {
    int descriptor;
    bool readable; /* also after an error or a hang-up; a read reports which one */
    bool writable;
} push_poll_ready;

/* Returns a descriptor that is readable while one of the descriptors that it watches is ready, or -1 with
   errno set. The caller owns the returned descriptor. */
int push_poll_make(void);
/* Watches a descriptor. Replaces the conditions if the descriptor is already watched. Returns false with
   errno set on failure. */
bool push_poll_watch(int poll, int descriptor, bool reads, bool writes);
void push_poll_forget(int poll, int descriptor);
/* Writes the ready descriptors to `ready`, at most PUSH_POLL_AT_ONCE. Returns their number; 0 after
   `milliseconds` (-1 means no limit) or after a signal. */
int push_poll_wait(int poll, push_poll_ready *_Nonnull ready, int capacity, int milliseconds);

/* MARK: TLS. A watch collects the results of a handshake in OpenSSL's callbacks, because libcurl 7.88.1
   provides no SSL pointer after a connect-only transfer is done. A watch is reference-counted: the stream
   holds one reference and the SSL_CTX another, because libcurl can keep the context for longer than the
   stream exists. Only one thread may use a watch. */

typedef struct push_tls_watch {
    int references;
    /* The input of SSL_CTX_set_alpn_protos: length-prefixed names. No protocol is offered if it is empty. */
    unsigned char offered[64];
    unsigned int offered_length;
    /* The number of bytes to read from the socket at once: one system call reads many small records. */
    size_t read_buffer;
    /* Results: */
    char selected[64]; /* the ALPN name that the peer chose, zero-terminated; empty if it chose none */
    bool handshake_done;
    int alert_received; /* the description of the fatal TLS alert that the peer sent; -1 if there is none */
    int socket_error;  /* the errno of a failure to open a socket; 0 on success */
    /* The peer announced the end of the connection. Without this announcement, the end is not orderly. */
    bool close_notified;
} push_tls_watch;

push_tls_watch *_Nullable push_tls_watch_new(void);
void push_tls_watch_release(push_tls_watch *_Nonnull watch);
/* Makes every SSL_CTX of the handle report to `watch` (CURLOPT_SSL_CTX_FUNCTION), offer its ALPN names, and
   allow partial writes from a moving buffer. The sockets of the handle are close-on-exec, and failures to
   open them are also reported to `watch`. */
CURLcode push_tls_watch_install(CURL *_Nonnull easy, push_tls_watch *_Nonnull watch);
/* Returns the text of an alert, such as "bad certificate". */
const char *_Nonnull push_tls_alert_text(int alert);

/* MARK: PKCS#12 and PEM. Keychains still use RC2-40 for exports, and OpenSSL 3 provides it in its legacy
   provider. This provider is loaded into a separate library context, never into the one that TLS uses. */

typedef enum push_identity_status {
    PUSH_IDENTITY_OK = 0,
    PUSH_IDENTITY_UNREADABLE,     /* another format, or damaged */
    PUSH_IDENTITY_WRONG_PASSWORD,
    PUSH_IDENTITY_UNSUPPORTED,    /* an algorithm that this OpenSSL does not have */
    PUSH_IDENTITY_NO_CERTIFICATE,
    PUSH_IDENTITY_NO_KEY,
    PUSH_IDENTITY_NO_MEMORY
} push_identity_status;

/* Bytes that C code allocated. push_bytes_free releases and overwrites them: they can contain a key. */
typedef struct push_bytes {
    uint8_t *_Nullable bytes;
    size_t count;
} push_bytes;
void push_bytes_free(push_bytes *_Nonnull bytes);

/* Reads the certificate chain (leaf first) and the private key of a .p12 file, and returns them as PEM. `why`
   receives OpenSSL's reason for a failure. */
push_identity_status push_pkcs12_read(const uint8_t *_Nonnull file, size_t count,
                                      const char *_Nonnull password, push_bytes *_Nonnull certificates,
                                      push_bytes *_Nonnull key, char *_Nonnull why, size_t why_room);

typedef struct push_certificate_facts {
    char subject[512];  /* RFC 2253 */
    char user_id[256];  /* the UID of the subject (0.9.2342.19200300.100.1.1), UTF-8; empty if it has none */
    char common_name[256]; /* the CN of the subject, UTF-8; empty if it has none */
    int64_t not_before; /* seconds since the epoch */
    int64_t not_after;
    uint8_t sha256[32];
} push_certificate_facts;
/* Reads the first certificate of a PEM text. */
push_identity_status push_certificate_read(const uint8_t *_Nonnull pem, size_t count,
                                           push_certificate_facts *_Nonnull facts);
/* Checks whether `key_pem` is the private key of the first certificate in `certificate_pem`. Returns
   PUSH_IDENTITY_NO_KEY if the key belongs to another certificate. */
push_identity_status push_key_matches(const uint8_t *_Nonnull certificate_pem, size_t certificate_count,
                                      const uint8_t *_Nonnull key_pem, size_t key_count);
typedef struct push_private_key_facts {
    char type[32];  /* OpenSSL's name, such as "EC", "RSA" or "ED25519" */
    char curve[64]; /* the name of the curve of an "EC" key, such as "prime256v1"; empty if it has none */
    int bits;
} push_private_key_facts;
/* Reads the first private key of a PEM text and returns the same key as PKCS #8. `why` receives OpenSSL's
   reason for a failure. Returns PUSH_IDENTITY_WRONG_PASSWORD if the key is encrypted. */
push_identity_status push_private_key_read(const uint8_t *_Nonnull pem, size_t count,
                                           push_private_key_facts *_Nonnull facts, push_bytes *_Nonnull pkcs8,
                                           char *_Nonnull why, size_t why_room);
/* Reports whether the PEM key needs a password. */
bool push_key_is_encrypted(const uint8_t *_Nonnull key_pem, size_t count);

#endif

#ifndef PUSH_CRYPTO_H
#define PUSH_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of OpenSSL that PushCrypto needs, under our own names. They form a separate target, so that
   its users do not include the headers of OpenSSL and libcurl, and so that a change to it does not recompile
   the targets that use CPushShims.

   Algorithms are looked up once per process, in a separate library context, so that neither OPENSSL_CONF nor
   a provider that is loaded elsewhere changes a result. A function returns false or NULL if memory is
   exhausted or for the reasons stated in its comment. After a failure, a function leaves the error queue
   of the thread empty, because TLS reads this queue. */

#pragma clang assume_nonnull begin

/* MARK: SHA-256, HMAC, HKDF and scrypt. Digests and codes are 32 bytes long. */

bool push_sha256_of(const void *_Nullable bytes, size_t count, uint8_t *digest);
/* A digest of bytes that are added in several steps. */
typedef struct push_sha256 push_sha256;
push_sha256 *_Nullable push_sha256_new(void);
bool push_sha256_update(push_sha256 *hash, const void *_Nullable bytes, size_t count);
/* Computes the digest of all bytes so far. More bytes may follow. */
bool push_sha256_digest(push_sha256 *hash, uint8_t *digest);
void push_sha256_free(push_sha256 *hash);

bool push_hmac_sha256(const void *_Nullable key, size_t key_count, const void *_Nullable bytes, size_t count,
                      uint8_t *code);
/* HKDF (RFC 5869). Also returns false if `count` is 0 or more than 8160 bytes, which is 255 codes. */
bool push_hkdf_sha256(const void *_Nullable key, size_t key_count, const void *_Nullable salt,
                      size_t salt_count, const void *_Nullable info, size_t info_count, void *derived,
                      size_t count);

/* scrypt (RFC 7914), which needs 128 * `r` * `n` bytes of memory. `n` is a power of 2, greater than 1. Also
   returns false if the memory is not available. */
bool push_scrypt(const void *_Nullable password, size_t password_count, const void *_Nullable salt,
                 size_t salt_count, uint64_t n, uint32_t r, uint32_t p, void *key, size_t count);

/* Compares in a time that depends only on `count`. */
bool push_are_equal(const void *first, const void *second, size_t count);

/* MARK: AES. Keys must be 16 or 32 bytes long; functions fail for other keys. */

typedef struct push_aes push_aes;
/* Creates an object that encrypts and decrypts single blocks. Only one thread at a time may use it. */
push_aes *_Nullable push_aes_new(const void *key, size_t key_count);
/* Replaces each of `count` blocks of 16 bytes. The maximum is 2^20 blocks. */
bool push_aes_encrypt(push_aes *aes, void *blocks, size_t count);
bool push_aes_decrypt(push_aes *aes, void *blocks, size_t count);
void push_aes_free(push_aes *aes);

enum { PUSH_GCM_NONCE = 12, PUSH_GCM_TAG = 16 };
/* Encrypts `count` bytes. `box` begins with the nonce of 12 bytes, which the caller writes. The function
   appends `count` bytes of ciphertext and the tag of 16 bytes. */
bool push_gcm_seal(const void *key, size_t key_count, const void *_Nullable associated,
                   size_t associated_count, const void *_Nullable bytes, size_t count, uint8_t *box);
/* Decrypts a box of `count` + 28 bytes. Also returns false if the tag differs. In this case, `bytes` contains
   zeros. */
bool push_gcm_open(const void *key, size_t key_count, const void *_Nullable associated,
                   size_t associated_count, const uint8_t *box, uint8_t *bytes, size_t count);

/* MARK: Signatures, with SHA-256 */

typedef enum push_key_status {
    PUSH_KEY_OK = 0,
    PUSH_KEY_UNREADABLE, /* not a private key in PEM, damaged, or its parts do not belong together */
    PUSH_KEY_ENCRYPTED,
    PUSH_KEY_WRONG_KIND, /* a type or a curve that the function does not read */
    PUSH_KEY_WRONG_SIZE
} push_key_status;

/* A private key. Any number of threads may use it at the same time. */
typedef struct push_key push_key;
/* Reads the first key of a PEM text (PKCS #8, SEC 1), which must be on P-256. */
push_key_status push_key_read_p256(const void *_Nullable pem, size_t count,
                                   push_key *_Nullable *_Nonnull key);
/* Reads the first key of a PEM text (PKCS #8, PKCS #1), which must have `least` to 16384 bits. */
push_key_status push_key_read_rsa(const void *_Nullable pem, size_t count, int least,
                                  push_key *_Nullable *_Nonnull key);
void push_key_free(push_key *key);

/* Signs with ECDSA as defined in RFC 7518 section 3.4. The signature consists of R and S, 32 bytes each. If
   the key cannot sign, the function also returns false. */
bool push_key_sign_p256(push_key *key, const void *_Nullable bytes, size_t count, uint8_t *signature);
/* Signs with RSASSA-PKCS1-v1_5. Returns the length of the signature, which is the length of the key and at
   most PUSH_RSA_MOST bytes; 0 on failure. */
enum { PUSH_RSA_MOST = 2048 };
size_t push_key_sign_rsa(push_key *key, const void *_Nullable bytes, size_t count, uint8_t *signature);

/* Verifies a signature of the public key with this modulus and exponent, as push_key_sign_rsa() makes it. The
   numbers are big-endian. Returns false for a modulus outside of 2048 to 8192 bits, an even or small exponent
   or one of more than 64 bits, and a signature that does not have the length of the modulus. */
bool push_verify_rs256(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent,
                       size_t exponent_count, const void *_Nullable bytes, size_t count,
                       const uint8_t *signature, size_t signature_count);
/* Verifies a signature of 64 bytes, as push_key_sign_p256() makes it, of the public key with these
   coordinates of 32 bytes. Returns false if the point is not on the curve. */
bool push_verify_es256(const uint8_t *x, const uint8_t *y, const void *_Nullable bytes, size_t count,
                       const uint8_t *signature);

/* Overwrites a secret. A compiler would remove an ordinary overwrite before the release of the memory. */
void push_cleanse(void *bytes, size_t count);

/* MARK: The server side of TLS 1.2 and 1.3. The functions open no connection: the caller passes the bytes
   that it has received, and sends those that it takes. */

typedef enum push_tls_status {
    PUSH_TLS_OK = 0,
    PUSH_TLS_NO_CERTIFICATE, /* not certificates in PEM */
    PUSH_TLS_NO_KEY,         /* not a private key in PEM, or one with a password */
    PUSH_TLS_OTHER_KEY,      /* not the key of the first certificate */
    PUSH_TLS_REFUSED,        /* OpenSSL does not accept the first certificate or its key */
    PUSH_TLS_REFUSED_CHAIN   /* OpenSSL does not accept another certificate */
} push_tls_status;

/* A certificate with its chain and key. Any number of threads may use it at the same time. */
typedef struct push_tls_server push_tls_server;
/* Reads PEM texts. `not_after` is the end of the first certificate's validity, in seconds since 1970.
   `reason` is OpenSSL's explanation of a failure, which is never released; NULL if there is none. */
push_tls_status push_tls_server_new(const void *_Nullable chain, size_t chain_count,
                                    const void *_Nullable key, size_t key_count,
                                    push_tls_server *_Nullable *_Nonnull server, int64_t *not_after,
                                    const char *_Nullable *_Nonnull reason);
void push_tls_server_free(push_tls_server *server);

/* One connection. Only one thread at a time may use it. It may outlive its server. */
typedef struct push_tls_session push_tls_session;
push_tls_session *_Nullable push_tls_session_new(push_tls_server *server);
void push_tls_session_free(push_tls_session *session);

/* Adds bytes from the client. */
bool push_tls_session_receive(push_tls_session *session, const void *_Nullable bytes, size_t count);
typedef enum push_tls_progress {
    PUSH_TLS_BYTES,
    PUSH_TLS_WAITS,  /* more bytes from the client are needed */
    PUSH_TLS_CLOSED, /* the client sends no more */
    PUSH_TLS_FAILED  /* the handshake failed, or the client broke the protocol */
} push_tls_progress;
/* Performs the handshake as far as possible, and decrypts at most `room` bytes. */
push_tls_progress push_tls_session_read(push_tls_session *session, void *bytes, size_t room, size_t *count);
/* Whether bytes can be written: the handshake has ended, and no later message of the handshake protocol is
   incomplete. */
bool push_tls_session_is_established(push_tls_session *session);
/* Encrypts bytes for the client. */
bool push_tls_session_write(push_tls_session *session, const void *_Nullable bytes, size_t count);
/* Informs the client that no more bytes follow, if the handshake has ended. */
void push_tls_session_close(push_tls_session *session);
/* The number of encrypted bytes to be sent to the client. */
size_t push_tls_session_pending(push_tls_session *session);
/* Moves at most `room` of them. Returns their number. */
size_t push_tls_session_take(push_tls_session *session, void *bytes, size_t room);

#pragma clang assume_nonnull end

#endif

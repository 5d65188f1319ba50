#ifndef PUSH_CRYPTO_H
#define PUSH_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What PushCrypto needs of libcrypto, without its names: a target of its own, so that neither OpenSSL's nor
   libcurl's headers come along, and the targets that use CPushShims are not compiled again when this changes.

   Algorithms are looked up once in a process, in a library context of its own: neither OPENSSL_CONF nor a
   provider that is loaded elsewhere changes a result. A function that returns false or NULL was out of memory,
   unless another cause is named. The error queue of the thread, which TLS reads, is left empty after a failure. */

#pragma clang assume_nonnull begin

/* MARK: SHA-256, HMAC and HKDF. Digests and codes have 32 bytes. */

bool push_sha256_of(const void *_Nullable bytes, size_t count, uint8_t *digest);
/* The same of bytes that come one after another. */
typedef struct push_sha256 push_sha256;
push_sha256 *_Nullable push_sha256_new(void);
bool push_sha256_update(push_sha256 *hash, const void *_Nullable bytes, size_t count);
/* The digest of all bytes so far; more bytes may follow. */
bool push_sha256_digest(push_sha256 *hash, uint8_t *digest);
void push_sha256_free(push_sha256 *hash);

bool push_hmac_sha256(const void *_Nullable key, size_t key_count, const void *_Nullable bytes, size_t count,
                      uint8_t *code);
/* RFC 5869. False also if `count` is 0 or more than 8160 bytes, which is 255 codes. */
bool push_hkdf_sha256(const void *_Nullable key, size_t key_count, const void *_Nullable salt, size_t salt_count,
                      const void *_Nullable info, size_t info_count, void *derived, size_t count);

/* MARK: AES. Keys have 16 or 32 bytes; others fail. */

typedef struct push_aes push_aes;
/* Single blocks, both ways. An object must not be used by two threads at the same time. */
push_aes *_Nullable push_aes_new(const void *key, size_t key_count);
/* Replaces each of `count` blocks of 16 bytes. At most 2^20 blocks. */
bool push_aes_encrypt(push_aes *aes, void *blocks, size_t count);
bool push_aes_decrypt(push_aes *aes, void *blocks, size_t count);
void push_aes_free(push_aes *aes);

enum { PUSH_GCM_NONCE = 12, PUSH_GCM_TAG = 16 };
/* Writes the nonce's 12 bytes, `count` bytes of ciphertext and the tag's 16 bytes. `box` begins with the nonce. */
bool push_gcm_seal(const void *key, size_t key_count, const void *_Nullable associated, size_t associated_count,
                   const void *_Nullable bytes, size_t count, uint8_t *box);
/* The opposite, of a box of `count` + 28 bytes. False also if the tag differs; `bytes` is zero then. */
bool push_gcm_open(const void *key, size_t key_count, const void *_Nullable associated, size_t associated_count,
                   const uint8_t *box, uint8_t *bytes, size_t count);

/* MARK: Signatures, with SHA-256 */

typedef enum push_key_status {
    PUSH_KEY_OK = 0,
    PUSH_KEY_UNREADABLE, /* no private key in PEM, damaged, or its parts do not belong together */
    PUSH_KEY_ENCRYPTED,
    PUSH_KEY_WRONG_KIND, /* another type or curve than the function reads */
    PUSH_KEY_WRONG_SIZE
} push_key_status;

/* A private key, which any number of threads may use. */
typedef struct push_key push_key;
/* The first key of a PEM text (PKCS #8, SEC 1), on P-256. */
push_key_status push_key_read_p256(const void *_Nullable pem, size_t count, push_key *_Nullable *_Nonnull key);
/* The first key of a PEM text (PKCS #8, PKCS #1), of `least` to 16384 bits. */
push_key_status push_key_read_rsa(const void *_Nullable pem, size_t count, int least,
                                  push_key *_Nullable *_Nonnull key);
void push_key_free(push_key *key);

/* ECDSA, as RFC 7518 section 3.4 has it: R and S, 32 bytes each. False also if the key cannot sign. */
bool push_key_sign_p256(push_key *key, const void *_Nullable bytes, size_t count, uint8_t *signature);
/* RSASSA-PKCS1-v1_5: as many bytes as the key has, at most PUSH_RSA_MOST; 0 on failure. */
enum { PUSH_RSA_MOST = 2048 };
size_t push_key_sign_rsa(push_key *key, const void *_Nullable bytes, size_t count, uint8_t *signature);

/* Overwrites a secret, which a compiler would leave out before memory is released. */
void push_cleanse(void *bytes, size_t count);

#pragma clang assume_nonnull end

#endif

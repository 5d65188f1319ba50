#ifndef PUSH_CRYPTO_H
#define PUSH_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of libcrypto that PushCrypto needs, without the names of libcrypto. They are a separate
   target, so that users do not include the headers of OpenSSL and libcurl, and a change does not recompile
   the targets that use CPushShims.

   Algorithms are looked up once per process, in a separate library context, so that neither OPENSSL_CONF nor
   a provider that is loaded elsewhere changes a result. A function returns false or NULL if memory is
   exhausted or for the reasons stated in its comment. After a failure, it leaves the error queue of the
   thread empty, because TLS reads this queue. */

#pragma clang assume_nonnull begin

/* MARK: SHA-256, HMAC and HKDF. Digests and codes are 32 bytes long. */

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

/* Overwrites a secret. A compiler would remove an ordinary overwrite before the release of the memory. */
void push_cleanse(void *bytes, size_t count);

#pragma clang assume_nonnull end

#endif

#include "push_crypto_library.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <pthread.h>
#include <string.h>

/* MARK: Algorithms */

static push_crypto_library library;

/* The library is never released, because the process may use it until it exits. */
static void load(void)
{
    OSSL_LIB_CTX *context = library.context = OSSL_LIB_CTX_new();
    if (!context || !OSSL_PROVIDER_load(context, "default")) return;
    library.sha256 = EVP_MD_fetch(context, "SHA2-256", NULL);
    library.hmac = EVP_MAC_fetch(context, "HMAC", NULL);
    library.hkdf = EVP_KDF_fetch(context, "HKDF", NULL);
    library.scrypt = EVP_KDF_fetch(context, "SCRYPT", NULL);
    library.ecb[0] = EVP_CIPHER_fetch(context, "AES-128-ECB", NULL);
    library.ecb[1] = EVP_CIPHER_fetch(context, "AES-256-ECB", NULL);
    library.gcm[0] = EVP_CIPHER_fetch(context, "AES-128-GCM", NULL);
    library.gcm[1] = EVP_CIPHER_fetch(context, "AES-256-GCM", NULL);
}

const push_crypto_library *push_crypto_library_of(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &library;
}

static bool ended(bool good)
{
    if (!good) ERR_clear_error();
    return good;
}

/* MARK: SHA-256, HMAC, HKDF and scrypt. A push_sha256 is OpenSSL's EVP_MD_CTX. */

static EVP_MD_CTX *context_of(push_sha256 *hash) { return (EVP_MD_CTX *)hash; }

push_sha256 *push_sha256_new(void)
{
    const EVP_MD *sha256 = push_crypto_library_of()->sha256;
    EVP_MD_CTX *context = sha256 ? EVP_MD_CTX_new() : NULL;
    if (context && EVP_DigestInit_ex2(context, sha256, NULL) == 1) return (push_sha256 *)context;
    EVP_MD_CTX_free(context);
    ended(false);
    return NULL;
}

bool push_sha256_of(const void *bytes, size_t count, uint8_t *digest)
{
    const EVP_MD *sha256 = push_crypto_library_of()->sha256;
    return ended(sha256 && EVP_Digest(count ? bytes : "", count, digest, NULL, sha256, NULL) == 1);
}

bool push_sha256_update(push_sha256 *hash, const void *bytes, size_t count)
{
    return count == 0 || ended(EVP_DigestUpdate(context_of(hash), bytes, count) == 1);
}

bool push_sha256_digest(push_sha256 *hash, uint8_t *digest)
{
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    bool good = copy && EVP_MD_CTX_copy_ex(copy, context_of(hash)) == 1
        && EVP_DigestFinal_ex(copy, digest, NULL) == 1;
    EVP_MD_CTX_free(copy);
    return ended(good);
}

void push_sha256_free(push_sha256 *hash) { EVP_MD_CTX_free(context_of(hash)); }

static OSSL_PARAM octets(const char *name, const void *bytes, size_t count)
{
    /* OpenSSL only reads the value, although its type is not const. An empty value also needs an address. */
    return OSSL_PARAM_construct_octet_string(name, count ? (void *)bytes : (void *)"", count);
}

static char digest_name[] = "SHA2-256";

bool push_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *code)
{
    EVP_MAC *hmac = push_crypto_library_of()->hmac;
    EVP_MAC_CTX *context = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    const OSSL_PARAM choice[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name, 0), OSSL_PARAM_construct_end()};
    size_t length = 0;
    bool good = context && EVP_MAC_init(context, key_count ? key : "", key_count, choice) == 1
        && (count == 0 || EVP_MAC_update(context, bytes, count) == 1)
        && EVP_MAC_final(context, code, &length, 32) == 1 && length == 32;
    EVP_MAC_CTX_free(context);
    return ended(good);
}

bool push_hkdf_sha256(const void *key, size_t key_count, const void *salt, size_t salt_count,
                      const void *info, size_t info_count, void *derived, size_t count)
{
    EVP_KDF *hkdf = push_crypto_library_of()->hkdf;
    EVP_KDF_CTX *context = hkdf ? EVP_KDF_CTX_new(hkdf) : NULL;
    const OSSL_PARAM input[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest_name, 0),
        octets(OSSL_KDF_PARAM_KEY, key, key_count),
        octets(OSSL_KDF_PARAM_SALT, salt, salt_count),
        octets(OSSL_KDF_PARAM_INFO, info, info_count),
        OSSL_PARAM_construct_end(),
    };
    bool good = context && EVP_KDF_derive(context, derived, count, input) == 1;
    EVP_KDF_CTX_free(context);
    return ended(good);
}

bool push_scrypt(const void *password, size_t password_count, const void *salt, size_t salt_count, uint64_t n,
                 uint32_t r, uint32_t p, void *key, size_t count)
{
    EVP_KDF *scrypt = push_crypto_library_of()->scrypt;
    EVP_KDF_CTX *context = scrypt ? EVP_KDF_CTX_new(scrypt) : NULL;
    /* The blocks of all lanes, the table, and two blocks for the work. */
    uint64_t memory = 128 * (uint64_t)r * (n + p + 2) + 4096;
    const OSSL_PARAM input[] = {
        octets(OSSL_KDF_PARAM_PASSWORD, password, password_count),
        octets(OSSL_KDF_PARAM_SALT, salt, salt_count),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
        OSSL_PARAM_construct_end(),
    };
    bool good = context && EVP_KDF_derive(context, key, count, input) == 1;
    EVP_KDF_CTX_free(context);
    return ended(good);
}

bool push_are_equal(const void *first, const void *second, size_t count)
{
    return CRYPTO_memcmp(first, second, count) == 0;
}

/* MARK: AES */

/* Returns the index (0 or 1) of the algorithm for a key of this size, or -1 if there is none. */
static int place_of(size_t key_count) { return key_count == 16 ? 0 : key_count == 32 ? 1 : -1; }

struct push_aes {
    EVP_CIPHER_CTX *encryption, *decryption;
};

static EVP_CIPHER_CTX *ecb(const void *key, size_t key_count, int encrypts)
{
    int place = place_of(key_count);
    const EVP_CIPHER *cipher = place < 0 ? NULL : push_crypto_library_of()->ecb[place];
    EVP_CIPHER_CTX *context = cipher ? EVP_CIPHER_CTX_new() : NULL;
    if (context && EVP_CipherInit_ex2(context, cipher, key, NULL, encrypts, NULL) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

push_aes *push_aes_new(const void *key, size_t key_count)
{
    push_aes *aes = OPENSSL_zalloc(sizeof *aes);
    if (!aes) return NULL;
    aes->encryption = ecb(key, key_count, 1);
    aes->decryption = ecb(key, key_count, 0);
    if (aes->encryption && aes->decryption) return aes;
    push_aes_free(aes);
    ended(false);
    return NULL;
}

static bool transform(EVP_CIPHER_CTX *context, void *blocks, size_t count)
{
    int length = 0;
    if (count > 1 << 20) return false;
    return ended(EVP_CipherUpdate(context, blocks, &length, blocks, (int)count * 16) == 1)
        && length == (int)count * 16;
}

bool push_aes_encrypt(push_aes *aes, void *blocks, size_t count)
{
    return transform(aes->encryption, blocks, count);
}

bool push_aes_decrypt(push_aes *aes, void *blocks, size_t count)
{
    return transform(aes->decryption, blocks, count);
}

void push_aes_free(push_aes *aes)
{
    EVP_CIPHER_CTX_free(aes->encryption); /* the key is overwritten */
    EVP_CIPHER_CTX_free(aes->decryption);
    OPENSSL_free(aes);
}

/* Returns a context with key, nonce and associated data that is ready for the bytes; NULL on failure. */
static EVP_CIPHER_CTX *gcm(const void *key, size_t key_count, const uint8_t *nonce, const void *associated,
                           size_t associated_count, int encrypts)
{
    int place = place_of(key_count), length = 0;
    const EVP_CIPHER *cipher = place < 0 ? NULL : push_crypto_library_of()->gcm[place];
    EVP_CIPHER_CTX *context = cipher && associated_count <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    /* The nonce has OpenSSL's default size. */
    if (context && EVP_CipherInit_ex2(context, cipher, key, nonce, encrypts, NULL) == 1
        && (associated_count == 0
            || EVP_CipherUpdate(context, NULL, &length, associated, (int)associated_count) == 1))
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

bool push_gcm_seal(const void *key, size_t key_count, const void *associated, size_t associated_count,
                   const void *bytes, size_t count, uint8_t *box)
{
    if (count > INT_MAX) return false;
    int length = 0;
    uint8_t *sealed = box + PUSH_GCM_NONCE;
    EVP_CIPHER_CTX *context = gcm(key, key_count, box, associated, associated_count, 1);
    bool good = context && (count == 0 || EVP_CipherUpdate(context, sealed, &length, bytes, (int)count) == 1)
        && EVP_CipherFinal_ex(context, sealed + count, &length) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, PUSH_GCM_TAG, sealed + count) == 1;
    EVP_CIPHER_CTX_free(context);
    return ended(good);
}

bool push_gcm_open(const void *key, size_t key_count, const void *associated, size_t associated_count,
                   const uint8_t *box, uint8_t *bytes, size_t count)
{
    if (count > INT_MAX) return false;
    int length = 0;
    uint8_t rest[16], tag[PUSH_GCM_TAG];
    const uint8_t *sealed = box + PUSH_GCM_NONCE;
    memcpy(tag, sealed + count, sizeof tag);
    EVP_CIPHER_CTX *context = gcm(key, key_count, box, associated, associated_count, 0);
    bool good = context && (count == 0 || EVP_CipherUpdate(context, bytes, &length, sealed, (int)count) == 1)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, PUSH_GCM_TAG, tag) == 1
        && EVP_CipherFinal_ex(context, rest, &length) == 1;
    EVP_CIPHER_CTX_free(context);
    if (!good) OPENSSL_cleanse(bytes, count);
    return ended(good);
}

void push_cleanse(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

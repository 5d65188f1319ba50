// Keys of all types, and signatures like those of a provider. See push_probe.h.

#include "push_probe.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>

push_sink_key *push_probe_key_make_curve(const char *curve) { return (push_sink_key *)EVP_EC_gen(curve); }
push_sink_key *push_probe_key_make_rsa(size_t bits) { return (push_sink_key *)EVP_RSA_gen(bits); }

size_t push_probe_key_text(push_sink_key *key, const char *password, char *text, size_t capacity) {
    BIO *memory = BIO_new(BIO_s_mem());
    char *bytes = NULL;
    long count = 0;
    bool good = memory != NULL
        && (password == NULL
                ? PEM_write_bio_PrivateKey_traditional(memory, (EVP_PKEY *)key, NULL, NULL, 0, NULL, NULL)
                : PEM_write_bio_PKCS8PrivateKey(memory, (EVP_PKEY *)key, EVP_aes_256_cbc(), password,
                                                (int)strlen(password), NULL, NULL)) == 1;
    if (good) count = BIO_get_mem_data(memory, &bytes);
    if (count <= 0 || (size_t)count >= capacity) count = 0;
    else memcpy(text, bytes, (size_t)count);
    BIO_free(memory);
    ERR_clear_error();
    return (size_t)count;
}

static size_t sign(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature, size_t capacity) {
    size_t length = capacity;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, (EVP_PKEY *)key) == 1
        && EVP_DigestSign(context, signature, &length, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good ? length : 0;
}

size_t push_probe_sign_rs256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature,
                             size_t capacity) {
    return sign(key, bytes, count, signature, capacity);
}

bool push_probe_sign_es256(const void *key, const uint8_t *bytes, size_t count, uint8_t *signature) {
    unsigned char der[256];
    const unsigned char *at = der;
    size_t der_count = sign(key, bytes, count, der, sizeof der);
    ECDSA_SIG *pair = der_count > 0 ? d2i_ECDSA_SIG(NULL, &at, (long)der_count) : NULL;
    bool good = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return good;
}

size_t push_probe_key_number(const void *key, bool is_second, uint8_t *bytes, size_t capacity) {
    const EVP_PKEY *pkey = (const EVP_PKEY *)key;
    bool is_rsa = EVP_PKEY_is_a(pkey, "RSA") == 1;
    const char *names[2][2] = {{OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y},
                               {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E}};
    BIGNUM *number = NULL;
    int count = 0;
    if (EVP_PKEY_get_bn_param(pkey, names[is_rsa][is_second], &number) == 1) {
        // Coordinates have a fixed length.
        count = is_rsa ? BN_num_bytes(number) : 32;
        if ((size_t)count > capacity || BN_bn2binpad(number, bytes, count) != count) count = 0;
    }
    BN_free(number);
    ERR_clear_error();
    return (size_t)count;
}

bool push_probe_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
    return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL) == 1;
}

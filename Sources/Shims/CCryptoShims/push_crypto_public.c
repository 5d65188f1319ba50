/* Public keys of others, and the verification of their signatures. See push_crypto.h. */
#include "push_crypto_library.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <string.h>

enum { RSA_LEAST_BITS = 2048, RSA_MOST_BITS = 8192, EXPONENT_MOST = 8 };

static EVP_PKEY *key_of(const char *type, OSSL_PARAM *parameters)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(push_crypto_library_of()->context, type, NULL);
    if (context && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

static bool verify(EVP_PKEY *key, const void *bytes, size_t count, const uint8_t *signature, size_t length)
{
    OSSL_LIB_CTX *library = push_crypto_library_of()->context;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestVerifyInit_ex(context, NULL, "SHA2-256", library, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, signature, length, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

bool push_verify_rs256(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent,
                       size_t exponent_count, const void *bytes, size_t count, const uint8_t *signature,
                       size_t signature_count)
{
    if (modulus_count > RSA_MOST_BITS / 8 || exponent_count > EXPONENT_MOST) return false;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY *key = NULL;
    bool fits = n && e && BN_num_bits(n) >= RSA_LEAST_BITS && BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e)
        && signature_count == (size_t)BN_num_bytes(n);
    if (fits && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    if (parameters) key = key_of("RSA", parameters);
    bool good = key && verify(key, bytes, count, signature, signature_count);
    EVP_PKEY_free(key);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    if (!good) ERR_clear_error();
    return good;
}

/* Writes R and S, 32 bytes each, in DER. Returns the length; 0 if memory is exhausted. */
static int der_of(const uint8_t *signature, uint8_t **der)
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    int length = 0;
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* they belong to the pair */
        length = i2d_ECDSA_SIG(pair, der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return length > 0 ? length : 0;
}

bool push_verify_es256(const uint8_t *x, const uint8_t *y, const void *bytes, size_t count,
                       const uint8_t *signature)
{
    char curve[] = "prime256v1";
    uint8_t point[65] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_end(),
    };
    /* OpenSSL refuses a point that is not on the curve. */
    EVP_PKEY *key = key_of("EC", parameters);
    uint8_t *der = NULL;
    int length = key ? der_of(signature, &der) : 0;
    bool good = length > 0 && verify(key, bytes, count, der, (size_t)length);
    OPENSSL_free(der);
    EVP_PKEY_free(key);
    if (!good) ERR_clear_error();
    return good;
}

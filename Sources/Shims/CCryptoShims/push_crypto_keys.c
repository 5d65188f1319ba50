/* Private keys and their signatures. See push_crypto.h. */
#include "push_crypto_library.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

static const char digest_name[] = "SHA2-256";

/* A push_key is OpenSSL's EVP_PKEY. */
static EVP_PKEY *pkey_of(push_key *key) { return (EVP_PKEY *)key; }

void push_key_free(push_key *key) { EVP_PKEY_free(pkey_of(key)); /* the private part is overwritten */ }

int push_crypto_no_password(char *buffer, int size, int writing, void *asked)
{
    (void)buffer, (void)size, (void)writing;
    if (asked) *(bool *)asked = true;
    return -1;
}

push_key_status push_crypto_read_key(const void *pem, size_t count, EVP_PKEY **key)
{
    bool is_encrypted = false;
    BIO *text = count > 0 && count <= 1 << 24 ? BIO_new_mem_buf(pem, (int)count) : NULL;
    OSSL_LIB_CTX *context = push_crypto_library_of()->context;
    *key = NULL;
    if (text && context)
        *key = PEM_read_bio_PrivateKey_ex(text, NULL, push_crypto_no_password, &is_encrypted, context, NULL);
    BIO_free(text);
    return *key ? PUSH_KEY_OK : is_encrypted ? PUSH_KEY_ENCRYPTED : PUSH_KEY_UNREADABLE;
}

static size_t sign(EVP_PKEY *key, const void *bytes, size_t count, uint8_t *signature, size_t room)
{
    OSSL_LIB_CTX *library = push_crypto_library_of()->context;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context && EVP_DigestSignInit_ex(context, NULL, digest_name, library, NULL, key, NULL) == 1
        && EVP_DigestSign(context, signature, &room, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    return good ? room : 0;
}

/* Reports whether the public part verifies a signature by the private part. OpenSSL's own check of an RSA key
   (EVP_PKEY_pairwise_check) takes about forty times as long. */
static bool belongs_together(EVP_PKEY *key)
{
    OSSL_LIB_CTX *library = push_crypto_library_of()->context;
    uint8_t signature[PUSH_RSA_MOST];
    static const uint8_t text[] = "PushMTA";
    size_t length = sign(key, text, sizeof text, signature, sizeof signature);
    EVP_MD_CTX *context = length ? EVP_MD_CTX_new() : NULL;
    bool good = context && EVP_DigestVerifyInit_ex(context, NULL, digest_name, library, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, signature, length, text, sizeof text) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

/* Returns the key to the caller if it is usable; otherwise releases it. */
static push_key_status end(push_key_status status, EVP_PKEY *read, push_key **key)
{
    if (status == PUSH_KEY_OK && !belongs_together(read)) status = PUSH_KEY_UNREADABLE;
    if (status != PUSH_KEY_OK) EVP_PKEY_free(read);
    *key = status == PUSH_KEY_OK ? (push_key *)read : NULL;
    ERR_clear_error();
    return status;
}

push_key_status push_key_read_p256(const void *pem, size_t count, push_key **key)
{
    EVP_PKEY *found = NULL;
    push_key_status status = push_crypto_read_key(pem, count, &found);
    char curve[64];
    size_t length = 0;
    if (status == PUSH_KEY_OK
        && !(EVP_PKEY_is_a(found, "EC") && EVP_PKEY_get_group_name(found, curve, sizeof curve, &length) == 1
             && !strcmp(curve, "prime256v1")))
        status = PUSH_KEY_WRONG_KIND;
    return end(status, found, key);
}

push_key_status push_key_read_rsa(const void *pem, size_t count, int least, push_key **key)
{
    EVP_PKEY *found = NULL;
    push_key_status status = push_crypto_read_key(pem, count, &found);
    if (status == PUSH_KEY_OK) {
        int bits = EVP_PKEY_get_bits(found);
        if (!EVP_PKEY_is_a(found, "RSA")) status = PUSH_KEY_WRONG_KIND;
        else if (bits < least || bits > PUSH_RSA_MOST * 8) status = PUSH_KEY_WRONG_SIZE;
    }
    return end(status, found, key);
}

size_t push_key_sign_rsa(push_key *key, const void *bytes, size_t count, uint8_t *signature)
{
    size_t length = sign(pkey_of(key), bytes, count, signature, PUSH_RSA_MOST);
    if (!length) ERR_clear_error();
    return length;
}

bool push_key_sign_p256(push_key *key, const void *bytes, size_t count, uint8_t *signature)
{
    uint8_t der[80];
    const uint8_t *start = der;
    size_t length = sign(pkey_of(key), bytes, count, der, sizeof der);
    ECDSA_SIG *pair = length ? d2i_ECDSA_SIG(NULL, &start, (long)length) : NULL;
    bool good = pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
    ECDSA_SIG_free(pair);
    if (!good) ERR_clear_error();
    return good;
}

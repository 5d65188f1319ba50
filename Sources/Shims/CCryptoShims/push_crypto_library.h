#ifndef PUSH_CRYPTO_LIBRARY_H
#define PUSH_CRYPTO_LIBRARY_H

#include "push_crypto.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

/* The library context and its algorithms. An algorithm that was not found is NULL. */
typedef struct push_crypto_library {
    OSSL_LIB_CTX *context;
    EVP_MD *sha256;
    EVP_MAC *hmac;
    EVP_KDF *hkdf;
    EVP_CIPHER *ecb[2], *gcm[2]; /* with keys of 128 and 256 bits */
} push_crypto_library;

const push_crypto_library *push_crypto_library_of(void);

#endif

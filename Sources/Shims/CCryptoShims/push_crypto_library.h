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
    EVP_KDF *hkdf, *scrypt;
    EVP_CIPHER *ecb[2], *gcm[2]; /* with keys of 128 and 256 bits */
} push_crypto_library;

const push_crypto_library *push_crypto_library_of(void);

/* Reads the first private key of a PEM text, of any type. */
push_key_status push_crypto_read_key(const void *pem, size_t count, EVP_PKEY **key);
/* A callback for OpenSSL that gives no password. `asked`, if it is not NULL, is a bool that becomes true. */
int push_crypto_no_password(char *buffer, int size, int writing, void *asked);

#endif

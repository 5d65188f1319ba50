// Keys, certificates and their files, for pushsink. See push_sink.h.

#include "push_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// push_sink_key and push_sink_certificate are pushsink's names for OpenSSL's EVP_PKEY and X509.
static EVP_PKEY *pkey_of(push_sink_key *key) { return (EVP_PKEY *)key; }
static X509 *x509_of(push_sink_certificate *certificate) { return (X509 *)certificate; }

// MARK: Keys

push_sink_key *push_sink_key_make_p256(void) { return (push_sink_key *)EVP_EC_gen("P-256"); }
push_sink_key *push_sink_key_make_rsa2048(void) { return (push_sink_key *)EVP_RSA_gen(2048); }
void push_sink_key_free(push_sink_key *key) { EVP_PKEY_free(pkey_of(key)); }

// Prevents OpenSSL from requesting the password of an encrypted file on the terminal.
static int no_password(char *buffer, int size, int writing, void *argument) {
    (void)buffer;
    (void)size;
    (void)writing;
    (void)argument;
    return -1;
}

push_sink_key *push_sink_key_parse(const char *text) {
    BIO *memory = BIO_new_mem_buf(text, -1);
    EVP_PKEY *key = memory == NULL ? NULL : PEM_read_bio_PrivateKey(memory, NULL, no_password, NULL);
    BIO_free(memory);
    ERR_clear_error();
    return (push_sink_key *)key;
}

size_t push_sink_key_text(push_sink_key *key, char *text, size_t capacity) {
    BIO *memory = BIO_new(BIO_s_mem());
    char *bytes = NULL;
    long count = 0;
    if (memory != NULL && PEM_write_bio_PKCS8PrivateKey(memory, pkey_of(key), NULL, NULL, 0, NULL, NULL) == 1)
        count = BIO_get_mem_data(memory, &bytes);
    if (count <= 0 || (size_t)count >= capacity) count = 0;
    else memcpy(text, bytes, (size_t)count);
    if (capacity > 0) text[count] = 0;
    BIO_free(memory);
    ERR_clear_error();
    return (size_t)count;
}

static bool verifies(EVP_PKEY *key, const uint8_t *bytes, size_t count, const uint8_t *signature,
                     size_t signature_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good;
}

bool push_sink_key_verifies_rs256(push_sink_key *key, const uint8_t *bytes, size_t count,
                                  const uint8_t *signature, size_t signature_count) {
    // A key of another type would verify signatures of its own algorithm, which is not RS256.
    return EVP_PKEY_get_base_id(pkey_of(key)) == EVP_PKEY_RSA
        && verifies(pkey_of(key), bytes, count, signature, signature_count);
}

bool push_sink_key_verifies_es256(push_sink_key *key, const uint8_t *bytes, size_t count,
                                  const uint8_t *signature) {
    ECDSA_SIG *pair = ECDSA_SIG_new();
    unsigned char *der = NULL;
    int der_count = -1;
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    if (pair != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        der_count = i2d_ECDSA_SIG(pair, &der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    bool good = der_count > 0 && verifies(pkey_of(key), bytes, count, der, (size_t)der_count);
    OPENSSL_free(der);
    return good;
}

// MARK: Certificates

static bool extend(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return good;
}

static bool name(X509_NAME *subject, int kind, const char *value) {
    return X509_NAME_add_entry_by_NID(subject, kind, MBSTRING_UTF8, (const unsigned char *)value, -1, -1, 0)
        == 1;
}

static bool number(X509 *certificate) {
    BIGNUM *serial = BN_new();
    // A number of 127 bits is positive and within the 20 octets of RFC 5280 section 4.1.2.2.
    bool good = serial != NULL && BN_rand(serial, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
        && BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate)) != NULL;
    BN_free(serial);
    return good;
}

push_sink_certificate *push_sink_certificate_make(
    const char *common_name, const char *uid, const char *alternative_names, const char *usage,
    long from_seconds, long to_seconds, push_sink_key *key, push_sink_certificate *issuer,
    push_sink_key *issuer_key) {
    X509 *certificate = X509_new();
    if (certificate == NULL) return NULL;
    X509 *signer = issuer == NULL ? certificate : x509_of(issuer);
    X509_NAME *subject = X509_get_subject_name(certificate);
    bool good = X509_set_version(certificate, X509_VERSION_3) == 1 && number(certificate)
        && X509_gmtime_adj(X509_getm_notBefore(certificate), from_seconds) != NULL
        && X509_gmtime_adj(X509_getm_notAfter(certificate), to_seconds) != NULL
        && X509_set_pubkey(certificate, pkey_of(key)) == 1
        && (uid == NULL || name(subject, NID_userId, uid))
        && name(subject, NID_commonName, common_name)
        && name(subject, NID_organizationName, "pushsink")
        && X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1
        && extend(certificate, signer, NID_subject_key_identifier, "hash")
        && extend(certificate, signer, NID_authority_key_identifier, "keyid:always");
    if (usage == NULL) {
        good = good && extend(certificate, signer, NID_basic_constraints, "critical,CA:TRUE")
            && extend(certificate, signer, NID_key_usage, "critical,keyCertSign,cRLSign");
    } else {
        good = good && extend(certificate, signer, NID_basic_constraints, "critical,CA:FALSE")
            && extend(certificate, signer, NID_key_usage, "critical,digitalSignature")
            && extend(certificate, signer, NID_ext_key_usage, usage);
    }
    if (alternative_names != NULL)
        good = good && extend(certificate, signer, NID_subject_alt_name, alternative_names);
    good = good && X509_sign(certificate, pkey_of(issuer_key == NULL ? key : issuer_key), EVP_sha256()) > 0;
    if (good) return (push_sink_certificate *)certificate;
    X509_free(certificate);
    return NULL;
}

void push_sink_certificate_free(push_sink_certificate *certificate) { X509_free(x509_of(certificate)); }

// MARK: Files

static bool fail(const char *path, char *error, size_t capacity) {
    unsigned long code = ERR_peek_last_error();
    const char *cause = code != 0 ? ERR_reason_error_string(code) : strerror(errno);
    snprintf(error, capacity, "cannot write %s: %s", path, cause != NULL ? cause : "unknown cause");
    ERR_clear_error();
    return false;
}

// Creates a file that is private from the first byte: its mode is set at creation, not afterwards.
static BIO *create(const char *path) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return NULL;
    BIO *file = BIO_new_fd(descriptor, BIO_CLOSE);
    if (file == NULL) close(descriptor);
    return file;
}

bool push_sink_write_pem(const char *path, push_sink_certificate *certificate, push_sink_certificate *issuer,
                         push_sink_key *key, char *error, size_t capacity) {
    ERR_clear_error();
    BIO *file = create(path);
    bool good = file != NULL && (certificate == NULL || PEM_write_bio_X509(file, x509_of(certificate)) == 1)
        && (issuer == NULL || PEM_write_bio_X509(file, x509_of(issuer)) == 1)
        && (key == NULL || PEM_write_bio_PKCS8PrivateKey(file, pkey_of(key), NULL, NULL, 0, NULL, NULL) == 1);
    BIO_free(file);
    return good || fail(path, error, capacity);
}

bool push_sink_write_p12(const char *path, const char *password, push_sink_certificate *certificate,
                         push_sink_certificate *issuer, push_sink_key *key, bool old_fashioned, char *error,
                         size_t capacity) {
    ERR_clear_error();
    // RC2 is in OpenSSL's legacy provider. If a program loads a provider explicitly, it must also load the
    // default provider explicitly.
    OSSL_PROVIDER *legacy = NULL, *standard = NULL;
    if (old_fashioned) {
        legacy = OSSL_PROVIDER_load(NULL, "legacy");
        standard = OSSL_PROVIDER_load(NULL, "default");
    }
    STACK_OF(X509) *others = sk_X509_new_null();
    if (others != NULL) sk_X509_push(others, x509_of(issuer));
    PKCS12 *bag = PKCS12_create(password, "pushsink client", pkey_of(key), x509_of(certificate), others,
                                old_fashioned ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : NID_aes_256_cbc,
                                old_fashioned ? NID_pbe_WithSHA1And40BitRC2_CBC : NID_aes_256_cbc,
                                old_fashioned ? 2048 : 0, old_fashioned ? 2048 : 0, 0);
    // The integrity check of the old format uses SHA-1. OpenSSL's default is SHA-256.
    if (bag != NULL && old_fashioned) PKCS12_set_mac(bag, password, -1, NULL, 0, 2048, EVP_sha1());
    BIO *file = bag == NULL ? NULL : create(path);
    bool good = file != NULL && i2d_PKCS12_bio(file, bag) == 1;
    if (!good) fail(path, error, capacity);
    BIO_free(file);
    PKCS12_free(bag);
    sk_X509_free(others);
    if (standard != NULL) OSSL_PROVIDER_unload(standard);
    if (legacy != NULL) OSSL_PROVIDER_unload(legacy);
    return good;
}

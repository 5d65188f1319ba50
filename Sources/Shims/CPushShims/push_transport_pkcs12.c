#include "push_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void push_bytes_free(push_bytes *bytes)
{
    if (bytes->bytes) OPENSSL_clear_free(bytes->bytes, bytes->count);
    bytes->bytes = NULL;
    bytes->count = 0;
}

static bool take_bio(BIO *bio, push_bytes *bytes)
{
    char *memory = NULL;
    long count = BIO_get_mem_data(bio, &memory);
    if (count <= 0) return false;
    bytes->bytes = OPENSSL_malloc((size_t)count);
    if (!bytes->bytes) return false;
    memcpy(bytes->bytes, memory, (size_t)count);
    bytes->count = (size_t)count;
    OPENSSL_cleanse(memory, (size_t)count);
    return true;
}

/* Writes the text of OpenSSL's last error to `why` and returns the error. The caller must then empty the
   error queue, because TLS reads the same queue. */
static unsigned long last_words(char *why, size_t room)
{
    unsigned long error = ERR_peek_last_error();
    if (room) {
        const char *reason = error ? ERR_reason_error_string(error) : NULL;
        snprintf(why, room, "%s", reason ? reason : error ? "error without a text" : "");
    }
    return error;
}

/* Empties the error queue. Reports whether the queue contained an error with this library and this reason (a
   reason of 0 means any reason). */
static bool queue_has(int library, int reason)
{
    bool found = false;
    for (unsigned long error; (error = ERR_get_error());)
        found = found || (ERR_GET_LIB(error) == library && (!reason || ERR_GET_REASON(error) == reason));
    return found;
}

static push_identity_status write_pem(EVP_PKEY *key, X509 *leaf, STACK_OF(X509) *chain,
                                      push_bytes *certificates, push_bytes *key_pem)
{
    /* Without a key, OpenSSL cannot identify the leaf, so it returns all certificates in the chain. */
    if (!key && sk_X509_num(chain) > 0) return PUSH_IDENTITY_NO_KEY;
    if (!leaf) return PUSH_IDENTITY_NO_CERTIFICATE;
    if (!key) return PUSH_IDENTITY_NO_KEY;
    BIO *certificate_bio = BIO_new(BIO_s_mem());
    BIO *key_bio = BIO_new(BIO_s_mem());
    bool ok = certificate_bio && key_bio && PEM_write_bio_X509(certificate_bio, leaf);
    for (int i = 0; ok && i < sk_X509_num(chain); i++)
        ok = PEM_write_bio_X509(certificate_bio, sk_X509_value(chain, i));
    ok = ok && PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL);
    ok = ok && take_bio(certificate_bio, certificates) && take_bio(key_bio, key_pem);
    BIO_free(certificate_bio);
    BIO_free(key_bio);
    return ok ? PUSH_IDENTITY_OK : PUSH_IDENTITY_NO_MEMORY;
}

static push_identity_status open_bag(PKCS12 *p12, const char *password, push_bytes *certificates,
                                     push_bytes *key_pem, char *why, size_t why_room)
{
    /* An absent password and an empty one produce different keys, and files of both kinds exist. */
    const char *tried = password;
    if (PKCS12_mac_present(p12)) {
        if (!PKCS12_verify_mac(p12, tried, -1)) {
            if (*password || !PKCS12_verify_mac(p12, NULL, 0)) {
                unsigned long error = last_words(why, why_room);
                bool unsupported = ERR_GET_REASON(error) == ERR_R_UNSUPPORTED;
                ERR_clear_error();
                return unsupported ? PUSH_IDENTITY_UNSUPPORTED : PUSH_IDENTITY_WRONG_PASSWORD;
            }
            tried = NULL;
        }
    }
    EVP_PKEY *key = NULL;
    X509 *leaf = NULL;
    STACK_OF(X509) *chain = NULL;
    push_identity_status status;
    ERR_clear_error();
    if (PKCS12_parse(p12, tried, &key, &leaf, &chain)) {
        status = write_pem(key, leaf, chain, certificates, key_pem);
    } else {
        unsigned long error = last_words(why, why_room);
        /* If the MAC is correct, the password is correct, so the failure concerns an algorithm. */
        if (ERR_GET_REASON(error) == ERR_R_UNSUPPORTED || queue_has(ERR_LIB_EVP, 0))
            status = PUSH_IDENTITY_UNSUPPORTED;
        else status = PKCS12_mac_present(p12) ? PUSH_IDENTITY_UNREADABLE : PUSH_IDENTITY_WRONG_PASSWORD;
    }
    EVP_PKEY_free(key);
    X509_free(leaf);
    sk_X509_pop_free(chain, X509_free);
    return status;
}

push_identity_status push_pkcs12_read(const uint8_t *file, size_t count, const char *password,
                                      push_bytes *certificates, push_bytes *key, char *why, size_t why_room)
{
    if (why_room) *why = 0;
    *certificates = *key = (push_bytes){NULL, 0};
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    if (!library) return PUSH_IDENTITY_NO_MEMORY;
    OSSL_PROVIDER *ordinary = OSSL_PROVIDER_load(library, "default");
    /* Without the legacy provider, only RC2 and similar algorithms fail. */
    OSSL_PROVIDER *legacy = OSSL_PROVIDER_load(library, "legacy");
    ERR_clear_error();

    push_identity_status status = PUSH_IDENTITY_UNREADABLE;
    PKCS12 *p12 = PKCS12_init_ex(NID_pkcs7_data, library, NULL);
    BIO *bio = count <= 1 << 24 ? BIO_new_mem_buf(file, (int)count) : NULL;
    if (!p12) status = PUSH_IDENTITY_NO_MEMORY;
    else if (bio && d2i_PKCS12_bio(bio, &p12) && p12)
        status = open_bag(p12, password, certificates, key, why, why_room);
    else last_words(why, why_room);
    ERR_clear_error();
    BIO_free(bio);
    PKCS12_free(p12);
    if (legacy) OSSL_PROVIDER_unload(legacy);
    if (ordinary) OSSL_PROVIDER_unload(ordinary);
    OSSL_LIB_CTX_free(library);
    if (status != PUSH_IDENTITY_OK) {
        push_bytes_free(certificates);
        push_bytes_free(key);
    }
    return status;
}

/* Skips a byte order mark. OpenSSL does not recognise it and would overlook the line that contains it. */
static BIO *text_bio(const uint8_t *pem, size_t count)
{
    if (count >= 3 && !memcmp(pem, "\xEF\xBB\xBF", 3)) pem += 3, count -= 3;
    return count <= 1 << 24 ? BIO_new_mem_buf(pem, (int)count) : NULL;
}

static X509 *first_certificate(const uint8_t *pem, size_t count)
{
    BIO *bio = text_bio(pem, count);
    X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    return certificate;
}

static int64_t epoch(const ASN1_TIME *time)
{
    struct tm parts;
    return time && ASN1_TIME_to_tm(time, &parts) ? (int64_t)timegm(&parts) : 0;
}

/* Copies a part of a name to `text` as UTF-8, regardless of its string type. `text` must contain zeros and
   stays empty if the part is absent, contains a zero byte or does not fit. */
static void name_part(X509_NAME *name, int identifier, char *text, size_t room)
{
    int place = X509_NAME_get_index_by_NID(name, identifier, -1);
    if (place < 0) return;
    unsigned char *utf8 = NULL;
    int length = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place)));
    if (length > 0 && (size_t)length < room && !memchr(utf8, 0, (size_t)length))
        memcpy(text, utf8, (size_t)length);
    OPENSSL_free(utf8);
}

push_identity_status push_certificate_read(const uint8_t *pem, size_t count, push_certificate_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    X509 *certificate = first_certificate(pem, count);
    if (!certificate) {
        ERR_clear_error();
        return PUSH_IDENTITY_UNREADABLE;
    }
    X509_NAME *name = X509_get_subject_name(certificate);
    BIO *text = BIO_new(BIO_s_mem());
    if (text && X509_NAME_print_ex(text, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        int length = BIO_read(text, facts->subject, sizeof facts->subject - 1);
        facts->subject[length > 0 ? length : 0] = 0;
    }
    BIO_free(text);
    name_part(name, NID_userId, facts->user_id, sizeof facts->user_id);
    name_part(name, NID_commonName, facts->common_name, sizeof facts->common_name);
    facts->not_before = epoch(X509_get0_notBefore(certificate));
    facts->not_after = epoch(X509_get0_notAfter(certificate));
    unsigned int length = sizeof facts->sha256;
    bool ok = X509_digest(certificate, EVP_sha256(), facts->sha256, &length);
    X509_free(certificate);
    ERR_clear_error();
    return ok ? PUSH_IDENTITY_OK : PUSH_IDENTITY_NO_MEMORY;
}

static int no_password(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing;
    if (context) *(bool *)context = true; /* OpenSSL requests a password */
    return -1;
}

static EVP_PKEY *private_key(const uint8_t *pem, size_t count, bool *encrypted)
{
    BIO *bio = text_bio(pem, count);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, encrypted) : NULL;
    BIO_free(bio);
    return key;
}

push_identity_status push_key_matches(const uint8_t *certificate_pem, size_t certificate_count,
                                      const uint8_t *key_pem, size_t key_count)
{
    push_identity_status status = PUSH_IDENTITY_NO_KEY;
    bool encrypted = false;
    X509 *certificate = first_certificate(certificate_pem, certificate_count);
    EVP_PKEY *key = private_key(key_pem, key_count, &encrypted);
    if (!certificate) status = PUSH_IDENTITY_NO_CERTIFICATE;
    else if (!key) status = encrypted ? PUSH_IDENTITY_WRONG_PASSWORD : PUSH_IDENTITY_UNREADABLE;
    else if (X509_check_private_key(certificate, key)) status = PUSH_IDENTITY_OK;
    EVP_PKEY_free(key);
    X509_free(certificate);
    ERR_clear_error();
    return status;
}

push_identity_status push_private_key_read(const uint8_t *pem, size_t count, push_private_key_facts *facts,
                                           push_bytes *pkcs8, char *why, size_t why_room)
{
    memset(facts, 0, sizeof *facts);
    *pkcs8 = (push_bytes){NULL, 0};
    if (why_room) *why = 0;
    bool encrypted = false;
    ERR_clear_error();
    EVP_PKEY *key = private_key(pem, count, &encrypted);
    if (!key) {
        last_words(why, why_room);
        ERR_clear_error();
        return encrypted ? PUSH_IDENTITY_WRONG_PASSWORD : PUSH_IDENTITY_UNREADABLE;
    }
    const char *type = EVP_PKEY_get0_type_name(key);
    snprintf(facts->type, sizeof facts->type, "%s", type ? type : "");
    facts->bits = EVP_PKEY_get_bits(key);
    size_t length = 0;
    if (!EVP_PKEY_get_group_name(key, facts->curve, sizeof facts->curve, &length)) facts->curve[0] = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    bool ok = bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)
        && take_bio(bio, pkcs8);
    BIO_free(bio);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok ? PUSH_IDENTITY_OK : PUSH_IDENTITY_NO_MEMORY;
}

bool push_key_is_encrypted(const uint8_t *key_pem, size_t count)
{
    bool encrypted = false;
    EVP_PKEY_free(private_key(key_pem, count, &encrypted));
    ERR_clear_error();
    return encrypted;
}

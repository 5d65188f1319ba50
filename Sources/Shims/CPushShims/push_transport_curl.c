#include "push_curl.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

CURLcode push_curl_set_long(CURL *easy, CURLoption option, long value)
{
    return push_curl_easy_setopt(easy, option, value);
}

CURLcode push_curl_set_off_t(CURL *easy, CURLoption option, curl_off_t value)
{
    return push_curl_easy_setopt(easy, option, value);
}

CURLcode push_curl_set_string(CURL *easy, CURLoption option, const char *text)
{
    return push_curl_easy_setopt(easy, option, text);
}

CURLcode push_curl_set_pointer(CURL *easy, CURLoption option, void *pointer)
{
    return push_curl_easy_setopt(easy, option, pointer);
}

CURLcode push_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count)
{
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return push_curl_easy_setopt(easy, option, &blob);
}

CURLcode push_curl_set_data_function(CURL *easy, CURLoption option, push_curl_data_function function)
{
    return push_curl_easy_setopt(easy, option, function);
}

CURLcode push_curl_set_progress_function(CURL *easy, push_curl_progress_function function)
{
    return push_curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

uint64_t push_curl_tls_received(CURL *easy)
{
    struct curl_tlssessioninfo *tls = NULL;
    if (push_curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &tls) != CURLE_OK || !tls || !tls->internals)
        return 0;
    if (tls->backend != CURLSSLBACKEND_OPENSSL) return 0;
    BIO *bio = SSL_get_rbio(tls->internals);
    return bio ? BIO_number_read(bio) : 0;
}

CURLcode push_curl_get_long(CURL *easy, CURLINFO info, long *value)
{
    return push_curl_easy_getinfo(easy, info, value);
}

CURLcode push_curl_get_off_t(CURL *easy, CURLINFO info, curl_off_t *value)
{
    return push_curl_easy_getinfo(easy, info, value);
}

CURLcode push_curl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value)
{
    return push_curl_easy_getinfo(easy, info, value);
}

CURLcode push_curl_get_pointer(CURL *easy, CURLINFO info, void **value)
{
    return push_curl_easy_getinfo(easy, info, value);
}

CURLSHcode push_curl_share_data(CURLSH *share, curl_lock_data data)
{
    return push_curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

CURLMcode push_curl_multi_set_long(CURLM *multi, CURLMoption option, long value)
{
    return push_curl_multi_setopt(multi, option, value);
}

bool push_curl_next_done(CURLM *multi, CURL **easy, CURLcode *result)
{
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return true;
    }
    return false;
}

bool push_descriptors_free(int count)
{
    int opened[16], done = 0;
    if (count > 16) count = 16;
    while (done < count && (opened[done] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) done++;
    bool enough = done == count;
    while (done > 0) close(opened[--done]);
    return enough;
}

void push_forget_environment(void)
{
    unsetenv("SSLKEYLOGFILE");
    unsetenv("QLOGDIR");
}

void push_ignore_broken_pipes(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

#include "push_curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* Defines libcurl's functions under their own names, so that callers in C and in Swift are written as if
   libcurl were linked. */
#define FUNCTIONS(give)                                                                                      \
    give(CURLcode, curl_global_init, (long flags), (flags))                                                  \
    give(CURL *, curl_easy_init, (void), ())                                                                 \
    give(void, curl_easy_cleanup, (CURL *easy), (easy))                                                      \
    give(CURLcode, curl_easy_recv, (CURL *easy, void *to, size_t room, size_t *count),                       \
         (easy, to, room, count))                                                                            \
    give(CURLcode, curl_easy_send, (CURL *easy, const void *from, size_t all, size_t *count),                \
         (easy, from, all, count))                                                                           \
    give(const char *, curl_easy_strerror, (CURLcode code), (code))                                          \
    give(CURLM *, curl_multi_init, (void), ())                                                               \
    give(CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))                                             \
    give(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), (multi, easy))                        \
    give(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), (multi, easy))                     \
    give(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), (multi, running))                      \
    give(CURLMcode, curl_multi_poll,                                                                         \
         (CURLM *multi, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready),      \
         (multi, others, count, milliseconds, ready))                                                        \
    give(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))                          \
    give(const char *, curl_multi_strerror, (CURLMcode code), (code))                                        \
    give(CURLSH *, curl_share_init, (void), ())                                                              \
    give(CURLSHcode, curl_share_cleanup, (CURLSH *share), (share))                                           \
    give(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))  \
    give(void, curl_slist_free_all, (struct curl_slist *list), (list))                                       \
    give(CURLU *, curl_url, (void), ())                                                                      \
    give(void, curl_url_cleanup, (CURLU *url), (url))                                                        \
    give(CURLUcode, curl_url_set, (CURLU *url, CURLUPart part, const char *text, unsigned int flags),        \
         (url, part, text, flags))

#define give_function(result, name, parameters, arguments)                                                   \
    static result (*push_##name) parameters;                                                                 \
    result name parameters { return push_##name arguments; }
FUNCTIONS(give_function)
#undef give_function

CURLcode (*push_curl_easy_setopt)(CURL *, CURLoption, ...);
CURLcode (*push_curl_easy_getinfo)(CURL *, CURLINFO, ...);
CURLMcode (*push_curl_multi_setopt)(CURLM *, CURLMoption, ...);
CURLSHcode (*push_curl_share_setopt)(CURLSH *, CURLSHoption, ...);

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static char failure[200];

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(failure, sizeof failure, "%s", why ? why : "libcurl.so.4 cannot be loaded");
        return;
    }
#define find(name)                                                                                           \
    if (!(*(void **)&push_##name = dlsym(library, #name))) {                                                 \
        snprintf(failure, sizeof failure, "libcurl.so.4 has no " #name ": it is too old");                   \
        return;                                                                                              \
    }
#define give_address(result, name, parameters, arguments) find(name)
    FUNCTIONS(give_address)
    find(curl_easy_setopt) find(curl_easy_getinfo) find(curl_multi_setopt)
    find(curl_share_setopt)
#undef give_address
#undef find
}

const char *push_curl_load(void)
{
    pthread_once(&loading, load);
    return failure[0] ? failure : NULL;
}

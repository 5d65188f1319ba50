#ifndef PUSH_CURL_H
#define PUSH_CURL_H

/* libcurl's variadic functions, which cannot be wrapped. Callers use the addresses that push_curl_load
   found. */

#include "push_transport.h"

extern CURLcode (*push_curl_easy_setopt)(CURL *, CURLoption, ...);
extern CURLcode (*push_curl_easy_getinfo)(CURL *, CURLINFO, ...);
extern CURLMcode (*push_curl_multi_setopt)(CURLM *, CURLMoption, ...);
extern CURLSHcode (*push_curl_share_setopt)(CURLSH *, CURLSHoption, ...);

#endif

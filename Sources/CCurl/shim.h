#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#pragma clang assume_nonnull begin

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function for each type of argument.

static inline CURLcode curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the text.
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

// libcurl keeps the pointer.
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, const void *_Nullable pointer) {
    return curl_easy_setopt(handle, option, pointer);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, whose callbacks have one type.
static inline CURLcode curl_set_write_function(CURL *handle, CURLoption option, curl_write_callback function) {
    return curl_easy_setopt(handle, option, function);
}

static inline CURLcode curl_set_prereq_function(CURL *handle, curl_prereq_callback function) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode curl_set_opensocket_function(CURL *handle, curl_opensocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode curl_set_ssl_ctx_function(CURL *handle, curl_ssl_ctx_callback function) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
}

static inline CURLcode curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

// The result of a message is a member of a union, which Swift imports without saying which member is valid.
static inline CURLcode curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

#pragma clang assume_nonnull end

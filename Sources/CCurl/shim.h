#pragma once

#include <curl/curl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
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

// libcurl frees its copies of a request, with the key in its header, as they are. These overwrite whatever it frees first.

static inline void curl_wipe_and_free(void *_Nullable memory) {
    if (memory != NULL)
        explicit_bzero((void *)memory, malloc_usable_size(memory));
    free(memory);
}

// realloc frees, where it moves the memory, what was there before.
static inline void *_Nullable curl_wipe_and_move(void *_Nullable memory, size_t size) {
    void *_Nullable moved = malloc(size);
    if (memory == NULL || moved == NULL)
        return moved;
    size_t kept = malloc_usable_size(memory);
    memcpy((void *)moved, (void *)memory, kept < size ? kept : size);
    curl_wipe_and_free(memory);
    return moved;
}

// In place of curl_global_init: frees and moves by the two above, the rest is the C library's own.
static inline CURLcode curl_global_init_wiping(long flags) {
    return curl_global_init_mem(flags, malloc, curl_wipe_and_free, curl_wipe_and_move, strdup, calloc);
}

#pragma clang assume_nonnull end

// The functions of libcurl and of the decoding libraries, as pointers that `ccurl_load` fills in.

#ifndef HELIOGRAPH_CCURL_LIBRARY_H
#define HELIOGRAPH_CCURL_LIBRARY_H

#include "CCurl.h"

typedef struct {
  int message;
  ccurl_easy *easy;
  union {
    void *pointer;
    int result;
  } data;
} ccurl_message_record;

// Name, result and arguments of each function in use. The variadic ones keep their real prototypes.
#define CCURL_FUNCTIONS(F)                                                                                    \
  F(curl_global_init, int, (long))                                                                            \
  F(curl_version, char *, (void))                                                                             \
  F(curl_easy_init, ccurl_easy *, (void))                                                                     \
  F(curl_easy_cleanup, void, (ccurl_easy *))                                                                  \
  F(curl_easy_setopt, int, (ccurl_easy *, int, ...))                                                          \
  F(curl_easy_getinfo, int, (ccurl_easy *, int, ...))                                                         \
  F(curl_easy_pause, int, (ccurl_easy *, int))                                                                \
  F(curl_easy_strerror, const char *, (int))                                                                  \
  F(curl_slist_append, ccurl_list *, (ccurl_list *, const char *))                                            \
  F(curl_slist_free_all, void, (ccurl_list *))                                                                \
  F(curl_multi_init, ccurl_multi *, (void))                                                                   \
  F(curl_multi_cleanup, int, (ccurl_multi *))                                                                 \
  F(curl_multi_setopt, int, (ccurl_multi *, int, ...))                                                        \
  F(curl_multi_add_handle, int, (ccurl_multi *, ccurl_easy *))                                                \
  F(curl_multi_remove_handle, int, (ccurl_multi *, ccurl_easy *))                                             \
  F(curl_multi_perform, int, (ccurl_multi *, int *))                                                          \
  F(curl_multi_poll, int, (ccurl_multi *, void *, unsigned, int, int *))                                      \
  F(curl_multi_wakeup, int, (ccurl_multi *))                                                                  \
  F(curl_multi_info_read, ccurl_message_record *, (ccurl_multi *, int *))

#define ZLIB_FUNCTIONS(F)                                                                                     \
  F(inflateInit2_, int, (void *, int, const char *, int))                                                     \
  F(inflate, int, (void *, int))                                                                              \
  F(inflateReset, int, (void *))                                                                              \
  F(inflateEnd, int, (void *))

#define BROTLI_FUNCTIONS(F)                                                                                   \
  F(BrotliDecoderCreateInstance, void *, (void *, void *, void *))                                            \
  F(BrotliDecoderDecompressStream, int,                                                                       \
    (void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *))                                     \
  F(BrotliDecoderDestroyInstance, void, (void *))

// All of these have been stable since libzstd 1.4.
#define ZSTD_FUNCTIONS(F)                                                                                     \
  F(ZSTD_createDStream, void *, (void))                                                                       \
  F(ZSTD_DCtx_setParameter, size_t, (void *, int, int))                                                       \
  F(ZSTD_DCtx_reset, size_t, (void *, int))                                                                   \
  F(ZSTD_decompressStream, size_t, (void *, void *, void *))                                                  \
  F(ZSTD_freeDStream, size_t, (void *))                                                                       \
  F(ZSTD_isError, unsigned, (size_t))

typedef struct {
#define CCURL_POINTER(name, result, arguments) result(*name) arguments;
  CCURL_FUNCTIONS(CCURL_POINTER)
  ZLIB_FUNCTIONS(CCURL_POINTER)
  BROTLI_FUNCTIONS(CCURL_POINTER)
  ZSTD_FUNCTIONS(CCURL_POINTER)
#undef CCURL_POINTER
} ccurl_library;

extern ccurl_library ccurl_found;

// Begins a call that may use the TLS library. Returns 0 if the call must not be made, because this thread is ending the
// process. Any other thread then blocks here forever.
int ccurl_enter(void);
// Ends a call that was begun.
void ccurl_leave(void);
// Registers a handler for the end of the process. Call it once, after libcurl was set up.
void ccurl_watch_process(void);

#endif

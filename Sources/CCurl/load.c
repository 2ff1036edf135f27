#ifdef HELIOGRAPH_CURL

// Lookup of libcurl and of the libraries that decode bodies: zlib, libbrotlidec and libzstd.
//
// On Linux their functions are declared as weak symbols, without a linker flag. FoundationNetworking loads libcurl,
// libcurl loads zlib, and the dynamic linker resolves the symbols from there. If symbols remain unresolved, the
// libraries are opened by name. On Apple's systems they are only opened by name; nothing uses them there by default.

#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

ccurl_library ccurl_found;

#if defined(__ELF__)
#define CCURL_WEAK(name, result, arguments) extern result name arguments __attribute__((weak));
CCURL_FUNCTIONS(CCURL_WEAK)
ZLIB_FUNCTIONS(CCURL_WEAK)
BROTLI_FUNCTIONS(CCURL_WEAK)
ZSTD_FUNCTIONS(CCURL_WEAK)
#define CCURL_LINKED(name) ((void *)&name)
#else
#define CCURL_LINKED(name) NULL
#endif

#if defined(__APPLE__)
// Full paths, because the loader may search the working directory for a bare name. Apple's systems contain no others.
static const char *const curl_names[] = {"/usr/lib/libcurl.4.dylib", NULL};
static const char *const zlib_names[] = {"/usr/lib/libz.1.dylib", NULL};
static const char *const brotli_names[] = {NULL};
static const char *const zstd_names[] = {NULL};
#else
static const char *const curl_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
static const char *const zlib_names[] = {"libz.so.1", NULL};
// Apple's systems have neither under a name that a program may open.
static const char *const brotli_names[] = {"libbrotlidec.so.1", NULL};
static const char *const zstd_names[] = {"libzstd.so.1", NULL};
#endif

static void *open_first(const char *const *names) {
  for (; *names; names++) {
    void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

// All functions come either from the process or from one library, because two versions must not be mixed.
#define CCURL_IS_LINKED(name, result, arguments) is_linked = is_linked && CCURL_LINKED(name) != NULL;
#define CCURL_TAKE(name, result, arguments) \
  ccurl_found.name = (result(*) arguments)(is_linked ? CCURL_LINKED(name) : dlsym(library, #name)); \
  is_complete = is_complete && ccurl_found.name != NULL;

#define CCURL_FIND(name, functions, names)           \
  static int name(void) {                            \
    int is_linked = 1, is_complete = 1;              \
    functions(CCURL_IS_LINKED)                       \
    void *library = is_linked ? NULL : open_first(names); \
    if (!is_linked && !library) return 0;            \
    functions(CCURL_TAKE)                            \
    return is_complete;                              \
  }

CCURL_FIND(find_curl, CCURL_FUNCTIONS, curl_names)
CCURL_FIND(find_zlib, ZLIB_FUNCTIONS, zlib_names)
CCURL_FIND(find_brotli, BROTLI_FUNCTIONS, brotli_names)
CCURL_FIND(find_zstd, ZSTD_FUNCTIONS, zstd_names)

int ccurl_load(void) {
  const char *hidden = getenv("HELIOGRAPH_WITHOUT_CURL");
  if (hidden && strcmp(hidden, "1") == 0) return 0;
  if (!find_curl()) return 0;
  if (!find_zlib()) ccurl_found.inflate = NULL;
  if (!find_brotli()) ccurl_found.BrotliDecoderDecompressStream = NULL;
  if (!find_zstd()) ccurl_found.ZSTD_decompressStream = NULL;
  const long everything = 3;
  if (ccurl_found.curl_global_init(everything) != CCURL_OK) return 0;
  // Registered last, because exit handlers run in reverse order and the TLS library has already registered its own.
  ccurl_watch_process();
  return 1;
}

const char *ccurl_version(void) { return ccurl_found.curl_version ? ccurl_found.curl_version() : ""; }

unsigned ccurl_version_number(void) {
  // "libcurl/7.88.1 …"
  const char *text = strchr(ccurl_version(), '/');
  unsigned number = 0;
  for (int part = 0; part < 3 && text; part++) {
    char *end = NULL;
    number = number << 8 | (unsigned)(strtoul(text + 1, &end, 10) & 0xff);
    text = end && *end == '.' ? end : NULL;
    if (!text) number <<= 8 * (2 - part), part = 3;
  }
  return number;
}

#endif

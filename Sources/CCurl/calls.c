#ifdef HELIOGRAPH_CURL

// Calls of libcurl with fixed argument types: Swift cannot call variadic functions, and a variadic argument of the
// wrong type is undefined behaviour.

#include "library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define FOUND ccurl_found

ccurl_easy *ccurl_easy_make(void) { return FOUND.curl_easy_init(); }
void ccurl_easy_free(ccurl_easy *easy) {
  if (!ccurl_enter()) return;
  FOUND.curl_easy_cleanup(easy);
  ccurl_leave();
}

long ccurl_set_long(ccurl_easy *easy, long option, long value) { return FOUND.curl_easy_setopt(easy, (int)option, value); }
long ccurl_set_size(ccurl_easy *easy, long option, int64_t value) {
  return FOUND.curl_easy_setopt(easy, (int)option, value);
}
long ccurl_set_pointer(ccurl_easy *easy, long option, const void *value) {
  return FOUND.curl_easy_setopt(easy, (int)option, value);
}
// libcurl's `struct curl_blob`.
typedef struct {
  void *bytes;
  size_t count;
  unsigned flags;
} blob;

long ccurl_set_blob(ccurl_easy *easy, long option, void *bytes, size_t count) {
  const unsigned no_copy = 0;
  blob value = {bytes, count, no_copy};
  return FOUND.curl_easy_setopt(easy, (int)option, &value);
}
long ccurl_set_data_callback(ccurl_easy *easy, long option, ccurl_data_callback callback) {
  return FOUND.curl_easy_setopt(easy, (int)option, callback);
}
long ccurl_set_seek_callback(ccurl_easy *easy, ccurl_seek_callback callback) {
  return FOUND.curl_easy_setopt(easy, CCURL_OPT_SEEKFUNCTION, callback);
}
long ccurl_set_request_callback(ccurl_easy *easy, ccurl_request_callback callback) {
  return FOUND.curl_easy_setopt(easy, CCURL_OPT_PREREQFUNCTION, callback);
}

long ccurl_set_socket_callback(ccurl_easy *easy, ccurl_socket_callback callback) {
  return FOUND.curl_easy_setopt(easy, CCURL_OPT_SOCKOPTFUNCTION, callback);
}

// The beginning of libcurl's `struct curl_sockaddr`.
typedef struct {
  int family, type, protocol;
} socket_address;

static int open_socket(void *context, int purpose, socket_address *address) {
  (void)purpose;
#ifdef SOCK_CLOEXEC
  const int descriptor = socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
#else
  const int descriptor = socket(address->family, address->type, address->protocol);
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
  // Any other error, such as that of a missing address family, concerns one address only.
  if (descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    *(int *)context = errno;
  } else if (descriptor >= 0) {
    // An address is tried after all.
    *(int *)context = 0;
  }
  return descriptor;
}

long ccurl_open_sockets_close_on_exec(ccurl_easy *easy, int *shortage) {
  FOUND.curl_easy_setopt(easy, CCURL_OPT_OPENSOCKETDATA, shortage);
  return FOUND.curl_easy_setopt(easy, CCURL_OPT_OPENSOCKETFUNCTION, open_socket);
}

// Returns whether an address has a port and, unless the text is no address of its family, also the text.
static int has_address(const struct sockaddr_storage *address, const char *text, int port) {
  unsigned char bytes[sizeof(struct in6_addr)];
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *found = (const struct sockaddr_in *)address;
    return ntohs(found->sin_port) == port
           && (inet_pton(AF_INET, text, bytes) != 1 || memcmp(bytes, &found->sin_addr, sizeof found->sin_addr) == 0);
  }
  if (address->ss_family != AF_INET6) return 0;
  const struct sockaddr_in6 *found = (const struct sockaddr_in6 *)address;
  return ntohs(found->sin6_port) == port
         && (inet_pton(AF_INET6, text, bytes) != 1 || memcmp(bytes, &found->sin6_addr, sizeof found->sin6_addr) == 0);
}

int ccurl_connects(int descriptor, const char *local, int local_port, const char *remote, int remote_port) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return 0;
  if (!has_address(&address, local, local_port)) return 0;
  length = sizeof address;
  // A connection that was reset no longer has a peer.
  if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return 1;
  return has_address(&address, remote, remote_port);
}

static int has_event(int descriptor, short events) {
  struct pollfd entry = {.fd = descriptor, .events = events};
  return poll(&entry, 1, 0) > 0;
}

int ccurl_has_input(int descriptor) { return has_event(descriptor, POLLIN); }

int ccurl_is_closed(int descriptor) {
#ifdef __linux__
  const short peer_closed = 0x2000;  // POLLRDHUP
#else
  const short peer_closed = 0;  // POLLHUP, which needs no request
#endif
  return has_event(descriptor, peer_closed);
}

static int starts_with(const char *text, size_t count, const char *prefix) {
  size_t length = strlen(prefix);
  return count >= length && memcmp(text, prefix, length) == 0;
}

static int read_log(ccurl_easy *easy, int kind, char *text, size_t count, void *context) {
  if (kind != CCURL_DEBUG_TEXT) return 0;
  // "Excess found …" since 7.10, "Leftovers after chunking: …" since 7.19.
  if (starts_with(text, count, "Excess found") || starts_with(text, count, "Leftovers after chunking")) {
    *(int *)context = 1;
    // More may follow, which would be read as the next response. Not all versions close the connection.
    FOUND.curl_easy_setopt(easy, CCURL_OPT_FORBID_REUSE, 1L);
  }
  return 0;
}

long ccurl_watch_excess(ccurl_easy *easy, int *flag) {
  FOUND.curl_easy_setopt(easy, CCURL_OPT_DEBUGFUNCTION, read_log);
  return FOUND.curl_easy_setopt(easy, CCURL_OPT_DEBUGDATA, flag);
}

void ccurl_pause(ccurl_easy *easy, long directions) {
  if (!ccurl_enter()) return;
  FOUND.curl_easy_pause(easy, (int)directions);
  ccurl_leave();
}

int64_t ccurl_info(ccurl_easy *easy, long info) {
  if ((info & 0xf00000) == 0x600000) {
    int64_t value = 0;
    return FOUND.curl_easy_getinfo(easy, (int)info, &value) == CCURL_OK ? value : 0;
  }
  long value = 0;
  return FOUND.curl_easy_getinfo(easy, (int)info, &value) == CCURL_OK ? value : 0;
}

const char *ccurl_info_text(ccurl_easy *easy, long info) {
  char *value = NULL;
  return FOUND.curl_easy_getinfo(easy, (int)info, &value) == CCURL_OK ? value : NULL;
}

void *ccurl_context(ccurl_easy *easy) {
  void *value = NULL;
  return FOUND.curl_easy_getinfo(easy, CCURL_INFO_PRIVATE, &value) == CCURL_OK ? value : NULL;
}

const char *ccurl_message(long code) { return FOUND.curl_easy_strerror((int)code); }

ccurl_list *ccurl_list_append(ccurl_list *list, const char *text) { return FOUND.curl_slist_append(list, text); }
void ccurl_list_free(ccurl_list *list) { FOUND.curl_slist_free_all(list); }

ccurl_multi *ccurl_multi_make(void) { return FOUND.curl_multi_init(); }
void ccurl_multi_free(ccurl_multi *multi) {
  if (!ccurl_enter()) return;
  FOUND.curl_multi_cleanup(multi);
  ccurl_leave();
}
void ccurl_multi_set_long(ccurl_multi *multi, long option, long value) {
  FOUND.curl_multi_setopt(multi, (int)option, value);
}
long ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy) { return FOUND.curl_multi_add_handle(multi, easy); }
void ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy) {
  if (!ccurl_enter()) return;
  FOUND.curl_multi_remove_handle(multi, easy);
  ccurl_leave();
}

void ccurl_multi_work(ccurl_multi *multi) {
  int running = 0;
  if (!ccurl_enter()) return;
  FOUND.curl_multi_perform(multi, &running);
  ccurl_leave();
}

void ccurl_multi_wait(ccurl_multi *multi, int milliseconds) {
  FOUND.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}

void ccurl_rest(int milliseconds) { poll(NULL, 0, milliseconds); }

int ccurl_multi_wake(ccurl_multi *multi) { return FOUND.curl_multi_wakeup(multi); }

ccurl_easy *ccurl_multi_next_done(ccurl_multi *multi, long *result) {
  int remaining = 0;
  // libcurl has messages about finished transfers only.
  ccurl_message_record *record = FOUND.curl_multi_info_read(multi, &remaining);
  if (!record) return NULL;
  *result = record->data.result;
  return record->easy;
}

#endif

#ifdef HELIOGRAPH_CURL

// libcurl's multi interface, driven by the sockets that it names.
//
// `curl_multi_perform` would look at every transfer in every turn, mostly with a system call for each. Here one `poll` finds
// the sockets that are ready, and only their transfers are worked on, and those whose time has come.

#include "library.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif
#include <unistd.h>

#define FOUND ccurl_found

struct ccurl_multi {
  void *handle;
  // The sockets that transfers wait for, after the descriptor that ends a wait.
  struct pollfd *watched;
  int count, capacity;
  // The index of each descriptor in `watched`; 0 if it is not there.
  int *indexes;
  int index_count;
  // The descriptor that is written to in order to end a wait.
  int waker;
};

// Opens the descriptors that end a wait, closed in children. Returns 0 if there are none left.
static int open_waker(ccurl_multi *multi, int *waiter) {
#ifdef __linux__
  *waiter = multi->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return multi->waker >= 0;
#else
  int ends[2];
  if (pipe(ends) != 0) return 0;
  for (int end = 0; end < 2; end++) {
    fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
  }
  *waiter = ends[0];
  multi->waker = ends[1];
  return 1;
#endif
}

static void *grow(void *memory, int *capacity, int least, size_t size) {
  int wanted = *capacity ? *capacity : 16;
  while (wanted < least) wanted *= 2;
  memory = realloc(memory, (size_t)wanted * size);
  if (memory) *capacity = wanted;
  return memory;
}

// Returns the place of a new descriptor in the list, or null if memory is exhausted.
static struct pollfd *add(ccurl_multi *multi, int descriptor) {
  if (multi->count == multi->capacity) {
    struct pollfd *longer = grow(multi->watched, &multi->capacity, multi->count + 1, sizeof *longer);
    if (!longer) return NULL;
    multi->watched = longer;
  }
  if (descriptor >= multi->index_count) {
    const int before = multi->index_count;
    int *longer = grow(multi->indexes, &multi->index_count, descriptor + 1, sizeof *longer);
    if (!longer) return NULL;
    for (int index = before; index < multi->index_count; index++) longer[index] = 0;
    multi->indexes = longer;
  }
  multi->indexes[descriptor] = multi->count;
  struct pollfd *entry = &multi->watched[multi->count++];
  *entry = (struct pollfd){.fd = descriptor};
  return entry;
}

static void drop(ccurl_multi *multi, int descriptor) {
  const int index = descriptor < multi->index_count ? multi->indexes[descriptor] : 0;
  if (index == 0) return;
  multi->indexes[descriptor] = 0;
  const int last = --multi->count;
  if (index == last) return;
  multi->watched[index] = multi->watched[last];
  multi->indexes[multi->watched[index].fd] = index;
}

// Takes note of what libcurl waits for on a socket.
static int on_socket(ccurl_easy *easy, int descriptor, int what, void *context, void *mark) {
  (void)easy, (void)mark;
  ccurl_multi *multi = context;
  const int is_watched = what == CCURL_POLL_IN || what == CCURL_POLL_OUT || what == CCURL_POLL_INOUT;
  if (!is_watched) {
    drop(multi, descriptor);
    return 0;
  }
  const int index = descriptor < multi->index_count ? multi->indexes[descriptor] : 0;
  struct pollfd *entry = index ? &multi->watched[index] : add(multi, descriptor);
  if (!entry) return -1;
  entry->events = (what != CCURL_POLL_OUT ? POLLIN : 0) | (what != CCURL_POLL_IN ? POLLOUT : 0);
  return 0;
}

ccurl_multi *ccurl_multi_make(void) {
  ccurl_multi *multi = calloc(1, sizeof *multi);
  int waiter = -1;
  if (!multi) return NULL;
  if (!open_waker(multi, &waiter)) {
    free(multi);
    return NULL;
  }
  struct pollfd *first = add(multi, waiter);
  if (first) first->events = POLLIN;
  multi->handle = first ? FOUND.curl_multi_init() : NULL;
  if (!multi->handle) {
    ccurl_multi_free(multi);
    return NULL;
  }
  FOUND.curl_multi_setopt(multi->handle, CCURL_MULTI_SOCKETFUNCTION, on_socket);
  FOUND.curl_multi_setopt(multi->handle, CCURL_MULTI_SOCKETDATA, multi);
  return multi;
}

void ccurl_multi_free(ccurl_multi *multi) {
  if (multi->handle) {
    if (!ccurl_enter()) return;
    FOUND.curl_multi_cleanup(multi->handle);
    ccurl_leave();
  }
  if (multi->count && multi->watched[0].fd != multi->waker) close(multi->watched[0].fd);
  close(multi->waker);
  free(multi->watched);
  free(multi->indexes);
  free(multi);
}

long ccurl_multi_set_long(ccurl_multi *multi, long option, long value) {
  return FOUND.curl_multi_setopt(multi->handle, (int)option, value);
}

long ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy) { return FOUND.curl_multi_add_handle(multi->handle, easy); }

int ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy) {
  if (!ccurl_enter()) return CCURL_OK;
  const int result = FOUND.curl_multi_remove_handle(multi->handle, easy);
  ccurl_leave();
  return result;
}

static void act(ccurl_multi *multi, int descriptor, int events) {
  int running = 0;
  FOUND.curl_multi_socket_action(multi->handle, descriptor, events, &running);
}

// Returns what libcurl is told of a socket: an error is found by reading, or else by writing.
static int told(short events, short found) {
  const short failed = POLLERR | POLLHUP | POLLNVAL;
  int result = 0;
  if (events & POLLIN && found & (POLLIN | failed)) result |= CCURL_SELECT_IN;
  if (events & POLLOUT && found & POLLOUT) result |= CCURL_SELECT_OUT;
  if (!result) result = CCURL_SELECT_ERR;
  return result;
}

void ccurl_multi_work(ccurl_multi *multi) {
  if (!ccurl_enter()) return;
  // From the end on, because libcurl may drop this socket or others, whose places are then taken by the last ones.
  for (int index = multi->count - 1; index > 0; index--) {
    if (index >= multi->count) continue;
    struct pollfd *entry = &multi->watched[index];
    const short found = entry->revents;
    if (!found) continue;
    entry->revents = 0;
    act(multi, entry->fd, told(entry->events, found));
  }
  act(multi, CCURL_SOCKET_TIMEOUT, 0);
  ccurl_leave();
}

void ccurl_multi_wait(ccurl_multi *multi, int milliseconds) {
  long due = -1;
  FOUND.curl_multi_timeout(multi->handle, &due);
  if (due >= 0 && due < milliseconds) milliseconds = (int)due;
  poll(multi->watched, (nfds_t)multi->count, milliseconds);
  if (!multi->watched[0].revents) return;
  uint64_t wakeups[8];
  while (read(multi->watched[0].fd, wakeups, sizeof wakeups) == sizeof wakeups) {}
}

void ccurl_multi_wake(ccurl_multi *multi) {
  const uint64_t one = 1;
  // It fails only if a wakeup is already waiting.
  (void)!write(multi->waker, &one, sizeof one);
}

ccurl_easy *ccurl_multi_next_done(ccurl_multi *multi, long *result) {
  const int done = 1;
  int left = 0;
  ccurl_message_record *record;
  while ((record = FOUND.curl_multi_info_read(multi->handle, &left))) {
    if (record->message != done) continue;
    *result = record->data.result;
    return record->easy;
  }
  return NULL;
}

void ccurl_keep_wakeup_from_children(ccurl_multi *multi) { ccurl_keep_from_children(multi->handle); }

#endif

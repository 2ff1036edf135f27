#ifdef HELIOGRAPH_CURL

// Process-wide needs of libcurl and its TLS library: an orderly exit, no SIGPIPE and no descriptors inherited by
// children.

#include "library.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The number of threads inside libcurl, and whether the process is about to exit.
static _Atomic int inside_count;
static _Atomic int is_exiting;
static pthread_t exiting_thread;
// The nesting depth of this thread's calls.
static _Thread_local int depth;
// The turn of this thread's loop.
static _Thread_local void *turn;

void *ccurl_turn(void) { return turn; }

void ccurl_set_turn(void *next) { turn = next; }

int ccurl_enter(void) {
  if (depth++ > 0) return 1;
  atomic_fetch_add(&inside_count, 1);
  if (!atomic_load(&is_exiting)) return 1;
  atomic_fetch_sub(&inside_count, 1);
  // The exiting thread continues with other exit handlers, and libcurl is no longer safe to call.
  if (pthread_equal(exiting_thread, pthread_self())) {
    depth = 0;
    return 0;
  }
  for (;;) pause();
}

void ccurl_leave(void) {
  if (--depth == 0) atomic_fetch_sub(&inside_count, 1);
}

int ccurl_step_out(void) {
  const int former_depth = depth;
  if (former_depth > 0) atomic_fetch_sub(&inside_count, 1);
  depth = 0;
  return former_depth;
}

void ccurl_step_in(int former_depth) {
  depth = 0;
  if (former_depth > 0 && ccurl_enter()) depth = former_depth;
}

// Runs before the TLS library's own exit handler, which frees memory that other threads use. It waits until no other
// thread is inside and keeps them out. `exit` may also be called on such a thread. The wait is limited, so that the
// process always exits.
static void await_inside_threads(void) {
  exiting_thread = pthread_self();
  atomic_store(&is_exiting, 1);
  const struct timespec pause = {.tv_nsec = 200000};
  const int own_count = depth > 0;
  for (int round = 0; atomic_load(&inside_count) > own_count && round < 25000; round++) nanosleep(&pause, NULL);
}

// A forked child contains only the thread that forked.
static void begin_child(void) { atomic_store(&inside_count, depth > 0); }

int ccurl_descriptor_shortage(void) {
  // Those that a failed attempt has freed do not count.
  int descriptors[4];
  int count = 0;
  int error = 0;
  while (count < 4 && !error) {
    descriptors[count] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptors[count] >= 0) {
      count++;
    } else if (errno == EMFILE || errno == ENFILE) {
      error = errno;
    } else {
      break;
    }
  }
  while (count > 0) close(descriptors[--count]);
  return error;
}

int ccurl_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return INT_MAX;
  return (int)limit.rlim_cur;
}

void ccurl_watch_process(void) {
  pthread_atfork(NULL, NULL, begin_child);
  atexit(await_inside_threads);
}

int ccurl_start_thread(void *(*run)(void *), void *context) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, run, context);
  pthread_attr_destroy(&attributes);
  return error;
}

void ccurl_begin_loop(void) {
#ifdef __linux__
  prctl(PR_SET_NAME, "heliograph.curl", 0, 0, 0);
#elif defined(__APPLE__)
  pthread_setname_np("heliograph.curl");
#endif
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#ifdef __linux__
#include <linux/sockios.h>

// Returns the number of bytes that wait to be read from a descriptor or by its peer, or -1 if it is not a pipe or Unix
// socket that a child would inherit.
static int waiting_bytes(int descriptor) {
  struct stat status;
  const int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0 || (flags & FD_CLOEXEC) || fstat(descriptor, &status) != 0) return -1;
  int readable = 0, unread = 0;
  if (S_ISSOCK(status.st_mode)) {
    int domain = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_UNIX) return -1;
    if (ioctl(descriptor, SIOCOUTQ, &unread) != 0) return -1;
  } else if (!S_ISFIFO(status.st_mode)) {
    return -1;
  }
  return ioctl(descriptor, FIONREAD, &readable) == 0 ? readable + unread : -1;
}

void ccurl_keep_wakeup_from_children(ccurl_multi *multi) {
  // Both ends are identified by the effect of a wakeup on them.
  enum { candidate_limit = 256 };
  int candidates[candidate_limit], count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return;
  for (struct dirent *entry; count < candidate_limit && (entry = readdir(folder));) {
    const int descriptor = atoi(entry->d_name);
    if (descriptor > 2 && waiting_bytes(descriptor) == 0) candidates[count++] = descriptor;
  }
  closedir(folder);
  ccurl_found.curl_multi_wakeup(multi);
  for (int index = 0; index < count; index++) {
    if (waiting_bytes(candidates[index]) > 0) fcntl(candidates[index], F_SETFD, FD_CLOEXEC);
  }
}
#else
void ccurl_keep_wakeup_from_children(ccurl_multi *multi) { (void)multi; }
#endif

#endif

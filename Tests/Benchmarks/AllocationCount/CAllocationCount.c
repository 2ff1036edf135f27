// Counts heap allocations by standing in for malloc and its relatives, which glibc lets an executable do.
// While the switch is off this costs one load and one branch per allocation.

#include "CAllocationCount.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if defined(__linux__)
#include <errno.h>
#include <features.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#endif

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool is_counting;
static atomic_long allocations;

static inline void count(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t count_of, size_t size) {
  count();
  return __libc_calloc(count_of, size);
}

void *realloc(void *block, size_t size) {
  count();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  count();
  void *block = __libc_memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

void allocation_count_start(void) {
  atomic_store(&allocations, 0);
  atomic_store(&is_counting, 1);
}

long allocation_count_stop(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&allocations);
}

#else

void allocation_count_start(void) {}

long allocation_count_stop(void) { return -1; }

#endif

#if defined(__linux__)

long allocation_count_resident_bytes(void) {
  // Plain system calls, so that looking does not allocate.
  char text[128];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return -1;
  text[length] = 0;
  char *rest = NULL;
  strtol(text, &rest, 10);
  return strtol(rest, NULL, 10) * sysconf(_SC_PAGESIZE);
}

#elif defined(__APPLE__)
#include <mach/mach.h>

long allocation_count_resident_bytes(void) {
  mach_task_basic_info_data_t info;
  mach_msg_type_number_t size = MACH_TASK_BASIC_INFO_COUNT;
  if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &size) != KERN_SUCCESS) return -1;
  return (long)info.resident_size;
}

#else

long allocation_count_resident_bytes(void) { return -1; }

#endif

#include "TestWidth.h"

#include <stdlib.h>
#include <sys/resource.h>

// Swift Testing starts all tests at once, thousands of them on a pool of as many threads as the processor has cores, so that each
// waits for all others and a timeout of seconds measures the machine. From Swift 6.3 it reads this variable; older versions ignore it.
__attribute__((constructor)) static void set_width(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", TEST_WIDTH, 0);
}

// Some tests open a thousand connections, with both ends in this process, beside others; a usual limit is 1,024 descriptors.
__attribute__((constructor)) static void set_descriptor_limit(void) {
  struct rlimit limit;
  const rlim_t wanted = 8192;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

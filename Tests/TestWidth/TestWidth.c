#include "TestWidth.h"

#include <stdlib.h>

// Swift Testing starts all tests at once, thousands of them on a pool of as many threads as the processor has cores, so that each
// waits for all others and a timeout of seconds measures the machine. From Swift 6.3 it reads this variable; older versions ignore it.
__attribute__((constructor)) static void set_width(void) {
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", TEST_WIDTH, 0);
}

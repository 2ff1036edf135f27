// What Apple's pthread.h declares otherwise, for `.ci/apple-check`.
#include_next <pthread.h>

int pthread_setname_np(const char *);

/// How many tests run at once, unless the environment says otherwise: see TestWidth.c.
#define TEST_WIDTH "6"

#ifndef HELIOGRAPH_ALLOCATION_COUNT_H
#define HELIOGRAPH_ALLOCATION_COUNT_H

/// Starts to count the heap allocations of all threads of the process, from zero.
void allocation_count_start(void);

/// Stops counting and returns the number of allocations, or -1 where they cannot be counted.
long allocation_count_stop(void);

/// The resident memory of the process in bytes, or -1 where it is not known.
long allocation_count_resident_bytes(void);

#endif

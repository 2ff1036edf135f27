// The part of xnu's mach/mach.h and mach/task_info.h that the sources use, for `.ci/apple-check`.
#include <stdint.h>

typedef int kern_return_t;
typedef int integer_t;
typedef unsigned int natural_t;
typedef unsigned int mach_port_t;
typedef natural_t mach_msg_type_number_t;
typedef natural_t task_flavor_t;
typedef integer_t *task_info_t;
typedef struct {
  uint64_t virtual_size, resident_size, resident_size_max;
  integer_t user_time[2], system_time[2], policy, suspend_count;
} mach_task_basic_info_data_t;

#define KERN_SUCCESS 0
#define MACH_TASK_BASIC_INFO 20
#define MACH_TASK_BASIC_INFO_COUNT \
  ((mach_msg_type_number_t)(sizeof(mach_task_basic_info_data_t) / sizeof(natural_t)))

mach_port_t mach_task_self(void);
kern_return_t task_info(mach_port_t, task_flavor_t, task_info_t, mach_msg_type_number_t *);

// Loaded before a program (LD_PRELOAD): its monotonic clock tells the processor time of the thread that asks. A launch
// on one host thread runs in the thread that asks for its time, so that what else the machine does is not counted.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec* time) {
    return (int)syscall(SYS_clock_gettime, which == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : which, time);
}

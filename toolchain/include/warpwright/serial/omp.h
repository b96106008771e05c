// OpenMP's functions for host code where the compiler's OpenMP library is not installed: the pragmas are passed over then,
// and the program has one thread.
#pragma once

#include <time.h>

typedef struct { int held; } omp_lock_t;
inline int omp_get_thread_num(void) { return 0; }
inline int omp_get_num_threads(void) { return 1; }
inline int omp_get_max_threads(void) { return 1; }
inline int omp_get_num_procs(void) { return 1; }
inline int omp_in_parallel(void) { return 0; }
inline void omp_set_num_threads(int) {}
inline void omp_set_dynamic(int) {}
inline void omp_set_nested(int) {}
inline double omp_get_wtime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
inline double omp_get_wtick(void) { return 1e-9; }
inline void omp_init_lock(omp_lock_t* lock) { lock->held = 0; }
inline void omp_destroy_lock(omp_lock_t*) {}
inline void omp_set_lock(omp_lock_t* lock) { lock->held = 1; }
inline void omp_unset_lock(omp_lock_t* lock) { lock->held = 0; }
inline int omp_test_lock(omp_lock_t* lock) { return lock->held ? 0 : (lock->held = 1); }

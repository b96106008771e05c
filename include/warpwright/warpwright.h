/* Warpwright's C interface: the emulated GPU of this process, for programs in any language (the Python package is made of
 * it). It is in libwarpwright_cuda.so and shares the state of our runtime and driver libraries: addresses, launches and
 * profiles are those of cudaMalloc, cuLaunchKernel and so on in the same process.
 *
 *     ww_module* module; ww_kernel* kernel; ww_result* result;
 *     if (ww_compile("saxpy.cu", NULL, NULL, 0, NULL, 0, &module) || ww_module_kernel(module, "saxpy", &kernel)) ...
 *     ww_argument a[] = {{WW_HOST, x, sizeof x, 0}, {WW_HOST, y, sizeof y, 0}, {WW_VALUE, &n, sizeof n, 0}};
 *     ww_shape shape = {{16, 1, 1}, {256, 1, 1}, 0, 0};
 *     if (ww_launch(kernel, &shape, a, 3, &result)) puts(ww_error());
 *     puts(ww_result_json(result));          // counts, bound, predicted time, lines: docs/python.md
 *
 * Every call that can fail returns a ww_status; ww_error() and ww_error_json() then describe the calling thread's last
 * failure. Handles are opaque. Texts that a handle gives are valid until the handle is released; other texts are to be
 * given to ww_text_release(). Any thread may call; nothing here prints. The interface only grows: functions and the
 * values of enumerations keep their meanings as long as ww_interface_version() is the same. */
#ifndef WARPWRIGHT_H
#define WARPWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WW_INTERFACE_VERSION 1
int ww_interface_version(void);
const char* ww_version(void); /* MAJOR.MINOR.PATCH */

typedef enum ww_status {
    WW_OK = 0,
    WW_USAGE = 1,     /* an argument is wrong */
    WW_INPUT = 2,     /* a source or file that cannot be used */
    WW_FAULT = 3,     /* the kernel did something wrong: a bad access, a deadlock, a trap */
    WW_LIMIT = 4,     /* over a limit of the device model */
    WW_NO_DEVICE = 5, /* a missing device or tool, for example the compiler */
    WW_INTERNAL = 6   /* a defect of ours */
} ww_status;

const char* ww_error(void); /* "kernel.cu:3:5: error: ... (hint)"; empty: the last call of this thread succeeded */
/* {"kind": "fault", "cause": "out-of-bounds", "what": ..., "file": ..., "line": 3, "column": 5, "hint": ..., "text": ...} */
const char* ww_error_json(void);

/* The device of this process: it starts at the first use, with the settings of the environment (docs/settings.md).
 * {"model": "h200", "title": ..., "compute_capability": 90, "multiprocessors": 132, "memory": bytes, ...} */
ww_status ww_start(char** json);
ww_status ww_synchronize(void); /* waits for all streams */
void ww_text_release(char* text);

/* Modules. `source` is CUDA C++, or NULL: the file `name` is read. `flags` are the compiler's (docs/compile.md). `instances`
 * name instances of kernel templates that the source shall have: "scale<float, 16>". Needs clang 19; PTX needs nothing. */
typedef struct ww_module ww_module;
typedef struct ww_kernel ww_kernel; /* belongs to its module */
ww_status ww_compile(const char* name, const char* source, const char* const* flags, size_t flag_count,
                     const char* const* instances, size_t instance_count, ww_module** module);
ww_status ww_load_ptx(const char* name, const char* text, ww_module** module);
void ww_module_release(ww_module* module);
const char* ww_module_ptx(ww_module* module);
const char* ww_module_json(ww_module* module); /* {"kernels": [{"name": linkage name, "signature": ...}, ...]} */
/* By its name as in the source, with template arguments where there are several, or by its linkage name. */
ww_status ww_module_kernel(ww_module* module, const char* name, ww_kernel** kernel);
/* {"name", "signature", "parameters": [{"type": "u64", "size": 8}, ...], "registers", "static_shared", "local", ...} */
const char* ww_kernel_json(ww_kernel* kernel);

/* Device memory; not initialised (it reads as zeros; ww_check_begin() reports reads of it). */
ww_status ww_allocate(uint64_t bytes, uint64_t* address);
ww_status ww_release(uint64_t address);
ww_status ww_write(uint64_t to, const void* from, uint64_t bytes);
ww_status ww_read(void* to, uint64_t from, uint64_t bytes);

/* Launches. */
typedef struct ww_shape {
    uint32_t grid[3], block[3]; /* in blocks, in threads */
    uint64_t dynamic_shared;    /* bytes per block */
    uint32_t cooperative;       /* 1: the grid may wait for itself */
} ww_shape;
typedef enum ww_argument_kind {
    WW_VALUE = 0,     /* `bytes` bytes at `data`: passed by value; the size must be the parameter's */
    WW_HOST = 1,      /* memory of the host, which the kernel reads and writes in place; a pointer parameter */
    WW_DEVICE = 2,    /* an address of device memory in `data`; a pointer parameter */
    WW_HOST_READ = 3  /* memory of the host that the kernel must not change: WW_USAGE where it did (it is not changed) */
} ww_argument_kind;
typedef struct ww_argument {
    ww_argument_kind kind;
    void* data;
    uint64_t bytes;
} ww_argument;
typedef struct ww_result ww_result;
/* Runs it after all that is queued, and waits for it. WW_FAULT: the kernel ended early; memory has what it wrote. */
ww_status ww_launch(ww_kernel* kernel, const ww_shape* shape, const ww_argument* arguments, size_t count, ww_result** result);
const char* ww_result_json(ww_result* result); /* made at the first call */
int ww_result_has_news(ww_result* result);     /* 1: the kernel printed, or a checker found something */
void ww_result_release(ww_result* result);

/* All launches of this process between both calls, those of the runtime and driver library too: a list of what
 * ww_result_json() gives of one. The second call waits for what is queued. */
typedef struct ww_recording ww_recording;
ww_status ww_record_begin(ww_recording** recording);
ww_status ww_record_end(ww_recording* recording, char** json);
/* The sum of the predicted times of all kernels since its first call in this process, in seconds: waits for what is
 * queued. Autotuners take the difference of two of them for the time of what lies between. Nothing is counted under the
 * checkers, which leave times out. */
ww_status ww_record_seconds(double* seconds);

/* The checkers ("all", "memory,race": docs/check.md) watch all launches between both calls; what they found:
 * {"schema": 1, "findings": [...]}. ww_check_take() gives what was found since the last call of this kind. In a process
 * that `warpwright check` has started all of it goes into that command's report, and these give nothing. */
ww_status ww_check_begin(const char* checkers);
ww_status ww_check_take(char** json);
ww_status ww_check_end(char** json);

/* Nothing is run for these. ww_models: [{"name": "h200", "title": ..., ...}, ...]. */
ww_status ww_models(char** json);
ww_status ww_occupancy(const char* model, uint32_t registers, uint64_t shared, uint64_t threads, char** json);

#ifdef __cplusplus
}
#endif
#endif

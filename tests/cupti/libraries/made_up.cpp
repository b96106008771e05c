#include "made_up.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "profile/cupti_api.hpp"

using namespace warpwright::cupti;

namespace {

constexpr std::uint32_t kLaunch = 307, kLaunchEx = 652, kGraph = 514, kRuntimeLaunch = 211, kRuntimeCopy = 31,
                        kRuntimeSet = 51;

/// MADE_UP_<name> of the environment says what goes wrong.
bool wish(const char* name) {
    const char* value = std::getenv((std::string("MADE_UP_") + name).c_str());
    return value && *value && std::strcmp(value, "0") != 0;
}

struct State {
    std::uint64_t clock = 1000000;  ///< nanoseconds
    std::uint32_t correlation = 100;
    Callback* callback = nullptr;
    std::map<std::uint32_t, bool> watched, enabled;
    BufferWanted* wanted = nullptr;
    BufferFull* full = nullptr;
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, used = 0;
    bool capturing = false;
    // The range profiler.
    bool counting = false, configured = false;
    std::size_t most = 0;
    std::vector<KernelRecord> counted;  ///< launches of the session
    std::vector<std::string> metrics;
};
State s;

template <class Record>
void put(Record record) {
    if (!s.enabled[record.kind]) return;
    const std::size_t size = (sizeof(Record) + 7) / 8 * 8;
    if (s.used + size > s.bytes) {
        if (s.buffer) s.full(nullptr, 0, s.buffer, s.bytes, s.used);
        std::size_t most = 0;
        s.wanted(&s.buffer, &s.bytes, &most);
        s.used = 0;
    }
    std::memcpy(s.buffer + s.used, &record, sizeof record);
    s.used += size;
}

void call(std::uint32_t kind, std::uint32_t function, std::uint64_t start, std::uint32_t correlation) {
    put(ApiRecord{kind, function, start, s.clock, 1, 7, correlation, 0});
}

void launch(const char* kernel, unsigned grid, unsigned block, unsigned shared, std::uint32_t stream, bool extended) {
    const auto correlation = ++s.correlation;
    const auto runtime_start = s.clock;
    s.clock += 1000;
    const auto driver_start = s.clock;
    LaunchShapeHead shape{{grid, 1, 1}, {block, 1, 1}, shared, reinterpret_cast<void*>(std::uintptr_t{stream})};
    LaunchParameters plain{reinterpret_cast<void*>(0x77), {grid, 1, 1}, {block, 1, 1}, shared, shape.stream};
    LaunchExParameters ex{&shape, plain.function};
    CallbackData data{};
    data.parameters = extended ? static_cast<const void*>(&ex) : &plain;
    data.symbol = kernel, data.context = &s, data.correlation = correlation;
    const auto function = extended ? kLaunchEx : kLaunch;
    const auto tell = [&](int site) {
        data.site = site;
        if (s.callback && s.watched[function]) s.callback(nullptr, domain::driver_api, function, &data);
    };
    tell(site_enter);
    KernelRecord r{};
    r.kind = kind::concurrent_kernel;
    r.registers = 24, r.device = 0, r.context = 1, r.stream = stream;
    r.grid[0] = static_cast<int>(grid), r.block[0] = static_cast<int>(block);
    r.grid[1] = r.grid[2] = r.block[1] = r.block[2] = 1;
    r.static_shared = 128, r.dynamic_shared = static_cast<int>(shared), r.correlation = correlation, r.name = kernel;
    const int passes = s.counting ? 9 : 1;
    if (s.counting) s.counted.push_back(r);
    for (int pass = 0; pass < passes; ++pass) {
        r.start = s.clock, s.clock += 10 * grid, r.end = r.completed = s.clock;
        if (!s.capturing) put(r);
    }
    tell(site_exit);
    s.clock += 500;
    call(kind::driver, function, driver_start, correlation);
    s.clock += 500;
    call(kind::runtime, kRuntimeLaunch, runtime_start, correlation);
}

/// A made-up counter: its value follows from the launch.
double value_of(const std::string& metric, const KernelRecord& of) {
    const double threads = static_cast<double>(of.grid[0]) * of.block[0], warps = threads / 32;
    if (metric == "gpu__time_duration.sum") return 10.0 * of.grid[0];
    if (metric == "smsp__inst_executed.sum") return 10 * warps;
    if (metric == "smsp__thread_inst_executed.sum") return 10 * threads;
    if (metric == "smsp__inst_executed_op_branch.sum") return 2 * warps;
    if (metric == "smsp__sass_branch_targets_threads_divergent.sum") return 1;
    if (metric == "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") return 2 * warps;
    if (metric == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") return 8 * warps;
    if (metric == "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") return 3;
    if (metric == "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum") return 4;
    if (metric == "smsp__inst_executed_op_shared_ld_pred_on_any.sum") return warps;
    if (metric == "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") return 32 * warps;
    if (metric == "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") return 31 * warps;
    if (metric == "sm__warps_active.avg.pct_of_peak_sustained_active") return 42.5;
    if (metric == "dram__bytes_read.sum" || metric == "dram__bytes_op_read.sum") return 8 * threads;
    if (metric == "dram__bytes_write.sum" || metric == "dram__bytes_op_write.sum") return 4 * threads;
    if (metric == "dram__throughput.avg.pct_of_peak_sustained_elapsed") return 81;
    return 0;
}

bool has_metric(const std::string& name) {
    if (wish("NEW_CHIP") && (name == "dram__bytes_read.sum" || name == "dram__bytes_write.sum")) return false;
    return name.find("__") != std::string::npos && name.find(".") != std::string::npos && name.rfind("none__", 0) != 0;
}

template <class Block>
bool wrong(const Block* b) {
    return !b || b->head.size != announced<Block>;
}

}  // namespace

// ---- CUPTI

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Code cuptiGetVersion(std::uint32_t* v) {
    return *v = wish("OLD") ? 22 : wish("NEWER") ? 990000 : 130001, code::success;
}
EXPORT Code cuptiGetResultString(Code c, const char** text) {
    return *text = c == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_MADE_UP", code::success;
}
EXPORT Code cuptiSubscribe(void** handle, Callback* callback, void*) {
    if (wish("TAKEN")) return code::multiple_subscribers;
    *handle = &s, s.callback = callback;
    return code::success;
}
EXPORT Code cuptiEnableCallback(std::uint32_t on, void*, int, std::uint32_t function) {
    return s.watched[function] = on != 0, code::success;
}
EXPORT Code cuptiGetCallbackName(int domain, std::uint32_t function, const char** name) {
    *name = nullptr;
    if (domain == domain::driver_api)
        *name = function == kLaunch     ? "cuLaunchKernel"
                : function == kLaunchEx ? "cuLaunchKernelEx"
                : function == kGraph    ? "cuGraphLaunch"
                : function < 700        ? "cuOther_v2"
                                        : nullptr;
    else
        *name = function == kRuntimeLaunch ? "cudaLaunchKernel_v7000"
                : function == kRuntimeCopy ? "cudaMemcpy_v3020"
                                           : "cudaMemset_v3020";
    return *name ? code::success : 1;
}
EXPORT Code cuptiGetTimestamp(std::uint64_t* t) { return *t = s.clock, code::success; }
EXPORT Code cuptiGetDeviceId(void*, std::uint32_t* id) { return *id = 0, code::success; }
EXPORT Code cuptiGetStreamIdEx(void*, void* stream, std::uint8_t, std::uint32_t* id) {
    return *id = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream)), code::success;
}
EXPORT Code cuptiActivityRegisterCallbacks(BufferWanted* w, BufferFull* f) {
    return s.wanted = w, s.full = f, code::success;
}
EXPORT Code cuptiActivityEnable(std::uint32_t k) { return s.enabled[k] = true, code::success; }
EXPORT Code cuptiActivityDisable(std::uint32_t k) { return s.enabled[k] = false, code::success; }
EXPORT Code cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t used, std::uint32_t** record) {
    // Records are told apart by kind; the one before says where the next begins.
    std::size_t at = 0;
    if (*record) {
        const auto k = **record;
        const std::size_t size = k == kind::concurrent_kernel ? sizeof(KernelRecord)
                                 : k == kind::memcpy_         ? sizeof(MemcpyRecord)
                                 : k == kind::memset_         ? sizeof(MemsetRecord)
                                                              : sizeof(ApiRecord);
        at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer) + (size + 7) / 8 * 8;
    }
    if (at >= used) return 12;
    *record = reinterpret_cast<std::uint32_t*>(buffer + at);
    return code::success;
}
EXPORT Code cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* n) {
    return *n = wish("DROPS") ? 5 : 0, code::success;
}
EXPORT Code cuptiActivityFlushAll(std::uint32_t) {
    if (s.buffer) s.full(nullptr, 0, s.buffer, s.bytes, s.used);
    s.buffer = nullptr, s.bytes = s.used = 0;
    return code::success;
}
EXPORT Code cuptiProfilerInitialize(Initialize* p) { return wrong(p); }
EXPORT Code cuptiDeviceGetChipName(ChipName* p) { return wrong(p) ? 1 : (p->name = "MADEUP100", code::success); }
EXPORT Code cuptiProfilerGetCounterAvailability(Availability* p) {
    if (wrong(p)) return 1;
    if (wish("FORBIDDEN")) return code::insufficient_privileges;
    p->bytes = 16;
    return code::success;
}
EXPORT Code cuptiProfilerHostInitialize(HostInitialize* p) {
    if (wrong(p) || std::string(p->chip) != "MADEUP100") return 46;
    p->host = new std::vector<std::string>;
    return code::success;
}
EXPORT Code cuptiProfilerHostDeinitialize(HostRelease* p) {
    return delete static_cast<std::vector<std::string>*>(p->host), code::success;
}
EXPORT Code cuptiProfilerHostGetMetricProperties(HostProperties*) { return code::success; }
EXPORT Code cuptiProfilerHostConfigAddMetrics(HostAdd* p) {
    if (wrong(p)) return 1;
    for (std::size_t k = 0; k < p->count; ++k) {
        if (!has_metric(p->metrics[k])) return 1;
        static_cast<std::vector<std::string>*>(p->host)->push_back(p->metrics[k]);
    }
    return code::success;
}
EXPORT Code cuptiProfilerHostGetConfigImageSize(HostImageSize* p) {
    return wrong(p) ? 1 : (p->bytes = 64, code::success);
}
EXPORT Code cuptiProfilerHostGetConfigImage(HostImage* p) { return wrong(p) || p->bytes != 64; }
EXPORT Code cuptiProfilerHostGetNumOfPasses(HostPasses* p) { return wrong(p) ? 1 : (p->passes = 9, code::success); }
EXPORT Code cuptiProfilerHostEvaluateToGpuValues(HostEvaluate* p) {
    if (wrong(p) || p->range >= s.counted.size() || !p->data || p->data[0] != 1) return 1;
    for (std::size_t k = 0; k < p->count; ++k) p->values[k] = value_of(p->metrics[k], s.counted[p->range]);
    return code::success;
}
EXPORT Code cuptiRangeProfilerEnable(RangeEnable* p) {
    return wrong(p) ? 1 : (p->profiler = &s.counted, code::success);
}
EXPORT Code cuptiRangeProfilerGetCounterDataSize(RangeDataSize* p) {
    return wrong(p) || p->nodes < p->ranges ? 1 : (s.most = p->ranges, p->bytes = 128, code::success);
}
EXPORT Code cuptiRangeProfilerCounterDataImageInitialize(RangeDataInitialize* p) {
    return wrong(p) || p->bytes != 128 ? 1 : (p->data[0] = 0, code::success);
}
EXPORT Code cuptiRangeProfilerSetConfig(RangeConfigure* p) {
    if (wrong(p) || p->range != range_auto || p->replay != replay_kernel || p->config_bytes != 64 ||
        p->ranges_per_pass > s.most)
        return 1;
    s.configured = true;
    return code::success;
}
EXPORT Code cuptiRangeProfilerStart(RangeCall* p) {
    if (wrong(p) || !s.configured) return 1;
    if (wish("ALONE") && s.enabled[kind::concurrent_kernel]) return 39;
    s.counting = true, s.counted.clear();
    return code::success;
}
EXPORT Code cuptiRangeProfilerStop(RangeStop* p) {
    if (wrong(p)) return 1;
    s.counting = false, p->all_submitted = 1;
    return code::success;
}
EXPORT Code cuptiRangeProfilerDecodeData(RangeDecode* p) { return wrong(p); }
EXPORT Code cuptiRangeProfilerGetCounterDataInfo(RangeDataInfo* p) {
    if (wrong(p)) return 1;
    p->ranges =
        std::min(s.counted.size(), s.most) - (wish("LOSES") ? 1 : 0) + (wish("ADDS") && s.counted.size() > 1 ? 1 : 0);
    const_cast<std::uint8_t*>(p->data)[0] = 1;
    return code::success;
}

// ---- the driver

EXPORT int cuInit(unsigned) { return wish("NO_GPU") ? 100 : 0; }
EXPORT int cuDriverGetVersion(int* v) { return *v = 13000, 0; }
EXPORT int cuGetErrorName(int, const char** t) { return *t = "CUDA_ERROR_MADE_UP", 0; }
EXPORT int cuGetErrorString(int, const char** t) { return *t = "made up", 0; }
EXPORT int cuDeviceGetCount(int* n) { return *n = 1, 0; }
EXPORT int cuDeviceGet(int* d, int n) { return *d = n, n != 0; }
EXPORT int cuDeviceGetName(char* name, int size, int) {
    return std::snprintf(name, static_cast<std::size_t>(size), "Made-up H200"), 0;
}
EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{150754820096}, 0; }
EXPORT int cuDeviceGetAttribute(int* v, int which, int) {
    return *v = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 132 : which == 10 ? 32 : 1024, 0;
}
EXPORT int cuStreamIsCapturing(void*, int* state) { return *state = s.capturing, 0; }
EXPORT int cuFuncGetAttribute(int* v, int which, void* f) {
    return *v = which == 4 ? 24 : 128, f != reinterpret_cast<void*>(0x77);
}
// What is only looked for is not there to be called.
#define MADE_UP_REST(X)                                                                                          \
    X(cuDevicePrimaryCtxRetain)                                                                                  \
    X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxReset_v2) X(cuCtxSetCurrent) X(cuMemGetInfo_v2)          \
        X(cuMemAlloc_v2) X(cuMemFree_v2) X(cuMemcpyHtoDAsync_v2) X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoDAsync_v2) \
            X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemsetD8Async) X(cuModuleLoadDataEx) X(cuModuleUnload)        \
                X(cuModuleGetFunction) X(cuModuleGetGlobal_v2) X(cuLinkCreate_v2) X(cuLinkAddData_v2)            \
                    X(cuLinkComplete) X(cuLinkDestroy) X(cuFuncSetAttribute)                                     \
                        X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuStreamCreate) X(cuStreamDestroy_v2)   \
                            X(cuStreamSynchronize) X(cuStreamWaitEvent) X(cuEventCreate) X(cuEventDestroy_v2)    \
                                X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize) X(cuEventElapsedTime)     \
                                    X(cuLaunchKernel) X(cuLaunchCooperativeKernel)
#define MADE_UP_ABSENT(name) \
    EXPORT int name() { return 801; }
MADE_UP_REST(MADE_UP_ABSENT)

// ---- what the program says

EXPORT int made_up_start() {
    const char* file = std::getenv("CUDA_INJECTION64_PATH");
    if (!file) return 0;
    void* library = dlopen(file, RTLD_NOW);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), -1;
    auto* initialize = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
    return initialize ? initialize() : -1;
}
EXPORT void made_up_launch(const char* kernel, unsigned grid, unsigned block, unsigned shared, std::uint32_t stream) {
    launch(kernel, grid, block, shared, stream, false);
}
EXPORT void made_up_launch_ex(const char* kernel, unsigned grid, unsigned block, std::uint32_t stream) {
    launch(kernel, grid, block, 0, stream, true);
}
EXPORT void made_up_copy(int kind, std::uint64_t bytes, std::uint32_t stream) {
    const auto correlation = ++s.correlation;
    const auto start = s.clock;
    s.clock += 2000;
    put(MemcpyRecord{kind::memcpy_, static_cast<std::uint8_t>(kind), 2, 3, 0, bytes, start, s.clock, 0, 1, stream,
                     correlation});
    s.clock += 1000;
    call(kind::runtime, kRuntimeCopy, start, correlation);
}
EXPORT void made_up_set(std::uint64_t bytes, std::uint32_t stream) {
    const auto correlation = ++s.correlation;
    const auto start = s.clock;
    s.clock += 700;
    put(MemsetRecord{kind::memset_, 0, bytes, start, s.clock, 0, 1, stream, correlation});
    call(kind::runtime, kRuntimeSet, start, correlation);
}
EXPORT void made_up_graph(const char* kernel) {
    CallbackData data{};
    data.context = &s, data.correlation = ++s.correlation;
    if (s.callback && s.watched[kGraph]) s.callback(nullptr, domain::driver_api, kGraph, &data);
    for (int k = 0; k < 2; ++k) {
        KernelRecord r{};
        r.kind = kind::concurrent_kernel, r.registers = 24, r.stream = 7, r.correlation = data.correlation,
        r.name = kernel;
        for (int d = 0; d < 3; ++d) r.grid[d] = r.block[d] = 1;
        r.start = s.clock, s.clock += 300, r.end = s.clock;
        if (s.counting) s.counted.push_back(r);
        put(r);
    }
    data.site = site_exit;
    if (s.callback && s.watched[kGraph]) s.callback(nullptr, domain::driver_api, kGraph, &data);
}
EXPORT void made_up_capture(int on) { s.capturing = on != 0; }

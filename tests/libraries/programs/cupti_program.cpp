// A program that profiles itself by CUPTI's Activity API and callbacks, as frameworks do, and checks what it is told: a
// kernel, copies, a fill and their calls. It declares what it uses of CUPTI itself.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <map>
#include <string>
#include <vector>

extern "C" {
int cuptiActivityRegisterCallbacks(void (*)(uint8_t**, size_t*, size_t*),
                                   void (*)(void*, uint32_t, uint8_t*, size_t, size_t));
int cuptiActivityRegisterTimestampCallback(uint64_t (*)());
int cuptiActivityEnable(uint32_t);
int cuptiActivityDisable(uint32_t);
int cuptiActivityEnableDriverApi(uint32_t, uint8_t);
int cuptiActivityFlushAll(uint32_t);
int cuptiActivityGetNextRecord(uint8_t*, size_t, uint8_t**);
int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t*);
int cuptiActivityPushExternalCorrelationId(uint32_t, uint64_t);
int cuptiActivityPopExternalCorrelationId(uint32_t, uint64_t*);
int cuptiSubscribe(void**, void (*)(void*, uint32_t, uint32_t, const void*), void*);
int cuptiUnsubscribe(void*);
int cuptiEnableCallback(uint32_t, void*, uint32_t, uint32_t);
int cuptiGetCallbackName(uint32_t, uint32_t, const char**);
int cuptiGetTimestamp(uint64_t*);
int cuptiGetDeviceId(void*, uint32_t*);
int cuptiFinalize();
}

static int failures;
static void expect(bool good, const char* what, double value = 0) {
    if (!good) printf("failed: %s (%g)\n", what, value), ++failures;
}
#define OK(call) expect((call) == 0, #call)

// Numbers that CUPTI publishes.
enum { kMemcpy = 1, kMemset = 2, kDriver = 4, kConcurrentKernel = 10, kExternal = 39 };
enum { kLaunchKernel = 307, kMemAlloc = 243, kRuntimeLaunch = 211, kDomainDriver = 1, kDomainRuntime = 2 };

struct Callback {  // CUpti_CallbackData
    int site;
    const char* function;
    const void* parameters;
    const void* result;
    const char* symbol;
    void* context;
    uint32_t context_id;
    uint64_t* data;
    uint32_t correlation;
};

/// A record as its published offsets have it.
struct Record {
    std::vector<uint8_t> bytes;
    template <class T>
    T at(size_t offset) const {
        T out;
        memcpy(&out, bytes.data() + offset, sizeof out);
        return out;
    }
};
static std::map<uint32_t, std::vector<Record>> records;
static int buffers_out, buffers_used;
static size_t buffer_bytes = 1 << 16;

static void request(uint8_t** buffer, size_t* bytes, size_t* most) {
    *buffer = static_cast<uint8_t*>(malloc(buffer_bytes)), *bytes = buffer_bytes, *most = 0;
    ++buffers_out;
}
static void complete(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
    uint8_t* record = nullptr;
    int status;
    while ((status = cuptiActivityGetNextRecord(buffer, valid, &record)) == 0) {
        uint32_t kind;
        memcpy(&kind, record, sizeof kind);
        const size_t room = size_t(buffer + valid - record);
        records[kind].push_back({{record, record + (room < 256 ? room : 256)}});
    }
    expect(status == 12, "the end of a buffer", status);
    free(buffer);
    --buffers_out, ++buffers_used;
}

static const char kKernel[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p, .param .u32 n) {\n"
    ".reg .u32 %r<4>;\n.reg .u64 %d<3>;\n.reg .f32 %f<2>;\n.reg .pred %q;\n"
    "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r0, %r0, %r1, %r2;\n"
    "ld.param.u32 %r3, [n];\nsetp.ge.u32 %q, %r0, %r3;\n@%q bra END;\n"
    "ld.param.u64 %d0, [p];\ncvta.to.global.u64 %d0, %d0;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n"
    "ld.global.f32 %f0, [%d0];\nadd.f32 %f0, %f0, %f0;\nst.global.f32 [%d0], %f0;\nEND:\nret;\n}\n";

static CUfunction twice;
static CUdeviceptr memory;
static const unsigned kCount = 1000;

static void work() {
    std::vector<float> host(kCount, 1.5f);
    unsigned n = kCount;
    void* arguments[] = {&memory, &n};
    OK(cuMemcpyHtoD(memory, host.data(), kCount * 4));
    OK(cuLaunchKernel(twice, 8, 1, 1, 128, 1, 1, 64, nullptr, arguments, nullptr));
    OK(cuMemsetD8(memory, 0, 400));
    OK(cuMemcpyDtoH(host.data(), memory, kCount * 4));
    OK(cuCtxSynchronize());
    expect(host[999] == 3.0f && host[0] == 0, "the work is done", host[999]);
}

/// The place of work in time is that behind the call that queued it, in the clock's unit; `most` bounds its length.
static void check_kernel(uint64_t before, uint64_t after, double most) {
    expect(records[kConcurrentKernel].size() == 1, "one kernel", double(records[kConcurrentKernel].size()));
    if (records[kConcurrentKernel].empty()) return;
    const Record& k = records[kConcurrentKernel][0];
    expect(!strcmp(k.at<const char*>(104), "twice"), "its name");
    const auto start = k.at<uint64_t>(16), end = k.at<uint64_t>(24);
    expect(start >= before && end > start && start <= after, "its time is within the work's");
    const double length = double(end - start);
    expect(length > 500 && length < most, "its length is predicted", length);
    expect(k.at<int32_t>(52) == 8 && k.at<int32_t>(64) == 128, "its shape");
    expect(k.at<int32_t>(80) == 64, "its dynamic shared memory", k.at<int32_t>(80));
    expect(k.at<uint32_t>(40) == 0 && k.at<uint32_t>(44) == 1 && k.at<uint32_t>(48) == 7, "device, context, stream");
    // The call, the kernel and the program's own number belong together.
    uint32_t launch = 0;
    uint64_t began = 0, ended = 0;
    for (const Record& r : records[kDriver])
        if (r.at<uint32_t>(4) == kLaunchKernel)
            launch = r.at<uint32_t>(32), began = r.at<uint64_t>(8), ended = r.at<uint64_t>(16);
    expect(began >= before && began < ended && start > began && start <= ended, "it begins within its call",
           double(start) - double(began));
    expect(launch != 0 && launch == k.at<uint32_t>(92), "the launch's correlation", launch);
    bool ours = false;
    for (const Record& r : records[kExternal])
        ours |= r.at<uint32_t>(16) == launch && r.at<uint64_t>(8) == 4711 && r.at<uint32_t>(4) == 2;
    expect(ours, "the program's number");
    // Copies and fills: to the device, to the host.
    expect(records[kMemcpy].size() == 2 && records[kMemset].size() == 1, "two copies and a fill");
    if (records[kMemcpy].size() != 2 || records[kMemset].size() != 1) return;
    const Record &in = records[kMemcpy][0], &out = records[kMemcpy][1], &fill = records[kMemset][0];
    expect(in.at<uint8_t>(4) == 1 && out.at<uint8_t>(4) == 2, "directions");
    expect(in.at<uint64_t>(8) == kCount * 4 && fill.at<uint64_t>(8) == 400, "bytes");
    expect(
        in.at<uint64_t>(24) <= start && end <= fill.at<uint64_t>(16) && fill.at<uint64_t>(24) <= out.at<uint64_t>(16),
        "the stream's work stands in its order");
}

static void activities() {
    OK(cuptiActivityRegisterCallbacks(request, complete));
    for (uint32_t kind : {kMemcpy, kMemset, kDriver, kConcurrentKernel, kExternal}) OK(cuptiActivityEnable(kind));
    expect(cuptiActivityEnable(1000) == 21, "no such kind");
    uint64_t before = 0, after = 0;
    OK(cuptiGetTimestamp(&before));
    OK(cuptiActivityPushExternalCorrelationId(2, 4711));
    work();
    uint64_t last = 0;
    OK(cuptiActivityPopExternalCorrelationId(2, &last));
    expect(last == 4711, "the number is taken back");
    expect(cuptiActivityPopExternalCorrelationId(2, &last) == 18, "there is no second one");
    OK(cuptiGetTimestamp(&after));
    OK(cuptiActivityFlushAll(0));
    check_kernel(before, after, 1e5);
    expect(records[kDriver].size() == 5, "five calls", double(records[kDriver].size()));
    // Nothing is told twice, and nothing while nobody asks. One function alone may be asked for.
    records.clear();
    for (uint32_t kind : {kMemcpy, kMemset, kDriver, kConcurrentKernel, kExternal}) OK(cuptiActivityDisable(kind));
    OK(cuptiActivityEnableDriverApi(kLaunchKernel, 1));
    work();
    OK(cuptiActivityFlushAll(1));
    expect(records.size() == 1 && records[kDriver].size() == 1, "one call alone", double(records.size()));
    OK(cuptiActivityEnableDriverApi(kLaunchKernel, 0));
    records.clear();
    work();
    OK(cuptiActivityFlushAll(1));
    expect(records.empty(), "nobody asks");
    expect(buffers_out == 0, "every buffer came back", buffers_out);
}

static uint64_t slow_clock() {
    uint64_t now = 0;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    now = uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
    return now / 4;
}

/// A clock of the program's that counts four nanoseconds; buffers in which two of them have no room.
static void own_clock() {
    OK(cuptiActivityEnable(kConcurrentKernel));
    work();
    OK(cuptiActivityFlushAll(0));
    const auto length = [] {
        const auto& all = records[kConcurrentKernel];
        return all.empty() ? 0.0 : double(all[0].at<uint64_t>(24) - all[0].at<uint64_t>(16));
    };
    const double nanoseconds = length();
    records.clear();
    expect(cuptiActivityRegisterTimestampCallback(nullptr) == 1, "no clock");
    OK(cuptiActivityRegisterTimestampCallback(slow_clock));
    for (uint32_t kind : {kMemcpy, kMemset}) OK(cuptiActivityEnable(kind));
    const uint64_t before = slow_clock();
    buffer_bytes = 256, buffers_used = 0;
    work();
    // What is recorded keeps its kind, whatever is asked for later.
    OK(cuptiActivityDisable(kConcurrentKernel));
    OK(cuptiActivityFlushAll(0));
    expect(buffers_used == 3, "a new buffer where there is no room", buffers_used);
    const uint64_t after = slow_clock();
    expect(!records[kConcurrentKernel].empty() && records[kConcurrentKernel][0].at<uint64_t>(16) >= before &&
               records[kConcurrentKernel][0].at<uint64_t>(16) <= after,
           "on the program's clock");
    expect(length() > nanoseconds / 4 * 0.9 - 2 && length() < nanoseconds / 4 * 1.1 + 2, "in its unit", length());
    // Too small a buffer: what finds no room is counted.
    OK(cuptiActivityEnable(kConcurrentKernel));
    records.clear();
    buffer_bytes = 8;
    work();
    OK(cuptiActivityFlushAll(0));
    size_t dropped = 0;
    OK(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped));
    expect(records.empty() && dropped == 4, "records without room", double(dropped));
    buffer_bytes = 1 << 16;
}

static int entered, left;
static void called(void* user, uint32_t domain, uint32_t id, const void* data) {
    const auto& c = *static_cast<const Callback*>(data);
    expect(user == &entered && domain == kDomainDriver && id == kLaunchKernel, "who is called");
    expect(!strcmp(c.function, "cuLaunchKernel") && c.symbol && !strcmp(c.symbol, "twice"), "function and kernel");
    // The function, then the grid and the block.
    const auto* words = static_cast<const uint32_t*>(c.parameters);
    expect(words[2] == 8 && words[5] == 128 && words[8] == 64, "parameters", words[2]);
    uint32_t device = 99;
    OK(cuptiGetDeviceId(c.context, &device));
    expect(device == 0, "the device", device);
    if (c.site == 0)
        ++entered, *c.data = 99;
    else
        ++left, expect(*c.data == 99 && *static_cast<const int*>(c.result) == 0, "at its end");
}

/// A launch by the runtime has its kernel's name too.
static void called_by_runtime(void* user, uint32_t domain, uint32_t id, const void* data) {
    const auto& c = *static_cast<const Callback*>(data);
    expect(domain == kDomainRuntime && id == kRuntimeLaunch, "a launch", id);
    expect(c.symbol && !strcmp(c.symbol, "twice"), "the kernel of a launch by the runtime");
    ++*static_cast<int*>(user);
}

static void runtime_callbacks() {
    void* subscriber = nullptr;
    int calls = 0;
    unsigned n = kCount;
    void* arguments[] = {&memory, &n};
    OK(cuptiSubscribe(&subscriber, called_by_runtime, &calls));
    OK(cuptiEnableCallback(1, subscriber, kDomainRuntime, kRuntimeLaunch));
    OK(cudaLaunchKernel(reinterpret_cast<const void*>(twice), dim3{8, 1, 1}, dim3{128, 1, 1}, arguments, 0, nullptr));
    OK(cuptiUnsubscribe(subscriber));
    OK(cuCtxSynchronize());
    expect(calls == 2, "at both ends of the launch", calls);
    // What is no subscriber any more enables nothing, for another neither.
    expect(cuptiUnsubscribe(subscriber) == 1, "it has ended");
    expect(cuptiEnableCallback(1, subscriber, kDomainDriver, kLaunchKernel) == 1, "it enables nothing");
}

static void callbacks() {
    void *subscriber = nullptr, *second = nullptr;
    OK(cuptiSubscribe(&subscriber, called, &entered));
    expect(cuptiSubscribe(&second, called, &entered) == 39, "one subscriber");
    OK(cuptiEnableCallback(1, subscriber, kDomainDriver, kLaunchKernel));
    expect(cuptiEnableCallback(1, &second, kDomainDriver, kLaunchKernel) == 1, "no subscriber");
    work();
    OK(cuptiUnsubscribe(subscriber));
    work();
    expect(entered == 1 && left == 1, "called at the beginning and the end", entered);
    const char* name = nullptr;
    OK(cuptiGetCallbackName(kDomainDriver, kMemAlloc, &name));
    expect(name && !strcmp(name, "cuMemAlloc_v2"), "a name");
    expect(cuptiGetCallbackName(kDomainDriver, 5000, &name) == 1, "no name");
}

int main() {
    CUcontext context;
    CUmodule module;
    CUdevice device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, kKernel));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    OK(cuMemAlloc(&memory, kCount * 4));
    activities();
    own_clock();
    callbacks();
    runtime_callbacks();
    // What was not taken is forgotten, and its buffer comes back.
    OK(cuptiActivityEnable(kConcurrentKernel));
    work();
    expect(buffers_out == 1, "a buffer is asked for with the first record", buffers_out);
    OK(cuptiFinalize());
    expect(buffers_out == 0, "it comes back at the end", buffers_out);
    puts(failures ? "failed" : "passed");
    return failures != 0;
}

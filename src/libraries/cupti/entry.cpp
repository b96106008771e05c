// The entry points of libcupti: the Activity API and callbacks as profilers of frameworks use them (activity.hpp,
// subscriber.hpp). Counters are the profile's of `run`; what asks for them here says its name.
#include <cstdint>
#include <cstring>

#include "cudart/state/runtime.hpp"
#include "libraries/cupti/activity.hpp"
#include "libraries/cupti/clock.hpp"
#include "libraries/cupti/subscriber.hpp"

#define WW_ENTRY extern "C" __attribute__((visibility("default")))

using namespace warpwright::libraries::cupti;

namespace {

const char* name_of(int result) {
    switch (result) {
        case kSuccess:
            return "CUPTI_SUCCESS";
        case kInvalidParameter:
            return "CUPTI_ERROR_INVALID_PARAMETER";
        case kMaxLimitReached:
            return "CUPTI_ERROR_MAX_LIMIT_REACHED";
        case kInvalidKind:
            return "CUPTI_ERROR_INVALID_KIND";
        case kQueueEmpty:
            return "CUPTI_ERROR_QUEUE_EMPTY";
        case kNotSupported:
            return "CUPTI_ERROR_NOT_SUPPORTED";
        case kMultipleSubscribers:
            return "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
        default:
            return nullptr;
    }
}

/// Bytes of the record that begins here; 0: it is none of ours.
std::size_t size_of(const std::uint8_t* record) {
    std::uint32_t kind;
    std::memcpy(&kind, record, sizeof kind);
    switch (kind) {
        case kKernel:
        case kConcurrentKernel:
            return sizeof(KernelRecord);
        case kMemcpy:
            return sizeof(MemcpyRecord);
        case kMemcpyPeer:
            return sizeof(PeerRecord);
        case kMemset:
            return sizeof(MemsetRecord);
        case kDriver:
        case kRuntime:
            return sizeof(ApiRecord);
        case kExternalCorrelation:
            return sizeof(ExternalRecord);
        default:
            return 0;
    }
}

/// What callbacks' functions know a subscriber by.
char subscriber;
bool is_subscriber(const void* handle) { return handle == &subscriber && Subscriber::get().is_there(); }
bool has_functions(std::uint32_t domain) { return domain > 0 && domain < kDomains; }

}  // namespace

WW_ENTRY int cuptiGetVersion(std::uint32_t* version) {
    if (!version) return kInvalidParameter;
    *version = WARPWRIGHT_LIBRARY_MAJOR == 13 ? 130000 : 28;
    return kSuccess;
}
WW_ENTRY int cuptiGetResultString(int result, const char** text) {
    const char* name = name_of(result);
    if (!text || !name) return kInvalidParameter;
    *text = name;
    return kSuccess;
}
WW_ENTRY int cuptiGetErrorMessage(int result, const char** text) { return cuptiGetResultString(result, text); }
WW_ENTRY int cuptiGetTimestamp(std::uint64_t* timestamp) {
    if (!timestamp) return kInvalidParameter;
    *timestamp = clock::now();
    return kSuccess;
}
WW_ENTRY int cuptiGetLastError() { return kSuccess; }

// ---- records

WW_ENTRY int cuptiActivityRegisterCallbacks(BufferRequest request, BufferComplete complete) {
    return Activity::get().set_buffers(request, complete);
}
WW_ENTRY int cuptiActivityRegisterTimestampCallback(std::uint64_t (*of_program)()) {
    if (!of_program) return kInvalidParameter;
    Activity::get().set_clock(of_program);
    return kSuccess;
}
WW_ENTRY int cuptiActivityEnable(std::uint32_t kind) { return Activity::get().enable(kind, true); }
WW_ENTRY int cuptiActivityDisable(std::uint32_t kind) { return Activity::get().enable(kind, false); }
// Of one context: every one is recorded.
WW_ENTRY int cuptiActivityEnableContext(void*, std::uint32_t kind) { return Activity::get().enable(kind, true); }
WW_ENTRY int cuptiActivityDisableContext(void*, std::uint32_t kind) { return Activity::get().enable(kind, false); }
WW_ENTRY int cuptiActivityEnableRuntimeApi(std::uint32_t id, std::uint8_t on) {
    return Activity::get().enable_function(kRuntimeApi, id, on);
}
WW_ENTRY int cuptiActivityEnableDriverApi(std::uint32_t id, std::uint8_t on) {
    return Activity::get().enable_function(kDriverApi, id, on);
}
WW_ENTRY int cuptiActivityFlushAll(std::uint32_t) { return Activity::get().flush(); }
WW_ENTRY int cuptiActivityFlush(void*, std::uint32_t, std::uint32_t) { return Activity::get().flush(); }
// Records wait until they are asked for.
WW_ENTRY int cuptiActivityFlushPeriod(std::uint32_t) { return kSuccess; }
WW_ENTRY int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
    if (!buffer || !record) return kInvalidParameter;
    std::size_t at = 0;
    if (*record) {
        if (*record < buffer || static_cast<std::size_t>(*record - buffer) >= valid) return kInvalidParameter;
        at = static_cast<std::size_t>(*record - buffer);
        const std::size_t bytes = valid - at < sizeof(std::uint32_t) ? 0 : size_of(buffer + at);
        if (bytes == 0) return kInvalidKind;
        if (bytes > valid - at) return kMaxLimitReached;
        at += bytes;
    }
    if (valid - at < sizeof(std::uint32_t)) return kMaxLimitReached;
    const std::size_t bytes = size_of(buffer + at);
    if (bytes == 0) return kInvalidKind;
    if (bytes > valid - at) return kMaxLimitReached;
    *record = buffer + at;
    return kSuccess;
}
WW_ENTRY int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
    if (!dropped) return kInvalidParameter;
    *dropped = Activity::get().take_dropped();
    return kSuccess;
}
WW_ENTRY int cuptiActivityPushExternalCorrelationId(std::uint32_t kind, std::uint64_t id) {
    push_external(kind, id);
    return kSuccess;
}
WW_ENTRY int cuptiActivityPopExternalCorrelationId(std::uint32_t kind, std::uint64_t* last) {
    return pop_external(kind, last) ? kSuccess : kQueueEmpty;
}

// Threads are told by the system's numbers, whatever is asked for.
WW_ENTRY int cuptiSetThreadIdType(std::uint32_t) { return kSuccess; }
WW_ENTRY int cuptiGetThreadIdType(std::uint32_t* type) {
    constexpr std::uint32_t kOfSystem = 1;
    if (!type) return kInvalidParameter;
    *type = kOfSystem;
    return kSuccess;
}

// Sizes and numbers of CUPTI's own buffers, and what records say besides: there is nothing to set here.
WW_ENTRY int cuptiActivitySetAttribute(std::uint32_t, std::size_t* bytes, void* value) {
    return bytes && value ? kSuccess : kInvalidParameter;
}
#define WW_CUPTI_NO_EFFECT(name) \
    WW_ENTRY int name(std::uint8_t) { return kSuccess; }
WW_CUPTI_NO_EFFECT(cuptiActivityEnableAllSyncRecords)
WW_CUPTI_NO_EFFECT(cuptiActivityEnableAllocationSource)
WW_CUPTI_NO_EFFECT(cuptiActivityEnableCudaEventDeviceTimestamps)
WW_CUPTI_NO_EFFECT(cuptiActivityEnableDeviceGraph)
WW_CUPTI_NO_EFFECT(cuptiActivityEnableLatencyTimestamps)
WW_CUPTI_NO_EFFECT(cuptiActivityEnableLaunchAttributes)

// ---- callbacks

WW_ENTRY int cuptiSubscribe(void** handle, Callback callback, void* user) {
    if (!handle || !callback) return kInvalidParameter;
    if (!Subscriber::get().begin(callback, user)) return kMultipleSubscribers;
    *handle = &subscriber;
    return kSuccess;
}
WW_ENTRY int cuptiUnsubscribe(void* handle) {
    if (!is_subscriber(handle)) return kInvalidParameter;
    Subscriber::get().end();
    return kSuccess;
}
WW_ENTRY int cuptiEnableCallback(std::uint32_t on, void* handle, std::uint32_t domain, std::uint32_t id) {
    // Numbers of other domains (resources, marks) are few; nothing of theirs happens here.
    if (!is_subscriber(handle) || !has_functions(domain) || id >= kMostFunctions) return kInvalidParameter;
    Subscriber::get().enable(domain, id, on != 0);
    return kSuccess;
}
WW_ENTRY int cuptiEnableDomain(std::uint32_t on, void* handle, std::uint32_t domain) {
    if (!is_subscriber(handle) || !has_functions(domain)) return kInvalidParameter;
    Subscriber::get().enable_domain(domain, on != 0);
    return kSuccess;
}
WW_ENTRY int cuptiEnableAllDomains(std::uint32_t on, void* handle) {
    if (!is_subscriber(handle)) return kInvalidParameter;
    for (std::uint32_t domain = 1; domain < kDomains; ++domain) Subscriber::get().enable_domain(domain, on != 0);
    return kSuccess;
}
WW_ENTRY int cuptiGetCallbackState(std::uint32_t* on, void* handle, std::uint32_t domain, std::uint32_t id) {
    if (!on || !is_subscriber(handle) || !has_functions(domain) || id >= kMostFunctions) return kInvalidParameter;
    *on = Subscriber::get().enabled(domain, id);
    return kSuccess;
}
WW_ENTRY int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t id, const char** name) {
    if (!name) return kInvalidParameter;
    const char* found = callback_name(domain, id);
    if (found) *name = found;
    return found ? kSuccess : kInvalidParameter;
}

WW_ENTRY int cuptiFinalize() {
    Activity::get().reset();
    Subscriber::get().end();
    return kSuccess;
}

// ---- numbers of contexts and devices

WW_ENTRY int cuptiGetDeviceId(void* context, std::uint32_t* device) {
    if (!device) return kInvalidParameter;
    *device = device_of(context);
    return kSuccess;
}
WW_ENTRY int cuptiGetContextId(void* context, std::uint32_t* number) {
    if (!number) return kInvalidParameter;
    *number = device_of(context) + 1;
    return kSuccess;
}

#define WW_CUPTI_MISSING(name)                                                                                 \
    WW_ENTRY int name() {                                                                                      \
        warpwright::cudart::Runtime::get().say(#name                                                           \
                                               " is not supported by the emulated GPU's CUPTI, which records " \
                                               "calls, kernels, copies and fills: the profile is warpwright "  \
                                               "run's");                                                       \
        return kNotSupported;                                                                                  \
    }
#include "warpwright/cupti_api.inc"

#include "fake_driver.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace device_tests {
namespace {

using namespace cuda;
using A = DeviceAttribute;

Fake state;

/// A context that a fault broke answers everything with that fault.
#define NEED_CONTEXT                                    \
    if (!state.current) return status::not_initialized; \
    if (state.sticky) return state.sticky

Status fake_init(unsigned) { return state.init_status; }
Status fake_version(int* v) { return *v = state.version, 0; }
Status fake_name(Status s, const char** text) {
    return *text = s == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE", 0;
}
Status fake_text(Status, const char** text) { return *text = "fake words", 0; }
Status fake_count(int* n) { return *n = state.devices, 0; }
Status fake_get(DeviceId* id, int ordinal) { return *id = ordinal, 0; }
Status fake_device_name(char* to, int size, DeviceId) { return std::strncpy(to, "Fake 9000", std::size_t(size)), 0; }
Status fake_bus(char* to, int size, DeviceId) { return std::strncpy(to, "0000:17:00.0", std::size_t(size)), 0; }
Status fake_memory(std::size_t* bytes, DeviceId) { return *bytes = state.memory, 0; }
Status fake_attribute(int* value, A which, DeviceId) {
    auto it = state.attributes.find(which);
    if (it == state.attributes.end()) return status::invalid_value;
    return *value = it->second, 0;
}

Status fake_retain(Context* c, DeviceId) {
    if (state.contexts > 0 && state.reset_status) return state.reset_status;
    state.sticky = 0;
    ++state.contexts;
    return *c = reinterpret_cast<Context>(std::uintptr_t{state.contexts}), 0;
}
Status fake_release(DeviceId) { return ++state.releases, 0; }
Status fake_reset(DeviceId) {
    state.blocks.clear();
    state.sizes.clear();
    state.allocated = 0;
    return state.reset_status;
}
Status fake_set(Context) { return state.current = true, state.sticky; }

Status fake_info(std::size_t* free, std::size_t* total) {
    return *free = state.memory - state.allocated, *total = state.memory, 0;
}
Status fake_allocate(DevicePointer* to, std::size_t bytes) {
    NEED_CONTEXT;
    if (bytes > state.memory - state.allocated) return status::out_of_memory;
    state.blocks.push_back(std::make_unique<char[]>(bytes));
    state.sizes[state.blocks.back().get()] = bytes;
    state.allocated += bytes;
    return *to = reinterpret_cast<DevicePointer>(state.blocks.back().get()), 0;
}
Status fake_free(DevicePointer p) {
    NEED_CONTEXT;
    auto it = state.sizes.find(reinterpret_cast<void*>(p));
    if (it == state.sizes.end()) return status::invalid_value;
    state.allocated -= it->second;
    state.sizes.erase(it);
    return 0;
}
/// The queues that are not the device's own, by the order of their making.
void note(Stream s, const char* what) {
    if (const auto number = reinterpret_cast<std::uintptr_t>(s); number > 7)
        state.queued.push_back(std::to_string(number - 8) + " " + what);
}
Status fake_to_device(DevicePointer to, const void* from, std::size_t n, Stream s) {
    NEED_CONTEXT;
    note(s, "write");
    return std::memcpy(reinterpret_cast<void*>(to), from, n), 0;
}
Status fake_to_host(void* to, DevicePointer from, std::size_t n, Stream s) {
    NEED_CONTEXT;
    note(s, "read");
    return std::memcpy(to, reinterpret_cast<void*>(from), n), 0;
}
Status fake_set_bytes(DevicePointer to, unsigned char value, std::size_t n, Stream) {
    NEED_CONTEXT;
    return std::memset(reinterpret_cast<void*>(to), value, n), 0;
}

Status fake_on_device(DevicePointer to, DevicePointer from, std::size_t n, Stream s) {
    NEED_CONTEXT;
    note(s, "copy");
    return std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), n), 0;
}
Status fake_host_allocate(void** to, std::size_t n, unsigned) {
    NEED_CONTEXT;
    if (n > state.memory) return status::out_of_memory;
    return *to = new char[n], ++state.pinned, 0;
}
Status fake_host_free(void* p) { return delete[] static_cast<char*>(p), --state.pinned, 0; }
Status fake_stream_wait_event(Stream s, Event, unsigned) {
    note(s, "wait");
    return 0;
}

Status fake_peer_can(int* can, DeviceId, DeviceId) {
    *can = state.peers;
    return 0;
}
Status fake_peer_enable(Context, unsigned) { return 0; }
Status fake_copy_peer(DevicePointer to, Context, DevicePointer from, Context, std::size_t bytes, Stream) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    state.clock += 1e-6;
    ++state.peer_copies;
    return 0;
}

/// Writes the log where the options say.
void give_log(unsigned n, JitOption* options, void** values) {
    for (unsigned i = 0; i < n; ++i)
        if (options[i] == JitOption::error_log) std::strcpy(static_cast<char*>(values[i]), state.jit_log.c_str());
}
Status fake_load(ModuleHandle* m, const void*, unsigned n, JitOption* options, void** values) {
    NEED_CONTEXT;
    ++state.loads;
    if (state.load_status) return give_log(n, options, values), state.load_status;
    return *m = reinterpret_cast<ModuleHandle>(std::uintptr_t{16}), 0;
}
Status fake_unload(ModuleHandle) { return state.sticky; }
Status fake_function(Function* f, ModuleHandle, const char* name) {
    NEED_CONTEXT;
    for (std::size_t i = 0; i < state.kernels.size(); ++i)
        if (state.kernels[i] == name) return *f = reinterpret_cast<Function>(i + 1), 0;
    return status::not_found;
}
Status fake_global(DevicePointer* p, std::size_t* n, ModuleHandle, const char* name) {
    NEED_CONTEXT;
    if (std::string(name) != "table") return status::not_found;
    return *p = 4096, *n = 64, 0;
}
Status fake_link_create(unsigned, JitOption*, void**, LinkState* s) {
    return *s = reinterpret_cast<LinkState>(std::uintptr_t{1}), 0;
}
Status fake_link_add(LinkState, int type, void* text, std::size_t bytes, const char*, unsigned, JitOption*, void**) {
    EXPECT_EQ(type, kInputPtx);
    EXPECT_EQ(static_cast<const char*>(text)[bytes - 1], '\0');
    ++state.links;
    return state.link_status;
}
char cubin[] = "machine code";
Status fake_link_complete(LinkState, void** image, std::size_t* bytes) {
    return *image = cubin, *bytes = sizeof cubin, 0;
}
Status fake_link_destroy(LinkState) { return 0; }
Status fake_function_attribute(int* value, FunctionAttribute which, Function) {
    return *value = state.function_attributes[which], 0;
}
Status fake_function_set(Function, FunctionAttribute which, int value) {
    if (which == FunctionAttribute::non_portable_cluster) return state.non_portable_set = value, 0;
    EXPECT_EQ(which, FunctionAttribute::dynamic_shared_max);
    return state.dynamic_shared_set = value, 0;
}
Status fake_resident(int* blocks, Function, int, std::size_t) { return *blocks = state.resident_blocks, 0; }

Status fake_stream(Stream* s, unsigned flags) {
    const std::uintptr_t number = flags == kStreamNonBlocking ? 8 + state.streams++ : 7;
    return *s = reinterpret_cast<Stream>(number), state.sticky;
}
Status fake_stream_destroy(Stream) { return ++state.streams_destroyed, 0; }
Status fake_wait(Stream) {
    NEED_CONTEXT;
    ++state.waits;
    if (state.next_wait) state.sticky = std::exchange(state.next_wait, 0);
    return state.sticky;
}
Status fake_event(Event* e, unsigned) {
    static std::uintptr_t next = 100;
    return *e = reinterpret_cast<Event>(++next), state.sticky;
}
Status fake_event_destroy(Event) { return 0; }
Status fake_record(Event e, Stream s) {
    NEED_CONTEXT;
    note(s, "record");
    return state.events[e] = state.clock, 0;
}
Status fake_query(Event) {
    if (state.hangs) return status::not_ready;
    return fake_wait(nullptr);
}
Status fake_event_wait(Event) { return fake_wait(nullptr); }
Status fake_elapsed(float* ms, Event a, Event b) { return *ms = float(1e3 * (state.events[b] - state.events[a])), 0; }

Status note_launch(Function f, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared,
                   void** parameters, bool cooperative, bool extended, std::vector<unsigned> cluster = {}) {
    NEED_CONTEXT;
    if (std::size_t i = reinterpret_cast<std::uintptr_t>(f) - 1; state.kernels.at(i) == "warpwright_flush") {
        EXPECT_FALSE(state.capturing);
        state.clock += 1e-3;
        return state.flushed.push_back(state.launches.size() + state.graphs), 0;
    }
    FakeLaunch l{state.kernels.at(reinterpret_cast<std::uintptr_t>(f) - 1),
                 {},
                 {},
                 shared,
                 cooperative,
                 extended,
                 std::move(cluster),
                 {}};
    std::copy(grid, grid + 3, l.grid);
    std::copy(block, block + 3, l.block);
    for (std::size_t i = 0; i < state.parameter_sizes.size(); ++i) {
        auto* from = static_cast<const std::byte*>(parameters[i]);
        l.parameters.insert(l.parameters.end(), from, from + state.parameter_sizes[i]);
    }
    if (!state.capturing) state.clock += 1e-6;
    state.launches.push_back(std::move(l));
    return 0;
}
Status fake_launch(Function f, unsigned a, unsigned b, unsigned c, unsigned x, unsigned y, unsigned z, unsigned shared,
                   Stream, void** parameters, void**) {
    return note_launch(f, {a, b, c}, {x, y, z}, shared, parameters, false, false);
}
Status fake_cooperative(Function f, unsigned a, unsigned b, unsigned c, unsigned x, unsigned y, unsigned z,
                        unsigned shared, Stream, void** parameters) {
    return note_launch(f, {a, b, c}, {x, y, z}, shared, parameters, true, false);
}
std::vector<unsigned> cluster_of(const LaunchShape* s) {
    for (unsigned i = 0; i < s->attribute_count; ++i)
        if (const auto& a = s->attributes[i]; a.id == LaunchAttribute::Id::cluster)
            return {a.value.extent.x, a.value.extent.y, a.value.extent.z};
    return {};
}
Status fake_extended(const LaunchShape* s, Function f, void** parameters, void**) {
    note(s->stream, "launch");
    bool cooperative = false;
    for (unsigned i = 0; i < s->attribute_count; ++i)
        cooperative |= s->attributes[i].id == LaunchAttribute::Id::cooperative && s->attributes[i].value.flag;
    return note_launch(f, {s->grid_x, s->grid_y, s->grid_z}, {s->block_x, s->block_y, s->block_z}, s->dynamic_shared,
                       parameters, cooperative, true, cluster_of(s));
}
Status fake_active_clusters(int* clusters, Function, const LaunchShape* s) {
    EXPECT_EQ(cluster_of(s).size(), 3u);
    return *clusters = state.active_clusters, 0;
}
Status fake_encode(void* map, TensorType type, std::uint32_t rank, void* address, const std::uint64_t* size,
                   const std::uint64_t* stride, const std::uint32_t* box, const std::uint32_t* step,
                   TensorInterleave interleave, TensorSwizzle swizzle, TensorPromotion promotion, TensorFill fill) {
    NEED_CONTEXT;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map) % 64, 0u);
    state.tensor_maps.push_back({type,
                                 address,
                                 {size, size + rank},
                                 {stride, stride + rank - 1},
                                 {box, box + rank},
                                 {step, step + rank},
                                 interleave,
                                 swizzle,
                                 promotion,
                                 fill});
    std::memset(map, 0x5a, 128);
    return 0;
}

std::size_t capture_from = 0, captured = 0;
Status fake_capture_begin(Stream, int) { return state.capturing = true, capture_from = state.launches.size(), 0; }
Status fake_capture_end(Stream, Graph* g) {
    state.capturing = false;
    captured = state.launches.size() - capture_from;
    return *g = reinterpret_cast<Graph>(std::uintptr_t{1}), 0;
}
Status fake_instantiate(GraphExec* e, Graph, unsigned long long) {
    return *e = reinterpret_cast<GraphExec>(std::uintptr_t{1}), 0;
}
Status fake_graph_launch(GraphExec, Stream) {
    NEED_CONTEXT;
    ++state.graphs;
    return state.clock += 1e-6 * double(captured), 0;
}
Status fake_graph_upload(GraphExec, Stream) { return ++state.uploads, 0; }
Status fake_graph_destroy(Graph) { return 0; }
Status fake_exec_destroy(GraphExec) { return 0; }

NvmlStatus nvml_init() { return state.nvml_status; }
NvmlStatus nvml_version(char* to, unsigned size) { return std::strncpy(to, "580.65.06", size), 0; }
NvmlStatus nvml_device(const char* bus, NvmlDevice* to) {
    if (std::string(bus) != "0000:17:00.0") return 6;
    return *to = reinterpret_cast<NvmlDevice>(std::uintptr_t{3}), 0;
}
NvmlStatus nvml_clock(NvmlDevice, NvmlClock which, unsigned* to) {
    return *to = which == NvmlClock::memory ? 3201 : 1755, 0;
}
NvmlStatus nvml_power(NvmlDevice, unsigned* to) { return *to = 698500, 0; }
NvmlStatus nvml_temperature(NvmlDevice, int sensor, unsigned*) {
    EXPECT_EQ(sensor, 0);
    return 3;  // not supported
}
NvmlStatus nvml_throttle(NvmlDevice, unsigned long long* to) { return *to = 0x5, 0; }

}  // namespace

cuda::NvmlTable fake_nvml() {
    return {nvml_init, nvml_version, nvml_device, nvml_clock, nvml_power, nvml_temperature, nvml_throttle};
}

Fake& fake() { return state; }

DriverTable fake_table(bool modern) {
    DriverTable t;
    t.init = fake_init;
    t.driver_version = fake_version;
    t.error_name = fake_name;
    t.error_text = fake_text;
    t.device_count = fake_count;
    t.device_get = fake_get;
    t.device_name = fake_device_name;
    t.device_memory = fake_memory;
    t.device_attribute = fake_attribute;
    t.context_retain = fake_retain;
    t.context_release = fake_release;
    t.context_reset = fake_reset;
    t.context_set = fake_set;
    t.memory_info = fake_info;
    t.memory_allocate = fake_allocate;
    t.memory_free = fake_free;
    t.copy_to_device = fake_to_device;
    t.copy_to_host = fake_to_host;
    t.set_bytes = fake_set_bytes;
    t.copy_on_device = fake_on_device;
    t.host_allocate = fake_host_allocate;
    t.host_free = fake_host_free;
    t.stream_wait_event = fake_stream_wait_event;
    t.module_load = fake_load;
    t.module_unload = fake_unload;
    t.module_function = fake_function;
    t.module_global = fake_global;
    t.link_create = fake_link_create;
    t.link_add = fake_link_add;
    t.link_complete = fake_link_complete;
    t.link_destroy = fake_link_destroy;
    t.function_attribute = fake_function_attribute;
    t.function_set_attribute = fake_function_set;
    t.resident_blocks = fake_resident;
    t.stream_create = fake_stream;
    t.stream_destroy = fake_stream_destroy;
    t.stream_wait = fake_wait;
    t.event_create = fake_event;
    t.event_destroy = fake_event_destroy;
    t.event_record = fake_record;
    t.event_query = fake_query;
    t.event_wait = fake_event_wait;
    t.event_elapsed = fake_elapsed;
    t.launch = fake_launch;
    t.launch_cooperative = fake_cooperative;
    if (modern) {
        t.peer_can = fake_peer_can;
        t.peer_enable = fake_peer_enable;
        t.copy_peer = fake_copy_peer;
        t.device_bus = fake_bus;
        t.launch_extended = fake_extended;
        t.active_clusters = fake_active_clusters;
        t.encode_tiled = fake_encode;
        t.capture_begin = fake_capture_begin;
        t.capture_end = fake_capture_end;
        t.graph_instantiate = fake_instantiate;
        t.graph_launch = fake_graph_launch;
        t.graph_upload = fake_graph_upload;
        t.graph_destroy = fake_graph_destroy;
        t.graph_exec_destroy = fake_exec_destroy;
    }
    return t;
}

std::shared_ptr<const Driver> fake_driver(bool modern) {
    state = Fake{};
    state.attributes = {{A::threads_per_block, 1024},
                        {A::block_x, 1024},
                        {A::block_y, 1024},
                        {A::block_z, 64},
                        {A::grid_x, 2147483647},
                        {A::grid_y, 65535},
                        {A::grid_z, 65535},
                        {A::shared_per_block, 49152},
                        {A::warp, 32},
                        {A::multiprocessors, 132},
                        {A::capability_major, 9},
                        {A::capability_minor, 0},
                        {A::shared_per_block_optin, 232448},
                        {A::cooperative, 1},
                        {A::clock_khz, 1980000},
                        {A::l2_bytes, 62914560}};
    state.function_attributes = {{FunctionAttribute::registers, 40},
                                 {FunctionAttribute::static_shared, 1024},
                                 {FunctionAttribute::threads_per_block, 1024}};
    return std::make_shared<const Driver>(Driver{fake_table(modern), "", state.version});
}

}  // namespace device_tests

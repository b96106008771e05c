// The device of the process, its memory, and what is known of device models.
#include "arch/model.hpp"
#include "arch/occupancy.hpp"
#include "capi/handles.hpp"
#include "capi/text.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "support/settings.hpp"

namespace warpwright::capi {

Result<device::Device*> device() {
    auto& runtime = cudart::Runtime::get();
    if (runtime.forked())
        return Error{ErrorKind::usage,
                     "this process was forked from one that uses the emulated device, which does not work here",
                     {},
                     "start processes anew (multiprocessing: the method 'spawn'), or fork before the first use"};
    if (!runtime.settings.wrong.empty()) return runtime.settings.wrong.front();
    // Whoever names a model wants that one, and no plain GPU in its place.
    static const auto known = arch::load_limits(arch::model_or_default(runtime.settings.model));
    if (!known) return known.error();
    if (auto* made = runtime.device()) return made;
    return Error{ErrorKind::no_device, cudart::Runtime::last_said(), {}, ""};
}

namespace {

Json summary(const arch::DeviceModel& m) {
    Json out;
    out["name"] = m.name;
    out["title"] = m.title;
    out["vendor"] = m.vendor;
    out["architecture"] = m.architecture;
    out["compute_capability"] = m.compute_capability;
    out["multiprocessors"] = m.sm.multiprocessors;
    out["memory"] = m.memory.size;
    out["dram_bandwidth"] = m.dram_bandwidth();
    out["flops_f32"] = m.flops_f32();
    out["threads_per_block"] = m.limits.threads_per_block;
    out["threads_per_multiprocessor"] = m.limits.threads_per_sm;
    out["registers_per_multiprocessor"] = m.limits.registers_per_sm;
    out["shared_per_block"] = m.limits.shared_per_block;
    out["shared_per_block_optin"] = m.limits.shared_per_block_optin;
    out["shared_per_multiprocessor"] = m.limits.shared_per_sm;
    return out;
}

}  // namespace
}  // namespace warpwright::capi

using namespace warpwright;

ww_status ww_start(char** json) {
    const cudart::HostClock::Call call;
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    capi::Json out = capi::summary(cudart::Runtime::get().model());
    out["model"] = out["name"];
    return capi::give(capi::written(out), json);
}

ww_status ww_synchronize(void) {
    const cudart::HostClock::Call call;
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    return capi::done();
}

ww_status ww_allocate(uint64_t bytes, uint64_t* address) {
    const cudart::HostClock::Call call;
    if (!address) return capi::fail(capi::usage("ww_allocate needs a place for the address"));
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    void* memory = nullptr;
    auto& runtime = cudart::Runtime::get();
    if (cudart::MemoryTable::get().allocate(&memory, bytes, cudart::Block::Kind::device) != cudaSuccess)
        return capi::fail(Error{ErrorKind::limit,
                                "no " + std::to_string(bytes) + " bytes of device memory: " +
                                    std::to_string(runtime.memory_used(cudart::current_device())) + " of " +
                                    std::to_string(runtime.memory_size()) + " are in use",
                                {},
                                ""});
    *address = reinterpret_cast<std::uint64_t>(memory);
    return capi::done();
}

ww_status ww_release(uint64_t address) {
    const cudart::HostClock::Call call;
    if (auto gpu = capi::device(); !gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    if (cudart::MemoryTable::get().release(reinterpret_cast<void*>(address), false) != cudaSuccess)
        return capi::fail(capi::usage("this is not an address that ww_allocate gave"));
    return capi::done();
}

ww_status ww_write(uint64_t to, const void* from, uint64_t bytes) {
    const cudart::HostClock::Call call;
    auto gpu = capi::device();
    if (!gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    const auto ok = (*gpu)->write(to, {static_cast<const std::byte*>(from), bytes});
    return ok ? capi::done() : capi::fail(ok.error());
}

ww_status ww_read(void* to, uint64_t from, uint64_t bytes) {
    const cudart::HostClock::Call call;
    auto gpu = capi::device();
    if (!gpu) return capi::fail(gpu.error());
    cudart::Scheduler::get().wait_all();
    const auto ok = (*gpu)->read({static_cast<std::byte*>(to), bytes}, from);
    return ok ? capi::done() : capi::fail(ok.error());
}

ww_status ww_models(char** json) {
    capi::Json out = capi::Json::array();
    for (const auto& name : arch::list_models()) {
        auto model = arch::load_limits(name);
        if (!model) return capi::fail(model.error());
        out.push_back(capi::summary(*model));
    }
    return capi::give(capi::written(out), json);
}

ww_status ww_occupancy(const char* name, uint32_t registers, uint64_t shared, uint64_t threads, char** json) {
    auto model = arch::load_limits(arch::model_or_default(name ? name : ""));
    if (!model) return capi::fail(model.error());
    const auto o = arch::occupancy(*model, registers, shared, threads);
    if (o.blocks == 0) return capi::fail(Error{ErrorKind::limit, o.refusal, {}, ""});
    capi::Json out;
    out["model"] = model->name;
    out["blocks"] = o.blocks;
    out["warps"] = o.warps;
    out["fraction"] = o.fraction;
    out["limiter"] = o.limiter_text();
    out["blocks_by_warps"] = o.blocks_by_warps;
    out["blocks_by_slots"] = o.blocks_by_slots;
    out["blocks_by_registers"] = o.blocks_by_registers;
    out["blocks_by_shared"] = o.blocks_by_shared;
    return capi::give(capi::written(out), json);
}

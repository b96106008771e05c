// Any bytes as calls of the driver library that make, use and destroy objects. A handle is one that was made, whatever
// has become of it, or bits out of the air. No call may read through a wrong one: what is alive can be destroyed once,
// and what was destroyed, or never made, is refused.
// With WARPWRIGHT_FUZZ=ON it is a libFuzzer program, ww_fuzz_driver_handles; else a program that tries some by chance.
#include <cuda.h>

#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz_target.hpp"

namespace {

using warpwright::fuzz::complain;

enum Kind : unsigned { stream, event, graph, exec, pool, object, array, mipmaps, module, function, memory, kinds };
constexpr std::array<const char*, kinds> kNames{"stream", "event",   "graph",  "exec",     "pool",  "user object",
                                                "array",  "mipmaps", "module", "function", "memory"};
using Bits = unsigned long long;

constexpr const char* kCode = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";

template <class Handle>
Handle as(Bits bits) {
    Handle out{};
    std::memcpy(&out, &bits, sizeof out);
    return out;
}
template <class Handle>
Bits bits_of(Handle handle) {
    Bits out = 0;
    std::memcpy(&out, &handle, sizeof handle);
    return out;
}

/// The objects that one input has made.
class Objects {
public:
    explicit Objects(std::string_view text) : text_(text) {}
    void run() {
        for (std::size_t n = 0; n < 400 && at_ < text_.size(); ++n) step();
        for (unsigned k = 0; k < kinds; ++k)
            while (k != function && !alive_[k].empty()) destroy(Kind(k), *alive_[k].begin());
        (void)cuCtxSynchronize();
    }

private:
    unsigned byte() { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_++]) : 0; }

    /// One of this kind or of another, alive or not, or none.
    Bits any(Kind kind) {
        const unsigned choice = byte();
        const auto& all = made_[choice % 8 == 7 ? byte() % kinds : kind];
        if (choice % 16 == 5) return Bits{byte()} << byte() % 56;
        if (choice % 16 == 13 && !all.empty()) return all[byte() % all.size()] + byte();
        return all.empty() ? Bits{0x1000} : all[byte() % all.size()];
    }

    template <class Handle>
    void made(Kind kind, CUresult error, const Handle& handle) {  // (The order of arguments is open.)
        if (error != CUDA_SUCCESS) return;
        const Bits bits = bits_of(handle);
        if (!alive_[kind].insert(bits).second && kind != function) complain("a handle is given twice", kNames[kind]);
        made_[kind].push_back(bits);
    }

    void make(Kind kind) {
        switch (kind) {
            case stream: {
                CUstream s{};
                return made(kind, cuStreamCreate(&s, byte() % 2), s);
            }
            case event: {
                CUevent e{};
                return made(kind, cuEventCreate(&e, 0), e);
            }
            case graph: {
                CUgraph g{};
                return made(kind, cuGraphCreate(&g, 0), g);
            }
            case exec: {
                CUgraphExec x{};
                return made(kind, cuGraphInstantiateWithFlags(&x, as<CUgraph>(any(graph)), 0), x);
            }
            case pool: {
                CUmemPoolProps p{};
                p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
                p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
                CUmemoryPool m{};
                return made(kind, cuMemPoolCreate(&m, &p), m);
            }
            case object: {
                CUuserObject o{};
                return made(kind,
                            cuUserObjectCreate(&o, nullptr, [](void*) {}, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC), o);
            }
            case array: {
                CUDA_ARRAY_DESCRIPTOR d{};
                d.Width = byte() + 1, d.Height = byte() % 4, d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
                CUarray a{};
                return made(kind, cuArrayCreate_v2(&a, &d), a);
            }
            case mipmaps: {
                CUDA_ARRAY3D_DESCRIPTOR d{};
                d.Width = 16, d.Height = 16, d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
                CUmipmappedArray m{};
                return made(kind, cuMipmappedArrayCreate(&m, &d, 1 + byte() % 4), m);
            }
            case module: {
                CUmodule m{};
                return made(kind, cuModuleLoadData(&m, kCode), m);
            }
            case function: {
                CUfunction f{};
                const Bits from = any(module);
                const auto error = cuModuleGetFunction(&f, as<CUmodule>(from), "k");
                if (error == CUDA_SUCCESS && !alive_[module].contains(from)) complain("a function of no module");
                if (error == CUDA_SUCCESS) of_[bits_of(f)] = from;
                return made(kind, error, f);
            }
            default: {
                CUdeviceptr p{};
                return made(memory, cuMemAlloc_v2(&p, byte() * 16 + 1), p);
            }
        }
    }

    CUresult destroyed(Kind kind, Bits b) {
        switch (kind) {
            case stream:
                return cuStreamDestroy_v2(as<CUstream>(b));
            case event:
                return cuEventDestroy_v2(as<CUevent>(b));
            case graph:
                return cuGraphDestroy(as<CUgraph>(b));
            case exec:
                return cuGraphExecDestroy(as<CUgraphExec>(b));
            case pool:
                return cuMemPoolDestroy(as<CUmemoryPool>(b));
            case object:
                return cuUserObjectRelease(as<CUuserObject>(b), 1);
            case array:
                return cuArrayDestroy(as<CUarray>(b));
            case mipmaps:
                return cuMipmappedArrayDestroy(as<CUmipmappedArray>(b));
            case module:
                return cuModuleUnload(as<CUmodule>(b));
            default:
                return cuMemFree_v2(as<CUdeviceptr>(b));
        }
    }

    void destroy(Kind kind, Bits b) {
        if (kind == function) return;  // it ends with its module
        const bool alive = alive_[kind].contains(b);
        if ((kind == stream && b <= 2) || (kind == memory && !b)) return;  // the streams that are always there
        const auto error = destroyed(kind, b);
        if (alive && error != CUDA_SUCCESS)
            complain("what is alive cannot be destroyed: error " + std::to_string(error), kNames[kind]);
        if (!alive && error == CUDA_SUCCESS) complain("what is not alive was destroyed", kNames[kind]);
        alive_[kind].erase(b);
        if (kind == module) std::erase_if(alive_[function], [&](Bits f) { return of_[f] == b; });
    }

    void use(unsigned how) {
        const auto s = as<CUstream>(alive_[stream].empty() ? 0 : any(stream));
        switch (how % 12) {
            case 0: {
                const Bits f = any(function);
                const auto error = cuLaunchKernel(as<CUfunction>(f), 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr);
                if (error == CUDA_SUCCESS && !alive_[function].contains(f)) complain("a stale function was launched");
                return;
            }
            case 1:
                return (void)cuEventRecord(as<CUevent>(any(event)), s);
            case 2:
                return (void)cuStreamWaitEvent(s, as<CUevent>(any(event)), 0);
            case 3: {
                CUgraphNode node{};
                return (void)cuGraphAddEmptyNode(&node, as<CUgraph>(any(graph)), nullptr, 0);
            }
            case 4: {
                CUgraphNode node{};
                return (void)cuGraphAddChildGraphNode(&node, as<CUgraph>(any(graph)), nullptr, 0,
                                                      as<CUgraph>(any(graph)));
            }
            case 5:
                return (void)cuGraphLaunch(as<CUgraphExec>(any(exec)), s);
            case 6: {
                CUdeviceptr p{};
                const auto error = cuMemAllocFromPoolAsync(&p, byte() + 1, as<CUmemoryPool>(any(pool)), s);
                if (error == CUDA_SUCCESS && cuMemFreeAsync(p, s) != CUDA_SUCCESS) complain("memory of a pool stays");
                return;
            }
            case 7:
                return (void)cuGraphRetainUserObject(as<CUgraph>(any(graph)), as<CUuserObject>(any(object)), 1, 0);
            case 8: {
                CUDA_ARRAY_DESCRIPTOR d{};
                return (void)cuArrayGetDescriptor_v2(&d, as<CUarray>(any(array)));
            }
            case 9: {
                CUarray level{};
                return (void)cuMipmappedArrayGetLevel(&level, as<CUmipmappedArray>(any(mipmaps)), byte());
            }
            case 10:
                return (void)cuMemsetD8_v2(as<CUdeviceptr>(any(memory)), 1, byte());
            default:
                return (void)cuEventQuery(as<CUevent>(any(event)));
        }
    }

    void step() {
        const unsigned what = byte(), kind = what / 3 % kinds;
        if (what % 3 == 0) return make(Kind(kind));
        if (what % 3 == 1) return destroy(Kind(kind), any(Kind(kind)));
        use(what / 3);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::array<std::vector<Bits>, kinds> made_;
    std::array<std::set<Bits>, kinds> alive_;
    std::map<Bits, Bits> of_;  ///< the module of a function
};

}  // namespace

FUZZ_TARGET(driver_handles) {
    static const bool started = [] {
        CUcontext context{};
        return cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
               cuCtxSetCurrent(context) == CUDA_SUCCESS;
    }();
    if (!started) complain("the driver did not start");
    Objects(text).run();
}

#ifndef WARPWRIGHT_FUZZ_ALONE
/// As a program of its own: inputs by chance, the same each time unless it is told how many, and where chance begins.
int main(int count, char** words) {
    std::uint64_t state = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
    const long inputs = count > 1 ? std::strtol(words[1], nullptr, 10) : 400;
    for (long input = 0; input < inputs; ++input) {
        std::string bytes(600, 0);
        for (char& b : bytes) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            b = static_cast<char>(state >> 56);
        }
        fuzz_driver_handles(bytes);
    }
    std::puts("passed");
    return 0;
}
#endif

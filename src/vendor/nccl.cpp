// The functions of NCCL by their C names. Calls for several devices of one process are grouped, because each would wait
// for the others.
#include "vendor/nccl.hpp"

#include <cstdlib>

#include "vendor/open.hpp"

namespace warpwright::vendor {
namespace {

using Status = int;  ///< ncclResult_t
using Communicator = struct CommunicatorTag*;
constexpr int kFloat32 = 7, kFloat64 = 8, kSum = 0;  ///< ncclDataType_t, ncclRedOp_t

struct UniqueId {  ///< ncclUniqueId, passed by value
    Nccl::Id bytes;
};

#define WARPWRIGHT_NCCL_ENTRY_POINTS(X)                                                                    \
    X(version, "ncclGetVersion", Status(int*))                                                             \
    X(unique_id, "ncclGetUniqueId", Status(UniqueId*))                                                     \
    X(init_rank, "ncclCommInitRank", Status(Communicator*, int, UniqueId, int))                            \
    X(destroy, "ncclCommDestroy", Status(Communicator))                                                    \
    X(error_text, "ncclGetErrorString", const char*(Status))                                               \
    X(group_start, "ncclGroupStart", Status())                                                             \
    X(group_end, "ncclGroupEnd", Status())                                                                 \
    X(all_reduce, "ncclAllReduce", Status(const void*, void*, std::size_t, int, int, Communicator, void*)) \
    X(all_gather, "ncclAllGather", Status(const void*, void*, std::size_t, int, Communicator, void*))

template <class Signature>
using EntryPoint = Signature*;
struct NcclFunctions {
#define WARPWRIGHT_NCCL_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_NCCL_ENTRY_POINTS(WARPWRIGHT_NCCL_MEMBER)
#undef WARPWRIGHT_NCCL_MEMBER
};

class Loaded final : public Nccl {
public:
    Loaded(SharedLibrary library, const NcclFunctions& table, int version)
        : library_(std::move(library)), table_(table), version_(version) {}
    ~Loaded() override {
        for (std::size_t i = 0; i < communicators_.size(); ++i)
            if (communicators_[i] && queues_[i]->native_queue()) (void)table_.destroy(communicators_[i]);
    }

    std::string title() const override {
        // 2.8.4 is 2804; since 2.9, 2.28.9 is 22809.
        const int v = version_, major = v < 10000 ? v / 1000 : v / 10000,
                  minor = v < 10000 ? v / 100 % 10 : v / 100 % 100;
        return "NCCL " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(v % 100);
    }

    Result<Id> make_id() override {
        UniqueId id{};
        if (Status s = table_.unique_id(&id); s != 0) return failed(s, "an id");
        return id.bytes;
    }

    Result<void> join(const std::vector<device::Device*>& devices, unsigned ranks, unsigned first,
                      const Id& id) override {
        queues_.clear();
        for (device::Device* device : devices) {
            auto queue = device->need(&device::Device::vendor_queue);
            if (!queue) return std::move(queue).error();
            queues_.push_back(*queue);
        }
        communicators_.assign(devices.size(), nullptr);
        return grouped("joining", [&](std::size_t i) {
            return table_.init_rank(&communicators_[i], static_cast<int>(ranks), UniqueId{id},
                                    static_cast<int>(first + i));
        });
    }

    Result<void> all_reduce(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                            std::uint64_t count) override {
        return grouped("a sum over all", [&](std::size_t i, void* stream) {
            return table_.all_reduce(pointer(from[i]), pointer(to[i]), count, kFloat64, kSum, communicators_[i],
                                     stream);
        });
    }
    Result<void> all_gather(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                            std::uint64_t count) override {
        return grouped("a gather from all", [&](std::size_t i, void* stream) {
            return table_.all_gather(pointer(from[i]), pointer(to[i]), count, kFloat32, communicators_[i], stream);
        });
    }

private:
    Error failed(Status s, const std::string& what) const {
        return Error{
            ErrorKind::no_device, title() + ", " + what + ": " + table_.error_text(s), {}, "NCCL_DEBUG=INFO says more"};
    }

    /// Makes the call for each device of this process, which must begin together; each with its device's context
    /// current.
    template <class Call>
    Result<void> grouped(const char* what, Call call) {
        if (Status s = table_.group_start(); s != 0) return failed(s, what);
        for (std::size_t i = 0; i < queues_.size(); ++i) {
            auto queue = queues_[i]->native_queue();
            Status s = 0;
            if (queue) {
                if constexpr (std::is_invocable_v<Call, std::size_t>)
                    s = call(i);
                else
                    s = call(i, queue->stream);
            }
            if (!queue || s != 0) {
                (void)table_.group_end();
                return queue ? failed(s, what) : std::move(queue).error();
            }
        }
        const Status ended = table_.group_end();
        // The caller times this on the first device, whose context was current before.
        auto first = queues_.front()->native_queue();
        if (ended != 0) return failed(ended, what);
        return first ? Result<void>() : std::move(first).error();
    }

    SharedLibrary library_;
    NcclFunctions table_;
    int version_;
    std::vector<device::VendorQueue*> queues_;
    std::vector<Communicator> communicators_;
};

}  // namespace

Result<std::unique_ptr<Nccl>> Nccl::open(const LibrarySearch& search, bool multicast) {
    // NVLS lets the NVLink switches add and copy by themselves, through multicast objects of the driver that the whole
    // machine shares: on a machine that others use as well we must not take them.
    ::setenv("NCCL_NVLS_ENABLE", multicast ? "1" : "0", 1);
    NcclFunctions table;
    int version = 0;
    std::string missing;
    const auto load = [&](const SharedLibrary& library) {
        missing.clear();
        WARPWRIGHT_NCCL_ENTRY_POINTS(WARPWRIGHT_VENDOR_LOAD)
        return missing;
    };
    const auto start = [&] {
        return table.version(&version) == 0 ? std::string() : std::string("it does not tell its version");
    };
    auto library =
        open_library({"NCCL", {"libnccl", "nccl", {"libnccl.so.2", "libnccl.so"}}, Setting::nccl, "nvidia-nccl-cu12"},
                     search, load, start);
    if (!library) return std::move(library).error();
    return std::unique_ptr<Nccl>(std::make_unique<Loaded>(std::move(*library), table, version));
}

}  // namespace warpwright::vendor

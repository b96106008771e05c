// The functions of MPI by their C names, for both families of libraries: in one, handles are pointers to its objects,
// in the other numbers. Messages are sent in small pieces, so that no process waits for another to receive.
#include "vendor/mpi.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "support/settings.hpp"
#include "support/shared_library.hpp"

namespace warpwright::vendor {
namespace {

// Handles are pointers to objects of the library (Open MPI) or numbers (MPICH), both in a register.
using Handle = std::uintptr_t;

#define WARPWRIGHT_MPI_ENTRY_POINTS(X)                                                    \
    X(init, "MPI_Init", int(int*, char***))                                               \
    X(initialized, "MPI_Initialized", int(int*))                                          \
    X(finalize, "MPI_Finalize", int())                                                    \
    X(rank, "MPI_Comm_rank", int(Handle, int*))                                           \
    X(size, "MPI_Comm_size", int(Handle, int*))                                           \
    X(broadcast, "MPI_Bcast", int(void*, int, Handle, int, Handle))                       \
    X(reduce, "MPI_Allreduce", int(const void*, void*, int, Handle, Handle, Handle))      \
    X(gather, "MPI_Allgather", int(const void*, int, Handle, void*, int, Handle, Handle)) \
    X(barrier, "MPI_Barrier", int(Handle))                                                \
    X(send, "MPI_Isend", int(const void*, int, Handle, int, int, Handle, Handle*))        \
    X(test, "MPI_Test", int(Handle*, int*, void*))                                        \
    X(probe, "MPI_Iprobe", int(int, int, Handle, int*, void*))                            \
    X(receive, "MPI_Recv", int(void*, int, Handle, int, int, Handle, void*))

template <class Signature>
using EntryPoint = Signature*;
struct MpiFunctions {
#define WARPWRIGHT_MPI_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_MPI_ENTRY_POINTS(WARPWRIGHT_MPI_MEMBER)
#undef WARPWRIGHT_MPI_MEMBER
    Handle world = 0, byte = 0, real = 0, sum = 0;
    void* no_status = nullptr;  ///< MPI_STATUS_IGNORE
    bool open_mpi = false;
};

constexpr int kTag = 20119;
/// Messages are sent in pieces that every transport accepts at once and keeps until they are received, so that no side
/// waits for the other; the whole length is sent first.
constexpr std::size_t kPiece = 2048;

/// The number in the first of these that is set; anything else counts as 0.
std::optional<int> first_of(std::initializer_list<Setting> launchers) {
    for (const Setting s : launchers)
        if (const std::string value = settings::text(s); !value.empty()) return std::atoi(value.c_str());
    return std::nullopt;
}

class Started final : public Mpi {
public:
    Started(SharedLibrary library, const MpiFunctions& table) : library_(std::move(library)), table_(table) {
        int rank = 0, size = 1;
        (void)table_.rank(table_.world, &rank);
        (void)table_.size(table_.world, &size);
        rank_ = static_cast<unsigned>(rank);
        size_ = static_cast<unsigned>(size);
        arriving_.resize(size_);
    }
    unsigned rank() const override { return rank_; }
    unsigned size() const override { return size_; }
    std::string title() const override { return table_.open_mpi ? "Open MPI" : "MPICH"; }
    unsigned local_rank() const override {
        const auto rank = first_of({Setting::ompi_local_rank, Setting::mpich_local_rank, Setting::slurm_local_rank});
        return rank ? static_cast<unsigned>(*rank) : rank_;
    }

    unsigned local_size() const override {
        const auto size = first_of({Setting::ompi_local_size, Setting::mpich_local_size, Setting::slurm_local_size});
        return size ? static_cast<unsigned>(std::max(1, *size)) : size_;
    }

    Result<void> send(std::span<const std::byte> bytes, unsigned to) override {
        const std::uint64_t length = bytes.size();
        std::vector<std::byte> head(sizeof length);
        std::memcpy(head.data(), &length, sizeof length);
        if (auto ok = send_piece(std::move(head), to); !ok) return ok;
        for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
            const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
            if (auto ok = send_piece({piece.begin(), piece.end()}, to); !ok) return ok;
        }
        auto gone = sent();
        if (!gone) return std::move(gone).error();
        return {};
    }
    Result<std::optional<std::vector<std::byte>>> receive(unsigned from) override {
        Arriving& a = arriving_[from];
        for (;;) {
            int there = 0;
            if (auto ok = done(table_.probe(static_cast<int>(from), kTag, table_.world, &there, table_.no_status),
                               "a look for a message");
                !ok)
                return ok.error();
            if (!there) return std::optional<std::vector<std::byte>>();
            std::byte piece[kPiece];
            const std::size_t most =
                a.length ? std::min<std::size_t>(kPiece, *a.length - a.bytes.size()) : sizeof(std::uint64_t);
            if (auto ok = done(table_.receive(piece, static_cast<int>(most), table_.byte, static_cast<int>(from), kTag,
                                              table_.world, table_.no_status),
                               "a message");
                !ok)
                return ok.error();
            if (a.length) {
                a.bytes.insert(a.bytes.end(), piece, piece + most);
            } else {
                std::uint64_t length = 0;
                std::memcpy(&length, piece, sizeof length);
                a.length = length;
            }
            if (a.bytes.size() < *a.length) continue;
            a.length.reset();
            return std::optional(std::exchange(a.bytes, {}));
        }
    }
    Result<bool> sent() override {
        for (auto it = leaving_.begin(); it != leaving_.end();) {
            int gone = 0;
            if (auto ok = done(table_.test(&it->request, &gone, table_.no_status), "a message"); !ok) return ok.error();
            it = gone ? leaving_.erase(it) : std::next(it);
        }
        return leaving_.empty();
    }

    void abandon(unsigned to) override {
        for (auto it = leaving_.begin(); it != leaving_.end();) {
            const auto one = it++;
            if (one->to == to) abandoned_.splice(abandoned_.end(), leaving_, one);
        }
    }

    Result<void> broadcast(std::span<std::byte> bytes, unsigned from) override {
        return pieces(bytes, "a broadcast", [&](std::byte* at, int count) {
            return table_.broadcast(at, count, table_.byte, static_cast<int>(from), table_.world);
        });
    }
    Result<void> sum(std::span<double> values) override {
        std::vector<double> mine(values.begin(), values.end());
        if (values.size() > kMost) return too_much();
        return done(table_.reduce(mine.data(), values.data(), static_cast<int>(values.size()), table_.real, table_.sum,
                                  table_.world),
                    "a sum");
    }
    Result<std::vector<std::byte>> gather(std::span<const std::byte> bytes) override {
        if (bytes.size() > kMost) return too_much();
        std::vector<std::byte> out(bytes.size() * size_);
        const int count = static_cast<int>(bytes.size());
        if (auto ok =
                done(table_.gather(bytes.data(), count, table_.byte, out.data(), count, table_.byte, table_.world),
                     "a gather");
            !ok)
            return ok.error();
        return out;
    }
    Result<void> barrier() override { return done(table_.barrier(table_.world), "a barrier"); }

private:
    static constexpr std::size_t kMost = std::numeric_limits<int>::max();
    static Error too_much() {
        return Error{ErrorKind::limit, "MPI moves less than 2^31 elements at a time", {}, "a smaller size"};
    }
    static Result<void> done(int status, const char* what) {
        if (status == 0) return {};
        return Error{
            ErrorKind::no_device, std::string("MPI: ") + what + " failed, error " + std::to_string(status), {}, ""};
    }
    template <class Call>
    Result<void> pieces(std::span<std::byte> bytes, const char* what, Call call) {
        for (std::size_t at = 0; at < bytes.size(); at += kMost / 2)
            if (auto ok = done(call(bytes.data() + at, static_cast<int>(std::min(kMost / 2, bytes.size() - at))), what);
                !ok)
                return ok;
        return {};
    }

    struct Arriving {
        std::optional<std::uint64_t> length;
        std::vector<std::byte> bytes;
    };
    struct Leaving {
        std::vector<std::byte> bytes;
        Handle request = 0;
        unsigned to = 0;
    };
    Result<void> send_piece(std::vector<std::byte> bytes, unsigned to) {
        Leaving& l = leaving_.emplace_back(std::move(bytes), Handle{0}, to);
        return done(table_.send(l.bytes.data(), static_cast<int>(l.bytes.size()), table_.byte, static_cast<int>(to),
                                kTag, table_.world, &l.request),
                    "a message");
    }

    SharedLibrary library_;
    MpiFunctions table_;
    unsigned rank_ = 0, size_ = 1;
    std::vector<Arriving> arriving_;  ///< by rank
    std::list<Leaving> leaving_;      ///< they stay in place until they are sent
    std::list<Leaving> abandoned_;    ///< MPI may still read them
};

}  // namespace

bool Mpi::started() { return first_of({Setting::ompi_size, Setting::pmi_size, Setting::slurm_size}).value_or(1) > 1; }

unsigned Mpi::rank_by_environment() {
    if (!started()) return 0;
    const auto rank = first_of({Setting::ompi_rank, Setting::pmi_rank, Setting::slurm_rank});
    return static_cast<unsigned>(std::max(0, rank.value_or(0)));
}

Result<std::shared_ptr<Mpi>> Mpi::open_files(const std::vector<std::string>& files) {
    auto library = SharedLibrary::open_first(files);
    if (!library)
        return Error{ErrorKind::no_device,
                     "no MPI library: " + library.error().what,
                     {},
                     fmt::format("install libopenmpi3, or name its file in {}", settings::variable(Setting::mpi))};
    // Its plugins look for its symbols in the global scope.
    (void)::dlopen(library->path().c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    MpiFunctions table;
    std::string missing;
#define WARPWRIGHT_MPI_LOAD(member, symbol, ...) \
    if (missing.empty() && !library->get(table.member, symbol)) missing = symbol;
    WARPWRIGHT_MPI_ENTRY_POINTS(WARPWRIGHT_MPI_LOAD)
#undef WARPWRIGHT_MPI_LOAD
    if (!missing.empty())
        return Error{
            ErrorKind::no_device, "'" + library->file() + "' is not an MPI library: it lacks " + missing, {}, ""};
    const auto object = [&](const char* name) { return reinterpret_cast<Handle>(library->symbol(name)); };
    table.world = object("ompi_mpi_comm_world");
    table.open_mpi = table.world != 0;
    if (table.open_mpi) {
        table.byte = object("ompi_mpi_byte");
        table.real = object("ompi_mpi_double");
        table.sum = object("ompi_mpi_op_sum");
    } else {  // the numbers of MPICH and of libraries with its interface
        table.world = 0x44000000;
        table.byte = 0x4c00010d;
        table.real = 0x4c00080b;
        table.sum = 0x58000003;
        table.no_status = reinterpret_cast<void*>(1);
    }
    int already = 0;
    (void)table.initialized(&already);
    if (!already && table.init(nullptr, nullptr) != 0)
        return Error{ErrorKind::no_device, "MPI does not start", {}, "see the lines above, and mpirun --help"};
    // A process that ends without this makes mpirun end the others.
    static EntryPoint<int()> finalize = nullptr;
    if (!already) {
        finalize = table.finalize;
        std::atexit([] { (void)finalize(); });
    }
    return std::shared_ptr<Mpi>(std::make_shared<Started>(std::move(*library), table));
}

Result<std::shared_ptr<Mpi>> Mpi::open() {
    static std::shared_ptr<Mpi> kept;
    if (kept) return kept;
    const std::string own = settings::text(Setting::mpi);
    auto made =
        open_files(own.empty() ? std::vector<std::string>{"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so"}
                               : std::vector<std::string>{own});
    if (made) kept = *made;
    return made;
}

}  // namespace warpwright::vendor

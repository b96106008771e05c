// Another process wrote what lies in the file, so counts are taken from it only where they are bounded.
#include "libraries/nccl/meeting.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "host/machine.hpp"
#include "host/memory.hpp"
#include "host/processes.hpp"

namespace warpwright::libraries::nccl {

struct Meeting::Header {
    std::uint64_t magic = 0, key = 0;
    std::atomic<std::uint32_t> ranks{0};
    std::atomic<std::uint32_t> arrived{0}, phase{0};
    std::atomic<std::int32_t> process[kMostRanks] = {};  ///< 0: it has not come yet
    Box boxes[kMostRanks * kMostRanks] = {};
};

namespace {

constexpr std::uint64_t kMagic = 0x6c63636e2d777077;
constexpr std::int32_t kLeft = -1;  ///< instead of a process: the rank was there

/// What a ncclUniqueId holds.
struct Name {
    std::uint64_t magic, key;
    std::int32_t process, file;
};
static_assert(sizeof(Name) <= NCCL_UNIQUE_ID_BYTES);

constexpr std::size_t kPage = 4096;
template <class Header>
constexpr std::size_t header_bytes() {
    return (sizeof(Header) + kPage - 1) / kPage * kPage;
}

}  // namespace

static constexpr std::size_t kSlots = std::size_t{Meeting::kMostRanks} * Meeting::kSlotBytes,
                             kBoxes = std::size_t{Meeting::kMostRanks} * Meeting::kMostRanks * Meeting::kBoxBytes;

std::shared_ptr<Meeting> Meeting::map(int file) {
    void* at = ::mmap(nullptr, header_bytes<Header>() + kSlots + kBoxes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
    return at == MAP_FAILED ? nullptr : std::shared_ptr<Meeting>(new Meeting(static_cast<Header*>(at), -1));
}

std::shared_ptr<Meeting> Meeting::make(ncclUniqueId& id) {
    const int file = host::unnamed_file("warpwright-nccl");
    if (file < 0) return nullptr;
    // Only pages that are touched take memory.
    auto made =
        ::ftruncate(file, static_cast<off_t>(header_bytes<Header>() + kSlots + kBoxes)) == 0 ? map(file) : nullptr;
    Name name{kMagic, 0, ::getpid(), file};
    if (!made || !host::random_bytes(&name.key, sizeof name.key)) {
        ::close(file);
        return nullptr;
    }
    made->file_ = file;
    new (made->header_) Header;
    made->header_->key = name.key;
    made->header_->magic = kMagic;
    std::memset(&id, 0, sizeof id);
    std::memcpy(&id, &name, sizeof name);
    return made;
}

std::shared_ptr<Meeting> Meeting::open(const ncclUniqueId& id) {
    Name name;
    std::memcpy(&name, &id, sizeof name);
    if (name.magic != kMagic || name.process <= 0 || name.file < 0) return nullptr;
    const int file = host::open_descriptor_of(name.process, name.file);
    struct stat status{};
    std::shared_ptr<Meeting> opened;
    if (file >= 0 && ::fstat(file, &status) == 0 &&
        static_cast<std::size_t>(status.st_size) == header_bytes<Header>() + kSlots + kBoxes)
        opened = map(file);
    if (file >= 0) ::close(file);
    const bool good = opened && opened->header_->magic == kMagic && opened->header_->key == name.key;
    return good ? opened : nullptr;
}

Meeting::~Meeting() {
    ::munmap(header_, header_bytes<Header>() + kSlots + kBoxes);
    if (file_ >= 0) ::close(file_);
}

bool Meeting::join(unsigned ranks, unsigned rank) {
    std::uint32_t none = 0;
    if (!header_->ranks.compare_exchange_strong(none, ranks) && none != ranks) return false;
    std::int32_t nobody = 0;
    return header_->process[rank].compare_exchange_strong(nobody, ::getpid());
}

bool Meeting::complete() const {
    const unsigned ranks = std::min<unsigned>(header_->ranks, kMostRanks);
    for (unsigned rank = 0; rank < ranks; ++rank)
        if (header_->process[rank] == 0) return false;
    return ranks != 0;
}

void Meeting::leave(unsigned rank) { header_->process[rank] = kLeft; }

bool Meeting::lives(unsigned rank) const {
    const auto id = header_->process[rank].load();
    return id == 0 || (id > 0 && host::runs(id));
}

bool Meeting::all_live() const {
    for (unsigned rank = 0; rank < kMostRanks; ++rank)
        if (!lives(rank)) return false;
    return true;
}

bool Meeting::meet(const std::function<bool()>& gives_up) {
    const unsigned ranks = std::min<unsigned>(header_->ranks, kMostRanks), phase = header_->phase;
    if (header_->arrived.fetch_add(1) + 1 == ranks) {
        header_->arrived = 0;
        ++header_->phase;
        return true;
    }
    for (unsigned turn = 0; header_->phase == phase; ++turn) {
        if (turn < 200) {
            std::this_thread::yield();
            continue;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        if (turn % 1000 != 0) continue;
        if (gives_up()) return false;
        // One that has left may have come here before.
        if (!all_live()) return header_->phase != phase;
    }
    return true;
}

std::byte* Meeting::slot(unsigned rank) const {
    return reinterpret_cast<std::byte*>(header_) + header_bytes<Header>() + rank * kSlotBytes;
}

Meeting::Box& Meeting::box(unsigned from, unsigned to) const { return header_->boxes[from * kMostRanks + to]; }

std::byte* Meeting::piece(unsigned from, unsigned to) const {
    return reinterpret_cast<std::byte*>(header_) + header_bytes<Header>() + kSlots +
           (std::size_t{from} * kMostRanks + to) * kBoxBytes;
}

}  // namespace warpwright::libraries::nccl

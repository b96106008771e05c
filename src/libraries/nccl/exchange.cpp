// The data of an exchange: device memory is this process's, so that ranks of one process need no copies in between;
// others hand theirs over piece by piece (meeting.hpp). Elements are combined in the order of ranks.
#include "libraries/nccl/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "cudart/state/runtime.hpp"
#include "libraries/nccl/elements.hpp"

namespace warpwright::libraries::nccl {
namespace {

/// Combined at a time, so that a result lies in the cache before it is copied to all ranks.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

const std::byte* at(const void* p, std::size_t offset) { return static_cast<const std::byte*>(p) + offset; }
std::byte* at(void* p, std::size_t offset) { return static_cast<std::byte*>(p) + offset; }

/// Combines `bytes` bytes at `offset` of all ranks' sources; calls `give` with each piece and its place among them.
template <class Give>
void combine(const std::vector<Part>& parts, std::size_t offset, std::size_t bytes, Give give) {
    const Part& any = parts.front();
    const std::size_t element = bytes_of(any.type);
    std::vector<std::byte> piece(kPieceBytes);
    std::vector<const void*> sources(parts.size());
    for (std::size_t done = 0; done < bytes; done += piece.size()) {
        const std::size_t now = std::min(piece.size(), bytes - done);
        for (std::size_t rank = 0; rank < parts.size(); ++rank) sources[rank] = at(parts[rank].from, offset + done);
        reduce(piece.data(), sources, now / element, any.type, any.op);
        give(piece.data(), done, now);
    }
}

}  // namespace

void exchange(const std::vector<Part>& parts) {
    const Part& any = parts.front();
    const std::size_t bytes = any.bytes();
    switch (any.kind) {
        case Kind::all_reduce:
        case Kind::reduce:
            combine(parts, 0, bytes, [&](const std::byte* piece, std::size_t offset, std::size_t now) {
                for (const Part& p : parts)
                    if (any.kind == Kind::all_reduce || p.comm->rank == any.root)
                        std::memcpy(at(p.to, offset), piece, now);
            });
            return;
        case Kind::reduce_scatter:
            for (std::size_t rank = 0; rank < parts.size(); ++rank)
                combine(parts, rank * bytes, bytes, [&](const std::byte* piece, std::size_t offset, std::size_t now) {
                    std::memcpy(at(parts[rank].to, offset), piece, now);
                });
            return;
        case Kind::broadcast:
            for (const Part& p : parts) std::memmove(p.to, parts[any.root].from, bytes);
            return;
        case Kind::all_gather:
            for (const Part& p : parts)
                for (std::size_t rank = 0; rank < parts.size(); ++rank)
                    std::memmove(at(p.to, rank * bytes), parts[rank].from, bytes);
            return;
        case Kind::send:
        case Kind::receive:
            return;
    }
}

void move(const std::vector<Part>& sends, const std::vector<Part>& receives) {
    // What a rank receives may be what it sends: all is read before anything is written.
    std::vector<std::vector<std::byte>> data;
    for (const Part& s : sends) data.emplace_back(at(s.from, 0), at(s.from, s.bytes()));
    for (std::size_t k = 0; k < receives.size(); ++k) std::memcpy(receives[k].to, data[k].data(), data[k].size());
}

namespace {

/// One rank that meets the others.
class Meeter {
public:
    explicit Meeter(const Part& any)
        : comm_(*any.comm), meeting_(*any.comm->clique->meeting), began_(std::chrono::steady_clock::now()) {}

    bool meet() {
        return meeting_.meet([&] { return gives_up(); });
    }
    bool gives_up() {
        constexpr std::chrono::seconds kSays{60};
        auto& runtime = cudart::Runtime::get();
        if (std::chrono::steady_clock::now() - began_ > kSays)
            runtime.say("NCCL: rank " + std::to_string(comm_.rank) + " of " + std::to_string(comm_.ranks()) +
                        " has waited for the others for a minute, and goes on waiting");
        return runtime.ending() || comm_.aborted;
    }

    /// `bytes` bytes of every rank that gives some, piece by piece: `take` gets the ranks' pieces.
    template <class Take>
    bool all(const void* mine, std::size_t bytes, std::size_t element, Take take) {
        const std::size_t most = Meeting::kSlotBytes / element * element;
        for (std::size_t done = 0; done < bytes; done += most) {
            const std::size_t now = std::min(most, bytes - done);
            if (mine) std::memcpy(meeting_.slot(comm_.rank), at(mine, done), now);
            if (!meet()) return false;
            std::vector<const void*> pieces;
            for (unsigned rank = 0; rank < comm_.ranks(); ++rank) pieces.push_back(meeting_.slot(rank));
            take(pieces, done, now);
            if (!meet()) return false;
        }
        return true;
    }

    bool collective(const Part& p) {
        const std::size_t bytes = p.bytes(), element = bytes_of(p.type);
        const auto reduced = [&](bool mine) {
            return [&, mine](const std::vector<const void*>& pieces, std::size_t offset, std::size_t now) {
                if (mine) reduce(at(p.to, offset), pieces, now / element, p.type, p.op);
            };
        };
        switch (p.kind) {
            case Kind::all_reduce:
                return all(p.from, bytes, element, reduced(true));
            case Kind::reduce:
                return all(p.from, bytes, element, reduced(comm_.rank == p.root));
            case Kind::reduce_scatter:
                for (unsigned rank = 0; rank < comm_.ranks(); ++rank)
                    if (!all(at(p.from, rank * bytes), bytes, element, reduced(comm_.rank == rank))) return false;
                return true;
            case Kind::broadcast:
                return all(comm_.rank == p.root ? p.from : nullptr, bytes, element,
                           [&](const std::vector<const void*>& pieces, std::size_t offset, std::size_t now) {
                               std::memcpy(at(p.to, offset), pieces[p.root], now);
                           });
            case Kind::all_gather:
                return all(p.from, bytes, element,
                           [&](const std::vector<const void*>& pieces, std::size_t offset, std::size_t now) {
                               for (unsigned rank = 0; rank < comm_.ranks(); ++rank)
                                   std::memcpy(at(p.to, rank * bytes + offset), pieces[rank], now);
                           });
            default:
                return true;
        }
    }

    /// All sends and receives go on side by side: of those between the same ranks, one after the other.
    bool boxes(const std::vector<Part>& parts) {
        std::vector<std::size_t> done(parts.size(), 0);
        bool gone = false;
        for (unsigned idle = 0;;) {
            bool open = false, any = false;
            for (std::size_t k = 0; k < parts.size(); ++k) {
                if (done[k] == parts[k].bytes()) continue;
                open = true;
                const auto same = [&](std::size_t j) {
                    return parts[j].kind == parts[k].kind && parts[j].root == parts[k].root &&
                           done[j] < parts[j].bytes();
                };
                bool first = true;
                for (std::size_t j = 0; j < k; ++j) first = first && !same(j);
                if (first) any |= step(parts[k], done[k]);
            }
            if (!open) return true;
            // One that has left may have given its last piece before, so they are looked at once more.
            if (gone && !any) return false;
            idle = any ? 0 : idle + 1;
            if (idle > 200) std::this_thread::sleep_for(std::chrono::microseconds(50));
            gone = false;
            if (idle % 1000 != 999) continue;
            if (gives_up()) return false;
            for (std::size_t k = 0; k < parts.size(); ++k)
                gone = gone || (done[k] != parts[k].bytes() && !meeting_.lives(parts[k].root));
        }
    }

private:
    bool step(const Part& p, std::size_t& done) {
        const bool sends = p.kind == Kind::send;
        const unsigned from = sends ? comm_.rank : p.root, to = sends ? p.root : comm_.rank;
        auto& box = meeting_.box(from, to);
        const std::size_t held = box.bytes, left = p.bytes() - done;
        if (sends) {
            if (held != 0) return false;
            const std::size_t now = std::min(left, Meeting::kBoxBytes);
            std::memcpy(meeting_.piece(from, to), at(p.from, done), now);
            done += now;
            box.bytes = static_cast<std::uint32_t>(now);
            return true;
        }
        if (held == 0) return false;
        const std::size_t now = std::min({left, held, Meeting::kBoxBytes});
        std::memcpy(at(p.to, done), meeting_.piece(from, to), now);
        done += now;
        box.bytes = 0;
        return true;
    }

    Communicator& comm_;
    Meeting& meeting_;
    const std::chrono::steady_clock::time_point began_;
};

}  // namespace

bool exchange_with_others(const std::vector<Part>& parts) {
    Meeter meeter(parts.front());
    std::vector<Part> singles;
    for (const Part& p : parts) {
        if (p.moves_one())
            singles.push_back(p);
        else if (!meeter.collective(p))
            return false;
    }
    return singles.empty() || meeter.boxes(singles);
}

}  // namespace warpwright::libraries::nccl

// Parameter variables of calls: each cell that is always accessed whole becomes a register; a variable whose
// address is taken or whose accesses overlap lives in local memory.
#include <algorithm>
#include <map>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

bool storage_access(const Inst& i) {
    return (i.kind == InstKind::load || i.kind == InstKind::store) && i.space == ptx::Space::param;
}

class Promotion {
public:
    explicit Promotion(Function& f) : f_(f), cells_(f.storages.size()) {}

    void run() {
        for (auto& b : f_.blocks)
            for (auto& i : b.insts)
                if (storage_access(i)) note(i);
        place();
        for (auto& b : f_.blocks) {
            std::vector<Inst> out;
            out.reserve(b.insts.size());
            for (auto& i : b.insts) rewrite(i, out);
            b.insts = std::move(out);
        }
        f_.storages.clear();
    }

private:
    struct Cell {
        ptx::Type type;
        ValueId reg = kNone;
    };

    /// Records one access: its cell, or that the variable must be in memory.
    void note(const Inst& i) {
        auto& s = f_.storages[i.symbol];
        const auto offset = static_cast<std::uint64_t>(i.offset);
        const auto size = ptx::bytes(i.type);
        auto& map = cells_[i.symbol];
        auto at = map.find(offset);
        if (at != map.end()) {
            // Cells smaller than a word would need truncation and extension, so they stay in memory.
            if (ptx::bytes(at->second.type) != size || size < 4) s.in_memory = true;
            if (register_class(at->second.type) != register_class(i.type))
                at->second.type = size == 8 ? ptx::Type::b64 : ptx::Type::b32;
            return;
        }
        if (size < 4) s.in_memory = true;
        auto next = map.lower_bound(offset);
        if (next != map.end() && next->first < offset + size) s.in_memory = true;
        if (next != map.begin()) {
            auto before = std::prev(next);
            if (before->first + ptx::bytes(before->second.type) > offset) s.in_memory = true;
        }
        map[offset] = {i.type};
    }

    /// Assigns registers to the cells, and places in local memory to the rest.
    void place() {
        for (std::size_t i = 0; i < f_.storages.size(); ++i) {
            auto& s = f_.storages[i];
            if (!s.in_memory) {
                for (auto& [offset, cell] : cells_[i]) cell.reg = new_value(f_, cell.type);
            } else if (!s.placed) {
                f_.local_bytes = (f_.local_bytes + s.align - 1) / s.align * s.align;
                s.offset = f_.local_bytes;
                s.placed = true;
                f_.local_bytes += s.size;
            }
        }
        f_.local_bytes = (f_.local_bytes + 15) / 16 * 16;
    }

    void rewrite(Inst& i, std::vector<Inst>& out) {
        if (i.kind == InstKind::address && i.space == ptx::Space::local && i.symbol == kOutgoing)
            i.offset += static_cast<std::int64_t>(f_.local_bytes);
        if (i.kind == InstKind::address && i.space == ptx::Space::param) {
            i.offset += static_cast<std::int64_t>(f_.storages[i.symbol].offset);
            i.space = ptx::Space::local;
            i.symbol = kNone;
        }
        if (storage_access(i)) {
            if (f_.storages[i.symbol].in_memory)
                through_memory(i, out);
            else
                to_move(i);
        }
        out.push_back(std::move(i));
    }

    void to_move(Inst& i) {
        const auto& cell = cells_[i.symbol][static_cast<std::uint64_t>(i.offset)];
        i.type = cell.type;
        if (i.kind == InstKind::load)
            i.in = {Operand::of(cell.reg)};
        else
            i.out = {cell.reg};
        i.kind = InstKind::move;
        i.space = ptx::Space::generic;
        i.offset = 0;
        i.symbol = kNone;
    }

    void through_memory(Inst& i, std::vector<Inst>& out) {
        Inst a;
        a.kind = InstKind::address;
        a.ptx = i.ptx;
        a.counted = false;
        a.space = ptx::Space::local;
        a.type = ptx::Type::b64;
        a.offset = static_cast<std::int64_t>(f_.storages[i.symbol].offset) + i.offset;
        const auto address = new_value(f_, ptx::Type::b64);
        a.out = {address};
        out.push_back(std::move(a));
        i.space = ptx::Space::local;
        i.offset = 0;
        i.symbol = kNone;
        i.counted = false;
        i.in.insert(i.in.begin(), Operand::of(address));
    }

    Function& f_;
    std::vector<std::map<std::uint64_t, Cell>> cells_;
};

}  // namespace

Result<void> promote_parameters(Function& f) {
    Promotion(f).run();
    return {};
}

}  // namespace warpwright::simt

// Parameter variables of calls: each cell that is always accessed whole becomes a register; a variable whose
// address is taken or whose accesses overlap lives in local memory.
#include <algorithm>
#include <map>

#include "simt/builder.hpp"

namespace warpwright::simt {

void Builder::promote() {
    struct Cell {
        ptx::Type type;
        ValueId reg = kNone;
    };
    std::vector<std::map<std::uint64_t, Cell>> cells(storages_.size());
    auto storage_access = [](const Inst& i) {
        return (i.kind == InstKind::load || i.kind == InstKind::store) && i.space == ptx::Space::param;
    };
    for (auto& b : f_.blocks)
        for (auto& i : b.insts) {
            if (!storage_access(i)) continue;
            auto& s = storages_[i.symbol];
            auto offset = static_cast<std::uint64_t>(i.offset);
            auto size = ptx::bytes(i.type);
            auto& map = cells[i.symbol];
            auto at = map.find(offset);
            if (at != map.end()) {
                // Sub-word cells would need truncation and extension: leave those to memory.
                if (ptx::bytes(at->second.type) != size || size < 4) s.in_memory = true;
                if (register_class(at->second.type) != register_class(i.type)) {
                    auto wide = size == 8 ? ptx::Type::b64 : ptx::Type::b32;
                    at->second.type = wide;
                }
                continue;
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
    for (std::size_t i = 0; i < storages_.size(); ++i) {
        auto& s = storages_[i];
        if (!s.in_memory) {
            for (auto& [offset, cell] : cells[i]) cell.reg = temp(cell.type);
        } else if (!s.placed) {
            f_.local_bytes = (f_.local_bytes + s.align - 1) / s.align * s.align;
            s.offset = f_.local_bytes;
            s.placed = true;
            f_.local_bytes += s.size;
        }
    }
    f_.local_bytes = (f_.local_bytes + 15) / 16 * 16;
    for (auto& b : f_.blocks) {
        std::vector<Inst> out;
        out.reserve(b.insts.size());
        for (auto& i : b.insts) {
            if (i.kind == InstKind::address && i.space == ptx::Space::local && i.symbol == kOutgoing)
                i.offset += static_cast<std::int64_t>(f_.local_bytes);
            if (i.kind == InstKind::address && i.space == ptx::Space::param) {
                i.offset += static_cast<std::int64_t>(storages_[i.symbol].offset);
                i.space = ptx::Space::local;
                i.symbol = kNone;
            }
            if (!storage_access(i)) {
                out.push_back(std::move(i));
                continue;
            }
            auto& s = storages_[i.symbol];
            if (!s.in_memory) {
                auto& cell = cells[i.symbol][static_cast<std::uint64_t>(i.offset)];
                i.type = cell.type;
                if (i.kind == InstKind::load)
                    i.in = {Operand::of(cell.reg)};
                else
                    i.out = {cell.reg};
                i.kind = InstKind::move;
                i.space = ptx::Space::generic;
                i.offset = 0;
                i.symbol = kNone;
                out.push_back(std::move(i));
                continue;
            }
            Inst a;
            a.kind = InstKind::address;
            a.ptx = i.ptx;
            a.counted = false;
            a.space = ptx::Space::local;
            a.type = ptx::Type::b64;
            a.offset = static_cast<std::int64_t>(s.offset) + i.offset;
            auto address = temp(ptx::Type::b64);
            a.out = {address};
            out.push_back(std::move(a));
            i.space = ptx::Space::local;
            i.offset = 0;
            i.symbol = kNone;
            i.counted = false;
            i.in.insert(i.in.begin(), Operand::of(address));
            out.push_back(std::move(i));
        }
        b.insts = std::move(out);
    }
}

}  // namespace warpwright::simt

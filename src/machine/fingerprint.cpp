// Each structure is taken apart by a structured binding, so that one with a new member does not compile here until the
// member is in the hash or is left out on purpose.
#include "machine/fingerprint.hpp"

#include "support/bytes_of_values.hpp"
#include "support/content_hash.hpp"

namespace warpwright::machine {

namespace {

class Fingerprint {
public:
    void add(const Code& code) {
        const auto& [blocks, unrolled, regions, keeps, files, told, values, instructions] = code;
        w_.all(files, values, instructions, told.has_value());
        if (told) w_.all(told->frame, told->stores, told->loads);
        w_.each(blocks, [&](const Block& b) { add(b); });
        w_.each(unrolled, [&](const Unrolled& u) {
            const auto& [body, turns, room] = u;
            add(body), w_.all(turns, room);
        });
        w_.each(regions, [&](const Region& r) { add(r); });
    }
    std::string digest() const { return content_hash(w_.bytes()); }

private:
    void add(const Block& b) {
        const auto& [phis, ops, guards, predicated, accesses, slots, counted, unrolled, region] = b;
        w_.each(phis, [&](const Phi& phi) { w_.all(phi.out, phi.in); });
        w_.each(ops, [&](const Op& op) { add(op); });
        w_.all(guards, predicated, accesses, slots, counted, unrolled, region);
    }
    void add(const Region& r) {
        const auto& [body, parts, joins] = r;
        add(body);
        w_.each(parts, [&](const Region::Part& p) { w_.all(p.block, p.guarded); });
        w_.each(joins, [&](const Region::Join& j) { w_.all(j.out, j.in); });
    }
    void add(const Op& op) {
        const auto& [pipe, effect, issues, special, chain, work, space, bytes, joined, access, part, splits, takes,
                     returns, compares, by_element, adds_float, past_first, invalidates, waits_stores, wide_constant,
                     of_thread, constant_at, repeats, waits_phase, source_only, pending, matrix, flops, operand_bytes,
                     spill, barrier, in, out, uses, ptx] = op;
        w_.all(pipe, effect, issues, special, chain, work, space, bytes, joined, access, part, splits, takes, returns,
               compares, by_element, adds_float, past_first, invalidates, waits_stores, wide_constant, of_thread,
               constant_at, repeats, waits_phase, source_only, pending, matrix, flops, operand_bytes, spill, barrier,
               in, out, uses, ptx != nullptr);
        if (ptx) add(*ptx);
    }
    /// (Where an instruction stands in the text of the PTX is shown in pictures alone, which are not kept.)
    void add(const simt::Details& d) {
        const auto& [op, mods, types, types_at, access, arithmetic, extent, operands, waits, nounroll, line, column,
                     source, inlined_at] = d;
        const auto& [order, scope, cache, vector, is_volatile, mmio, atomic] = access;
        const auto& [rounding, flush, saturate] = arithmetic;
        w_.all(op, mods, types, types_at, order, scope, cache, vector, is_volatile, mmio, atomic, rounding, flush,
               saturate, extent.m, extent.n, extent.k, waits, nounroll, source.file, source.line, inlined_at.file,
               inlined_at.line);
        w_.each(operands, [&](const simt::Written& o) { add(o); });
    }
    void add(const simt::Written& o) {
        const auto& [kind, minus, negated, value, text, elements] = o;
        w_.all(kind, minus, negated, value, text);
        w_.each(elements, [&](const simt::Written& e) { add(e); });
    }

    ByteWriter w_;
};

}  // namespace

std::string fingerprint(const Code& code) {
    Fingerprint f;
    f.add(code);
    return f.digest();
}

}  // namespace warpwright::machine

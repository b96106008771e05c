// An entry is found by its instruction, so that all copies of a block share it. The number of requests, the width and
// the memory order of a site are decided here, for counters and checkers alike.
#include "engine/codegen/sites.hpp"

#include <algorithm>

#include "engine/codegen/checked_access.hpp"
#include "engine/shared/check_order.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::Space;

unsigned add_site(FunctionState& fn, const SiteInfo& site) {
    fn.layout.sites.push_back(site);
    return static_cast<unsigned>(fn.layout.sites.size() - 1);
}

SiteInfo site_at(const FunctionState& fn, const simt::Inst& i, simt::Space space) {
    SiteInfo s;
    s.ptx = i.ptx;
    s.block = fn.at.block;
    s.space = space;
    return s;
}

V site_number(FunctionState& fn, unsigned site) { return fn.i32(fn.layout.first_site + site); }

unsigned site_index(FunctionState& fn, const simt::Inst& i) {
    auto found = fn.site_of.find(&i);
    if (found != fn.site_of.end()) return found->second;
    auto s = site_at(fn, i, i.space);
    s.bytes = simt::bytes(i.type);
    s.count = static_cast<std::uint32_t>(i.kind == InstKind::store ? i.in.size() - 1
                                                                   : std::max<std::size_t>(1, i.out.size()));
    s.kind = i.kind == InstKind::store    ? SiteInfo::Kind::store
             : i.kind == InstKind::atomic ? SiteInfo::Kind::atomic
                                          : SiteInfo::Kind::load;
    // Local memory is interleaved by words: an access of several words is a request for each.
    if (s.space == Space::local) s.requests = std::max(1u, s.bytes * s.count / 4);
    s.counted = i.counted && fn.options.counters;
    s.type = i.type;
    if (fn.options.check && i.ptx) {
        const auto order = order_of(i.ptx->access);
        s.strength = order.strength, s.acquire = order.acquire, s.release = order.release, s.wide = order.wide;
        if (i.kind == InstKind::load) s.copied = copied_elements(fn, i), s.unused = unused_elements(fn, i);
        if (i.kind == InstKind::store) s.rounded = stores_floats(fn, i);
    }
    const auto index = add_site(fn, s);
    fn.site_of[&i] = index;
    return index;
}

unsigned barrier_index(FunctionState& fn, const simt::Inst& i) {
    for (unsigned k = 0; k < fn.layout.barriers.size(); ++k)
        if (fn.layout.barriers[k] == i.ptx) return k;
    fn.layout.barriers.push_back(i.ptx);
    return static_cast<unsigned>(fn.layout.barriers.size() - 1);
}

unsigned form_index(FunctionState& fn, const simt::Inst& i, std::shared_ptr<void> form) {
    auto found = fn.form_of.find(&i);
    if (found != fn.form_of.end()) return found->second;
    fn.layout.forms.push_back(std::move(form));
    const auto index = fn.layout.first_form + static_cast<unsigned>(fn.layout.forms.size()) - 1;
    fn.form_of[&i] = index;
    return index;
}

}  // namespace warpwright::engine::codegen

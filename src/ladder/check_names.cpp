// Holds every expression of a ladder against the names that its place may use, so that a misspelt name is an error when
// the file is read and not when a rung runs.
#include "ladder/check_names.hpp"

namespace warpwright::ladder {

std::optional<Error> check_names(const Ladder& ladder) {
    std::optional<Error> found;
    auto fail = [&](Error error) {
        if (!found) found = std::move(error);
    };
    std::vector<std::int64_t> size = ladder.default_sizes.empty()
                                         ? std::vector<std::int64_t>(ladder.size_names.size(), 1)
                                         : ladder.default_sizes.front();
    auto must = [&](const Expression& e, const Variables& v) {
        if (auto value = e.real(v); !value) fail(value.error());
    };
    auto whole = variants(ladder, Rung{}, {});
    if (!whole) return whole.error();
    auto base = variables_of(ladder, Rung{}, size, whole->front());
    if (!base) return base.error();
    // Expressions of the problem see the sizes and the ladder's axes, not those of a rung.
    if (ladder.require) must(*ladder.require, *base);
    for (const Buffer& b : ladder.buffers) must(b.count, *base);
    for (const Expression& e : ladder.reference.sizes) must(e, *base);
    for (const Rung& r : ladder.rungs) {
        auto list = variants(ladder, r, {});
        if (!list) return list.error();
        auto v = variables_of(ladder, r, size, list->front());
        if (!v) return v.error();
        must(r.flops, *v);
        must(r.bytes, *v);
        must(r.tolerance.relative, *v);
        must(r.tolerance.rounding, *v);
        if (r.require) must(*r.require, *v);
        for (const auto& [macro, text] : r.defines) {
            bool word = false;
            for (const auto& [name, value] : list->front()) word = word || (name == text && !value.number);
            if (!word) must(*Expression::parse(text, r.where), *v);
        }
        for (const Launch& l : r.launches) {
            Variables inner = *v;
            inner["pass"] = 0;
            if (l.repeat) {
                must(l.repeat->start, inner);
                inner[l.repeat->variable] = 2;
                must(l.repeat->next, inner);
            }
            for (const auto& e : l.grid) must(e, inner);
            for (const auto& e : l.block) must(e, inner);
            must(l.shared, inner);
            if (l.cluster)
                for (const auto& e : *l.cluster) must(e, inner);
            for (const Argument& a : l.arguments)
                if (a.map) {
                    for (const auto* entries : {&a.map->size, &a.map->stride, &a.map->box})
                        for (const auto& e : *entries) must(e, inner);
                    must(a.map->swizzle, inner);
                }
            for (const Argument& a : l.arguments)
                for (const std::string* text : {&a.text, &a.first, &a.last, &a.even, &a.odd})
                    if (!text->empty() && !ladder.buffer(*text)) must(*Expression::parse(*text, a.where), inner);
        }
    }
    return found;
}

}  // namespace warpwright::ladder

// Any text as an expression of a ladder file and as an array index of `explain`: an error or a value.
// Run: ww_fuzz_expression tests/fuzz/corpus/expression
#include <vector>

#include "explain/expression.hpp"
#include "fuzz_target.hpp"
#include "ladder/expression.hpp"

using namespace warpwright;

FUZZ_TARGET(expression) {
    const std::string words(text);
    if (auto e = ladder::Expression::parse(words); !e) {
        fuzz::check(e.error());
    } else {
        ladder::Variables variables;
        for (const std::string& name : e->names()) variables[name] = 3;
        if (auto value = e->real(variables); !value) fuzz::check(value.error());
        if (auto value = e->integer(variables); !value) fuzz::check(value.error());
        if (auto value = e->real({}); !value) fuzz::check(value.error());
    }
    if (auto e = explain::IndexExpression::parse(words); !e) {
        fuzz::check(e.error());
    } else {
        for (const std::int64_t each : {std::int64_t{0}, std::int64_t{7}, INT64_MIN, INT64_MAX}) {
            const std::vector<std::int64_t> values(e->names().size() + 1, each);
            if (auto index = e->index(values.data()); !index) fuzz::check(index.error());
        }
        for (const auto& width : e->widths()) {
            if (auto padded = e->padded(width, 1); !padded) fuzz::check(padded.error());
            if (auto swizzled = e->swizzled(width, 31, 1); !swizzled) fuzz::check(swizzled.error());
        }
        if (auto exchanged = e->exchanged("threadIdx.x", "threadIdx.y"); !exchanged) fuzz::check(exchanged.error());
    }
}

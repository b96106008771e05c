// Values in two doubles where one cannot hold the result, with the sum of magnitudes from which the tolerance follows.
#include "ladder/reference.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::ladder {

Expected::Expected(std::uint64_t count, bool wide) : high_(count), low_(wide ? count : 0), magnitude_(count) {}

void Expected::set(std::uint64_t i, long double value, double magnitude) {
    high_[i] = static_cast<double>(value);
    if (!low_.empty()) low_[i] = std::isfinite(high_[i]) ? static_cast<double>(value - high_[i]) : 0.0;
    magnitude_[i] = magnitude;
}

bool needs_more_than_double(values::Element out) {
    return out == values::Element::f64 || (!values::is_floating(out) && values::element_size(out) == 8);
}

Result<Expected> reference_elementwise(const Expression& expression, const HostBuffers& inputs,
                                       const Variables& variables, values::Element out, std::uint64_t count) {
    Variables values = variables;
    values["i"] = 0;
    for (const auto& [name, buffer] : inputs) {
        if (buffer.count() < count &&
            std::find(expression.names().begin(), expression.names().end(), name) != expression.names().end())
            return Error{
                ErrorKind::input,
                "the reference reads '" + name + "' beyond its " + std::to_string(buffer.count()) + " elements",
                expression.where(), ""};
        values[name] = 0;
    }
    auto bound = BoundExpression::bind(expression, values);
    if (!bound) return std::move(bound).error();
    std::vector<std::pair<double*, const HostBuffer*>> used;
    for (const auto& [name, buffer] : inputs)
        if (buffer.count() >= count) used.emplace_back(&values[name], &buffer);
    double& index = values["i"];
    Expected expected(count, false);
    std::byte stored[8];
    for (std::uint64_t i = 0; i < count; ++i) {
        index = static_cast<double>(i);
        for (auto& [value, buffer] : used) *value = static_cast<double>((*buffer)[i]);
        double result = (*bound)();
        if (!values::is_floating(out)) {
            if (!std::isfinite(result))
                return Error{ErrorKind::input, "the reference is not a number at element " + std::to_string(i),
                             expression.where(), ""};
            values::store_element(out, stored, result);
            expected.set(i, values::load_element(out, stored), 0);
        } else {
            expected.set(i, result, std::fabs(result));
        }
    }
    return expected;
}

Expected reference_values(const HostBuffer& values) {
    Expected expected(values.count(), needs_more_than_double(values.element));
    for (std::uint64_t i = 0; i < values.count(); ++i) {
        long double v = values[i];
        expected.set(i, v, static_cast<double>(std::fabs(v)));
    }
    return expected;
}

}  // namespace warpwright::ladder

// A comparison for CI servers: as tests in JUnit's XML, and as a page of Markdown for a step's summary or a comment.
#pragma once

#include <string>

#include "store/compare.hpp"

namespace warpwright::store {

/// A test for each point, which fails where the gate does; one for the findings, and one for a gate that looked at
/// nothing. Without a gate none fails.
std::string to_junit(const Comparison& comparison, const FailOn& on, const Gate& gate);

/// What differs, with A under the name `before` and B under `now`; points that do not differ are a number.
std::string to_markdown(const Comparison& comparison, const Gate& gate, const std::string& before,
                        const std::string& now);

}  // namespace warpwright::store

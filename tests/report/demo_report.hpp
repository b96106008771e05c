// A hand-made report with every kind of block: a small page for golden files, and sixteen pages of the size that the
// laboratory makes, with listings of the kernels and counts beside their lines. Figures are made up by rules.
#pragma once

#include "record/page.hpp"

namespace warpwright::test {

/// One page with each kind of block once or twice, and texts that try to be markup.
record::Page every_block_page();

record::Environment demo_environment();

/// Sixteen pages; `source` is the source tree, whose kernels are listed.
record::Report demo_report(const std::string& source);

}  // namespace warpwright::test

// A progress bar as one line of text. Printing it, and knowing whether there is a terminal, is the caller's.
#pragma once

#include <cstdint>
#include <string>

namespace warpwright::report {

class Progress {
public:
    /// `total` steps; 0 = not known, which shows the count without a bar.
    explicit Progress(std::uint64_t total, std::string label = {}) : total_(total), label_(std::move(label)) {}

    void label(std::string text) { label_ = std::move(text); }
    void advance(std::uint64_t steps = 1) { done_ += steps; }
    void done(std::uint64_t steps) { done_ = steps; }

    /// "matmul 03_tiled  [######----]  6/10  0:12  about 0:08 left", at most `width` columns, no line feed.
    /// `elapsed_s` is the time since the start, in seconds.
    std::string line(double elapsed_s, std::size_t width = 80, bool unicode = true, bool color = false) const;

private:
    std::uint64_t total_, done_ = 0;
    std::string label_;
};

}  // namespace warpwright::report

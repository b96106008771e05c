// Reads one line of a block of the warp IR's text (text.hpp).
#pragma once

#include "simt/ir.hpp"
#include "simt/text/line.hpp"

namespace warpwright::simt::text {

/// Reads lines into a function whose values, parameters and storages are known.
class InstructionReader {
public:
    explicit InstructionReader(Function& f) : f_(f) {}

    /// Nothing where all is well; else what is wrong with the line.
    std::optional<std::string> instruction(const Line& line, Inst& out);
    std::optional<std::string> terminator(const Line& line, Terminator& out);

private:
    bool done() const { return at_ == line_->words.size(); }
    std::string_view word() const { return line_->words[at_].text; }
    bool results(Inst& out);
    const Details* spelled();
    bool operands(Inst& i);
    bool named(Inst& i);
    bool address(Inst& i, std::string_view text);
    bool variable(Inst& i, std::string_view text);
    bool input(Inst& i, std::string_view text);
    bool trailers(Inst& i);
    bool details_of(Inst& i);

    Function& f_;
    const Line* line_ = nullptr;
    std::size_t at_ = 0;
    std::optional<std::string_view> written_;
    bool nounroll_ = false;
};

}  // namespace warpwright::simt::text

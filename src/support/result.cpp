// How places and errors read as one line. Names of files may come from a kernel, so their control characters are
// escaped.
#include "support/result.hpp"

#include "support/source_files.hpp"

namespace warpwright {

std::string Location::text() const {
    std::string out = printable(file);
    if (line != 0) {
        if (!out.empty()) out += ':';
        out += std::to_string(line);
        if (column != 0) out += ':' + std::to_string(column);
    }
    return out;
}

std::string Error::text() const {
    std::string out = where.text();
    if (!out.empty()) out += ": ";
    out += "error: " + printable_lines(what);
    if (!hint.empty()) out += " (" + printable_lines(hint) + ")";
    return out;
}

}  // namespace warpwright

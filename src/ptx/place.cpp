// Recognises a toolkit's headers by where they lie, because PTX says of a line no more than its file's name.
#include "ptx/place.hpp"

namespace warpwright::ptx {

bool is_toolkit_header(std::string_view path) {
    if (path.starts_with("/usr/")) return true;
    // Wherever a toolkit is unpacked, its headers are in targets/x86_64-linux/include, or sbsa-linux and so on.
    const auto target = path.find("-linux/include/");
    return target != path.npos && path.rfind("/targets/", target) != path.npos;
}

bool is_own(const Module& module, const SourceLine& line) {
    return line.line && line.file < module.files.size() && !module.files[line.file].empty() &&
           !is_toolkit_header(module.files[line.file]);
}

SourceLine own_place(const Module& module, SourceLine source, SourceLine inlined_at) {
    return !is_own(module, source) && is_own(module, inlined_at) ? inlined_at : source;
}

Location told_place(const Module& module, SourceLine source, SourceLine inlined_at, std::uint32_t line,
                    std::uint32_t column) {
    const bool given = module.files.size() <= 1 || module.name.ends_with(".ptx");
    const SourceLine at = own_place(module, source, inlined_at);
    if (at.line && at.file < module.files.size() && !module.files[at.file].empty())
        return {module.files[at.file], at.line, 0};
    return given ? Location{module.name, line, column} : Location{module.name, 0, 0};
}

}  // namespace warpwright::ptx

// The file's sections, symbols and needed libraries are read without running it. The objection is worded for the user
// with the way out, such as linking to the shared runtime library.
#include "profile/program.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "support/elf_view.hpp"
#include "support/libraries.hpp"
#include "support/read_file.hpp"

namespace warpwright::profile {
namespace {

bool starts(std::string_view text, std::initializer_list<const char*> words) {
    for (const char* w : words)
        if (text.starts_with(w)) return true;
    return false;
}

/// Whether there is one of ours with this file's name.
bool is_ours(std::string_view library) {
    return std::any_of(std::begin(kDropIns), std::end(kDropIns), [&](const DropIn& d) { return library == d.file(); });
}

/// "one, two and three"
std::string in_words(const std::vector<std::string>& list) {
    std::string out;
    for (std::size_t k = 0; k < list.size(); ++k)
        out += (k == 0 ? "" : k + 1 == list.size() ? " and " : ", ") + list[k];
    return out;
}

std::string titles_of_ours() {
    std::vector<std::string> titles;
    for (const DropIn& d : kDropIns)
        if (titles.empty() || titles.back() != d.title) titles.emplace_back(d.title);
    return in_words(titles);
}

/// "libcudart.so.13 and libcudart.so.12"
std::string versions_of(std::string_view name) {
    std::vector<std::string> files;
    for (const DropIn& d : kDropIns)
        if (name == d.name) files.push_back(d.file());
    return in_words(files);
}

/// Whether src/takeover works on this processor.
#ifdef __x86_64__
constexpr bool kTakesOver = true;
#else
constexpr bool kTakesOver = false;
#endif

/// A function of every static runtime.
constexpr const char* kRegistration = "__cudaRegisterFatBinary";

/// Whether a symbol table has this function's definition.
bool defines(const elf::View& file, const elf::Section& table, std::string_view name) {
    bool found = false;
    file.each_symbol(table, [&](const elf::Symbol& s) { found = found || (s.is_function() && s.name == name); });
    return found;
}

/// What a program's list of libraries says.
void read_needs(const elf::View& file, const elf::Section& table, ProgramFacts& facts) {
    file.each_dynamic_text(table, [&](const elf::Dynamic& d) {
        if (d.tag == DT_RPATH) facts.own_path = true;
        if (d.tag != DT_NEEDED) return;
        if (starts(d.text, {"libcudart.so"}))
            facts.runtime = d.text;
        else if (d.text == newest_drop_in("cuda")->file())
            facts.driver = true;
        else if (starts(d.text, {"libOpenCL.so"}))
            facts.opencl = true;
        else if (starts(d.text, {"libcublas", "libcufft", "libcurand", "libcusolver", "libcusparse", "libcudnn",
                                 "libnpp", "libnvrtc", "libnvjpeg", "libnccl", "libcufile", "libnvJitLink",
                                 "libcutensor", "libnvidia-ml"}) &&
                 !is_ours(d.text))
            facts.libraries.emplace_back(d.text);
    });
}

}  // namespace

std::optional<ProgramFacts> look_at(const std::string& path) {
    const auto bytes = read_bytes(path, file_limit::program);
    if (!bytes) return std::nullopt;
    const elf::View file(*bytes);
    ProgramFacts facts;
    facts.elf = file.valid();
    file.each_section([&](const elf::Section& s) {
        if (s.name == ".nv_fatbin" || s.name == ".nvFatBinSegment") facts.device_code = true;
        if (s.head.sh_type == SHT_SYMTAB) facts.static_runtime = defines(file, s, kRegistration);
        if (s.head.sh_type == SHT_DYNAMIC) read_needs(file, s, facts);
    });
    return facts;
}

namespace {

bool is_python(const std::string& name) {
    return name.compare(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1, 6, "python") == 0;
}

}  // namespace

std::string objection(const ProgramFacts& f, const std::string& name) {
    if (!f.elf) return "";  // perhaps a script that starts CUDA programs
    if (!f.libraries.empty()) {
        std::string list;
        for (const auto& l : f.libraries) list += (list.empty() ? "" : ", ") + l;
        return name + " uses " + list + ": the emulated GPU has " + titles_of_ours() + " only";
    }
    if (!f.runtime.empty()) {
        if (!is_ours(f.runtime))
            return name + " is linked to " + f.runtime + "; the versions that are here are " + versions_of("cudart");
        return "";
    }
    if (f.driver || f.opencl || (f.static_runtime && kTakesOver)) return "";
    if (f.device_code && kTakesOver)
        return name +
               " was stripped, so the static CUDA runtime in it cannot be replaced: do not strip it, or link the "
               "shared "
               "one (nvcc -cudart shared)";
    if (f.device_code)
        return name +
               " is linked to the static CUDA runtime, which can be replaced on x86-64 only: link the shared one (nvcc "
               "-cudart shared)";
    // Python loads its libraries while it runs. What made no use of a GPU is said after it has run.
    if (is_python(name)) return "";
    return name + " is not a CUDA program: it has no device code and does not use the CUDA runtime library, nor OpenCL";
}

}  // namespace warpwright::profile

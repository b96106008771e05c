#include "profile/program.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "support/libraries.hpp"
#include "support/read_file.hpp"

namespace warpwright::profile {
namespace {

/// A view of the file that returns nothing for bytes outside it.
struct File {
    std::string bytes;
    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
        if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T)) return nullptr;
        return reinterpret_cast<const T*>(bytes.data() + offset);
    }
    std::string text(std::uint64_t offset) const {
        if (offset >= bytes.size()) return "";
        return std::string(bytes.data() + offset, strnlen(bytes.data() + offset, bytes.size() - offset));
    }
};

bool starts(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* w : words)
        if (text.rfind(w, 0) == 0) return true;
    return false;
}

/// Whether there is one of ours with this file's name.
bool is_ours(const std::string& library) {
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
bool defines(const File& file, const Elf64_Shdr* sections, unsigned count, const Elf64_Shdr& table, const char* name) {
    if (table.sh_link >= count) return false;
    const auto number = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, number);
    for (std::uint64_t k = 0; symbols && k < number; ++k)
        if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && symbols[k].st_shndx != SHN_UNDEF &&
            file.text(sections[table.sh_link].sh_offset + symbols[k].st_name) == name)
            return true;
    return false;
}

}  // namespace

std::optional<ProgramFacts> look_at(const std::string& path) {
    auto bytes = read_file(path, file_limit::program);
    if (!bytes) return std::nullopt;
    File file{std::move(*bytes)};
    ProgramFacts facts;
    const auto* header = file.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return facts;
    facts.elf = true;
    const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (!sections || header->e_shstrndx >= header->e_shnum) return facts;
    const auto names = sections[header->e_shstrndx].sh_offset;
    for (unsigned k = 0; k < header->e_shnum; ++k) {
        const auto& s = sections[k];
        const auto name = file.text(names + s.sh_name);
        if (name == ".nv_fatbin" || name == ".nvFatBinSegment") facts.device_code = true;
        if (s.sh_type == SHT_SYMTAB) facts.static_runtime = defines(file, sections, header->e_shnum, s, kRegistration);
        if (s.sh_type != SHT_DYNAMIC || s.sh_link >= header->e_shnum) continue;
        const auto strings = sections[s.sh_link].sh_offset;
        const auto count = s.sh_size / sizeof(Elf64_Dyn);
        const auto* entries = file.at<Elf64_Dyn>(s.sh_offset, count);
        for (std::uint64_t i = 0; entries && i < count; ++i) {
            if (entries[i].d_tag == DT_RPATH) facts.own_path = true;
            if (entries[i].d_tag != DT_NEEDED) continue;
            const auto library = file.text(strings + entries[i].d_un.d_val);
            if (starts(library, {"libcudart.so"}))
                facts.runtime = library;
            else if (library == newest_drop_in("cuda")->file())
                facts.driver = true;
            else if (starts(library, {"libcublas", "libcufft", "libcurand", "libcusolver", "libcusparse", "libcudnn",
                                      "libnpp", "libnvrtc", "libnvjpeg", "libnccl", "libcufile", "libnvJitLink",
                                      "libcutensor", "libnvidia-ml"}) &&
                     !is_ours(library))
                facts.libraries.push_back(library);
        }
    }
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
    if (f.driver || (f.static_runtime && kTakesOver)) return "";
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
    return name + " is not a CUDA program: it has no device code and does not use the CUDA runtime library";
}

}  // namespace warpwright::profile

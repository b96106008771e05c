#include "takeover/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "takeover/names.hpp"
#include "takeover/stubs.hpp"

namespace warpwright::takeover {
namespace {

/// A view of the file that gives nothing for bytes outside it.
class File {
public:
    explicit File(const std::string& name) {
        const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat info{};
        if (file >= 0 && ::fstat(file, &info) == 0 && info.st_size > 0) {
            void* at = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
            if (at != MAP_FAILED)
                bytes_ = static_cast<const char*>(at), size_ = static_cast<std::uint64_t>(info.st_size);
        }
        if (file >= 0) ::close(file);
    }
    ~File() {
        if (bytes_) ::munmap(const_cast<char*>(bytes_), size_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
        if (offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T)) return nullptr;
        return reinterpret_cast<const T*>(bytes_ + offset);
    }
    std::string_view text(std::uint64_t offset) const {
        if (offset >= size_) return {};
        return {bytes_ + offset, ::strnlen(bytes_ + offset, size_ - offset)};
    }

private:
    const char* bytes_ = nullptr;
    std::uint64_t size_ = 0;
};

struct Parts {
    const Elf64_Ehdr* header = nullptr;
    const Elf64_Phdr* segments = nullptr;
    const Elf64_Shdr* sections = nullptr;
};

/// Whether the code of a function is in an executable segment, and in memory what it is in the file.
bool is_mapped(const File& file, const Parts& parts, const Function& f, std::uint64_t base) {
    for (unsigned k = 0; k < parts.header->e_phnum; ++k) {
        const auto& s = parts.segments[k];
        if (s.p_type != PT_LOAD || !(s.p_flags & PF_X) || f.value < s.p_vaddr) continue;
        const auto offset = f.value - s.p_vaddr;
        if (offset > s.p_filesz || f.size > s.p_filesz - offset) continue;
        const auto* bytes = file.at<char>(s.p_offset + offset, f.size);
        return bytes && std::memcmp(bytes, reinterpret_cast<const void*>(base + f.value), kJumpBytes) == 0;
    }
    return false;
}

void read_symbols(const File& file, const Parts& parts, const Elf64_Shdr& table, std::uint64_t base, ObjectFacts& out) {
    if (table.sh_link >= parts.header->e_shnum) return;
    const auto strings = parts.sections[table.sh_link].sh_offset;
    const auto count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, count);
    for (std::uint64_t k = 0; symbols && k < count; ++k) {
        const auto& s = symbols[k];
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF) continue;
        const auto text = file.text(strings + s.st_name);
        if (!text.starts_with("cuda") && !text.starts_with("__cuda")) continue;
        const char* name = known_name(text);
        if (!name) continue;
        const Function f{name, s.st_value, s.st_size};
        if (f.size < kJumpBytes)
            ++out.too_short;
        else if (is_mapped(file, parts, f, base))
            out.functions.push_back(f);
    }
}

/// Calls `take(tag, text)` for the entries of a dynamic section whose value is a text.
template <class Take>
void read_dynamic(const File& file, const Parts& parts, const Elf64_Shdr& table, const Take& take) {
    if (table.sh_link >= parts.header->e_shnum) return;
    const auto strings = parts.sections[table.sh_link].sh_offset;
    const auto count = table.sh_size / sizeof(Elf64_Dyn);
    const auto* entries = file.at<Elf64_Dyn>(table.sh_offset, count);
    for (std::uint64_t k = 0; entries && k < count; ++k) {
        const auto tag = entries[k].d_tag;
        if (tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH)
            take(tag, file.text(strings + entries[k].d_un.d_val));
    }
}

/// Nothing for a file that is no ELF file of this machine.
Parts read_parts(const File& file) {
    Parts parts;
    const auto* h = file.at<Elf64_Ehdr>(0);
    if (!h || std::memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_machine != EM_X86_64 || h->e_shstrndx >= h->e_shnum)
        return {};
    parts.sections = file.at<Elf64_Shdr>(h->e_shoff, h->e_shnum);
    parts.segments = file.at<Elf64_Phdr>(h->e_phoff, h->e_phnum);
    if (parts.sections && parts.segments) parts.header = h;
    return parts;
}

/// "$ORIGIN/../lib:/opt/lib" as folders.
void add_folders(std::string_view path, const std::string& origin, std::vector<std::string>& out) {
    while (!path.empty()) {
        const auto end = std::min(path.find(':'), path.size());
        std::string folder(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
        for (const char* word : {"$ORIGIN", "${ORIGIN}"})
            if (const auto at = folder.find(word); at != std::string::npos)
                folder.replace(at, std::strlen(word), origin);
        if (!folder.empty()) out.push_back(folder);
    }
}

}  // namespace

bool ObjectFacts::has(const char* name) const {
    for (const auto& f : functions)
        if (std::strcmp(f.name, name) == 0) return true;
    return false;
}

ObjectFacts look_at_object(const std::string& name, std::uint64_t base) {
    ObjectFacts out;
    const File file(name);
    const Parts parts = read_parts(file);
    const auto* h = parts.header;
    if (!h) return out;
    const auto names = parts.sections[h->e_shstrndx].sh_offset;
    for (unsigned k = 0; k < h->e_shnum; ++k) {
        const auto& s = parts.sections[k];
        const auto section = file.text(names + s.sh_name);
        if (section == ".nv_fatbin" || section == ".nvFatBinSegment") out.device_code = true;
        if (s.sh_type != SHT_DYNAMIC) continue;
        read_dynamic(file, parts, s, [&](auto tag, std::string_view text) {
            if ((tag == DT_NEEDED || tag == DT_SONAME) &&
                (text.starts_with("libcudart.so") || text.starts_with("libcuda.so")))
                out.shared_runtime = true;
        });
    }
    if (out.shared_runtime) return out;
    for (unsigned k = 0; k < h->e_shnum; ++k)
        if (parts.sections[k].sh_type == SHT_SYMTAB) read_symbols(file, parts, parts.sections[k], base, out);
    return out;
}

Needs needs_of(const std::string& name) {
    Needs out;
    const File file(name);
    const Parts parts = read_parts(file);
    const auto slash = name.rfind('/');
    const std::string origin = slash == std::string::npos ? "." : name.substr(0, slash);
    for (unsigned k = 0; parts.header && k < parts.header->e_shnum; ++k) {
        if (parts.sections[k].sh_type != SHT_DYNAMIC) continue;
        read_dynamic(file, parts, parts.sections[k], [&](auto tag, std::string_view text) {
            if (tag == DT_NEEDED) out.libraries.emplace_back(text);
            if (tag == DT_RPATH || tag == DT_RUNPATH) add_folders(text, origin, out.folders);
        });
    }
    return out;
}

}  // namespace warpwright::takeover

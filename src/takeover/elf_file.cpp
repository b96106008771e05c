// The file is mapped again, since the loader does not map the symbol table. A function is accepted only where its first
// bytes in memory equal those of the file, so that nothing unknown is overwritten.
#include "takeover/elf_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "support/elf_view.hpp"
#include "takeover/names.hpp"
#include "takeover/stubs.hpp"

namespace warpwright::takeover {
namespace {

/// A file in memory; nothing where it cannot be mapped.
class File {
public:
    explicit File(const std::string& name) {
        const int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat info{};
        if (file >= 0 && ::fstat(file, &info) == 0 && info.st_size > 0) {
            void* at = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
            if (at != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(at), static_cast<std::size_t>(info.st_size)};
        }
        if (file >= 0) ::close(file);
    }
    ~File() {
        if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    elf::Bytes bytes() const { return bytes_; }

private:
    elf::Bytes bytes_;
};

bool is_of_this_machine(const elf::View& object) { return object.valid() && object.machine() == EM_X86_64; }

/// Whether the code of a function is in an executable segment, and in memory what it is in the file.
bool is_mapped(const elf::View& object, const Function& f, std::uint64_t base) {
    bool found = false, same = false;
    object.each_segment([&](const Elf64_Phdr& s) {
        if (found || s.p_type != PT_LOAD || !(s.p_flags & PF_X) || f.value < s.p_vaddr) return;
        const auto offset = f.value - s.p_vaddr;
        if (offset > s.p_filesz || f.size > s.p_filesz - offset) return;
        found = true;
        const auto code = object.part(s.p_offset + offset, f.size);
        same = code.size() >= kJumpBytes &&
               std::memcmp(code.data(), reinterpret_cast<const void*>(base + f.value), kJumpBytes) == 0;
    });
    return same;
}

void read_symbols(const elf::View& object, const elf::Section& table, std::uint64_t base, ObjectFacts& out) {
    object.each_symbol(table, [&](const elf::Symbol& s) {
        if (!s.is_function() || (!s.name.starts_with("cuda") && !s.name.starts_with("__cuda"))) return;
        const char* name = known_name(s.name);
        if (!name) return;
        const Function f{name, s.entry.st_value, s.entry.st_size};
        if (f.size < kJumpBytes)
            ++out.too_short;
        else if (is_mapped(object, f, base))
            out.functions.push_back(f);
    });
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
    const elf::View object(file.bytes());
    if (!is_of_this_machine(object)) return out;
    object.each_section([&](const elf::Section& s) {
        if (s.name == ".nv_fatbin" || s.name == ".nvFatBinSegment") out.device_code = true;
        if (s.head.sh_type != SHT_DYNAMIC) return;
        object.each_dynamic_text(s, [&](const elf::Dynamic& d) {
            if ((d.tag == DT_NEEDED || d.tag == DT_SONAME) &&
                (d.text.starts_with("libcudart.so") || d.text.starts_with("libcuda.so")))
                out.shared_runtime = true;
        });
    });
    if (out.shared_runtime) return out;
    object.each_section([&](const elf::Section& s) {
        if (s.head.sh_type == SHT_SYMTAB) read_symbols(object, s, base, out);
    });
    return out;
}

Needs needs_of(const std::string& name) {
    Needs out;
    const File file(name);
    const elf::View object(file.bytes());
    if (!is_of_this_machine(object)) return out;
    const auto slash = name.rfind('/');
    const std::string origin = slash == std::string::npos ? "." : name.substr(0, slash);
    object.each_section([&](const elf::Section& s) {
        if (s.head.sh_type != SHT_DYNAMIC) return;
        object.each_dynamic_text(s, [&](const elf::Dynamic& d) {
            if (d.tag == DT_NEEDED) out.libraries.emplace_back(d.text);
            if (d.tag == DT_RPATH || d.tag == DT_RUNPATH) add_folders(d.text, origin, out.folders);
        });
    });
    return out;
}

}  // namespace warpwright::takeover

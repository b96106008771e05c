// Linux has a process's facts in /proc/self, and the loader those of the files.
#include "host/self.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpwright::host {

std::string own_program() {
    std::error_code ec;
    return std::filesystem::read_symlink(kOwnProgram, ec).string();
}

std::vector<std::string> command_line() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

bool addresses_are_fixed() {
    constexpr unsigned long kAsk = 0xffffffff;
    return (::personality(kAsk) & ADDR_NO_RANDOMIZE) != 0;
}

std::uint64_t thread_number() { return static_cast<std::uint64_t>(::gettid()); }

std::uintptr_t lowest_of_stack() {
    pthread_attr_t attributes;
    void* start = nullptr;
    std::size_t bytes = 0;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
    if (::pthread_attr_getstack(&attributes, &start, &bytes) != 0) start = nullptr;
    ::pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(start);
}

LoadedFile file_with(const void* code) {
    Dl_info info{};
    link_map* object = nullptr;
    if (!::dladdr1(code, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) || !object) return {};
    // The loader has no name for the program itself.
    const bool named = object->l_name && *object->l_name;
    return {named ? object->l_name : kOwnProgram, static_cast<std::uintptr_t>(object->l_addr)};
}

const void* function_of_slot(const void* slot) {
    Dl_info info{};
    link_map* object = nullptr;
    if (!::dladdr1(slot, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) || !object) return nullptr;
    const ElfW(Rela)* rows = nullptr;
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    std::size_t bytes = 0;
    for (const auto* d = object->l_ld; d && d->d_tag != DT_NULL; ++d) {
        if (d->d_tag == DT_JMPREL) rows = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
        if (d->d_tag == DT_PLTRELSZ) bytes = d->d_un.d_val;
        if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
        if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(d->d_un.d_ptr);
    }
    if (!rows || !symbols || !names) return nullptr;
    const auto offset = reinterpret_cast<std::uintptr_t>(slot) - object->l_addr;
    for (std::size_t k = 0; k < bytes / sizeof *rows; ++k)
        if (rows[k].r_offset == offset) {
            const void* found = ::dlsym(RTLD_DEFAULT, names + symbols[ELF64_R_SYM(rows[k].r_info)].st_name);
            if (!found) (void)::dlerror();  // it is no error of the program's, which may ask for its own
            return found;
        }
    return nullptr;
}

std::string file_of(void* library) {
    ::link_map* object = nullptr;
    const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, &object) == 0 && object && object->l_name;
    return known ? object->l_name : "";
}

void each_loaded(const std::function<bool(const std::string&)>& look) {
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* with) {
            const auto& f = *static_cast<const std::function<bool(const std::string&)>*>(with);
            return f(object->dlpi_name ? object->dlpi_name : "") ? 1 : 0;
        },
        const_cast<void*>(static_cast<const void*>(&look)));
}

namespace {

struct Search {
    std::uintptr_t code;
    std::string id;
};

bool holds(const dl_phdr_info& file, std::uintptr_t code) {
    for (int k = 0; k < file.dlpi_phnum; ++k) {
        const auto& p = file.dlpi_phdr[k];
        const auto start = file.dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD && code >= start && code - start < p.p_memsz) return true;
    }
    return false;
}

/// The identifier is a note in the file, which is mapped with it.
void read_notes(const char* at, const char* end, std::string& id) {
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const auto* name = at + sizeof note;
        const auto* text = name + (note.n_namesz + 3) / 4 * 4;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
            id.assign(text, note.n_descsz);
        at = text + (note.n_descsz + 3) / 4 * 4;
    }
}

}  // namespace

std::string build_id_of(const void* code) {
    Search search{reinterpret_cast<std::uintptr_t>(code), ""};
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* data) {
            auto& s = *static_cast<Search*>(data);
            if (!holds(*file, s.code)) return 0;
            for (int k = 0; k < file->dlpi_phnum; ++k) {
                const auto& p = file->dlpi_phdr[k];
                const auto* at = reinterpret_cast<const char*>(file->dlpi_addr + p.p_vaddr);
                if (p.p_type == PT_NOTE) read_notes(at, at + p.p_memsz, s.id);
            }
            return 1;
        },
        &search);
    return search.id;
}

void* open_library_itself(const char* path) { return ::dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL); }

}  // namespace warpwright::host

// The identifier is a note in the binary's file, which is mapped with it.
#include "support/build_id.hpp"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace warpwright {

const std::string& build_id() {
    static const std::string id = [] {
        struct Search {
            const void* self;
            std::string id;
        } search{reinterpret_cast<const void*>(&build_id), ""};
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* data) {
                auto& s = *static_cast<Search*>(data);
                bool mine = false;
                for (int k = 0; k < info->dlpi_phnum; ++k) {
                    const auto& p = info->dlpi_phdr[k];
                    const auto start = info->dlpi_addr + p.p_vaddr;
                    const auto self = reinterpret_cast<std::uintptr_t>(s.self);
                    mine |= p.p_type == PT_LOAD && self >= start && self - start < p.p_memsz;
                }
                if (!mine) return 0;
                for (int k = 0; k < info->dlpi_phnum; ++k) {
                    const auto& p = info->dlpi_phdr[k];
                    if (p.p_type != PT_NOTE) continue;
                    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr);
                    const auto* end = at + p.p_memsz;
                    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
                        ElfW(Nhdr) note;
                        std::memcpy(&note, at, sizeof note);
                        const auto* name = at + sizeof note;
                        const auto* desc = name + (note.n_namesz + 3) / 4 * 4;
                        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
                            s.id.assign(desc, note.n_descsz);
                        at = desc + (note.n_descsz + 3) / 4 * 4;
                    }
                }
                return 1;
            },
            &search);
        return search.id;
    }();
    return id;
}

}  // namespace warpwright

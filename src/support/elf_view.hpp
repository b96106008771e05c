// The parts of a 64-bit ELF file: the one reader that we have. It is a view of bytes that nobody trusts: whatever lies
// outside of them, or outside of the table that names it, is not there. It allocates nothing and needs nothing but the
// language, because src/takeover has it too, which every program that `run` starts loads first. LLVM's reader would add
// 14 ms to the start of each of these processes, and symbols of LLVM before those of the program's own one; libelf
// would add itself and zlib.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace warpwright::elf {

using Bytes = std::span<const std::byte>;

/// A section, segment, symbol or dynamic entry as the file has it, with its name or text ("" where it has none).
struct Section {
    std::string_view name;
    Elf64_Shdr head{};
};
struct Symbol {
    std::string_view name;
    Elf64_Sym entry{};
    bool is_function() const { return ELF64_ST_TYPE(entry.st_info) == STT_FUNC && entry.st_shndx != SHN_UNDEF; }
};
struct Dynamic {
    std::int64_t tag = 0;
    std::string_view text;
};

class View {
public:
    explicit View(Bytes file) : file_(file) {
        if (!read(0, head_) || std::memcmp(head_.e_ident, ELFMAG, SELFMAG) != 0 ||
            head_.e_ident[EI_CLASS] != ELFCLASS64)
            return;
        valid_ = true;
        const auto table = part(head_.e_shoff, std::uint64_t{head_.e_shnum} * sizeof(Elf64_Shdr));
        if (table.empty() || head_.e_shstrndx >= head_.e_shnum) return;
        sections_ = head_.e_shnum;
        names_ = strings(head_.e_shstrndx);
    }

    /// Whether it begins as a 64-bit ELF file does.
    bool valid() const { return valid_; }
    std::uint16_t type() const { return head_.e_type; }        ///< ET_REL, ET_EXEC, ...
    std::uint16_t machine() const { return head_.e_machine; }  ///< EM_X86_64, ...

    /// The bytes of a part of the file; none where not all of it is there.
    Bytes part(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= file_.size() && bytes <= file_.size() - offset ? file_.subspan(offset, bytes) : Bytes{};
    }

    /// Calls `take(section)` for each; none where the table of sections is not all there.
    template <class F>
    void each_section(const F& take) const {
        for (unsigned k = 0; k < sections_; ++k) {
            const auto head = section(k);
            take(Section{text(names_, head.sh_name), head});
        }
    }

    template <class F>
    void each_segment(const F& take) const {
        for (unsigned k = 0; valid_ && k < head_.e_phnum; ++k)
            if (Elf64_Phdr segment{}; read(head_.e_phoff + std::uint64_t{k} * sizeof segment, segment)) take(segment);
    }

    /// The symbols of a symbol table; none where the table is not all there.
    template <class F>
    void each_symbol(const Section& table, const F& take) const {
        each_entry<Elf64_Sym>(
            table, [&](Bytes names, const Elf64_Sym& entry) { take(Symbol{text(names, entry.st_name), entry}); });
    }

    /// The entries of a dynamic section whose value is a text.
    template <class F>
    void each_dynamic_text(const Section& table, const F& take) const {
        each_entry<Elf64_Dyn>(table, [&](Bytes texts, const Elf64_Dyn& entry) {
            const auto tag = entry.d_tag;
            if (tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH)
                take(Dynamic{tag, text(texts, entry.d_un.d_val)});
        });
    }

private:
    template <class T>
    bool read(std::uint64_t offset, T& to) const {
        const auto bytes = part(offset, sizeof to);
        if (bytes.empty()) return false;
        std::memcpy(&to, bytes.data(), sizeof to);
        return true;
    }
    Elf64_Shdr section(unsigned k) const {
        Elf64_Shdr head{};
        read(head_.e_shoff + std::uint64_t{k} * sizeof head, head);
        return head;
    }
    Bytes strings(std::uint64_t k) const {
        if (k >= head_.e_shnum) return {};
        const auto head = section(static_cast<unsigned>(k));
        return part(head.sh_offset, head.sh_size);
    }
    static std::string_view text(Bytes strings, std::uint64_t offset) {
        if (offset >= strings.size()) return {};
        const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
        return {begin, ::strnlen(begin, strings.size() - offset)};
    }
    /// The entries of a table, each with the strings that the table is linked to.
    template <class T, class F>
    void each_entry(const Section& table, const F& take) const {
        if (sections_ == 0 || table.head.sh_link >= sections_) return;
        const auto texts = strings(table.head.sh_link);
        const auto entries = part(table.head.sh_offset, table.head.sh_size / sizeof(T) * sizeof(T));
        for (std::size_t at = 0; at < entries.size(); at += sizeof(T)) {
            T entry;
            std::memcpy(&entry, entries.data() + at, sizeof entry);
            take(texts, entry);
        }
    }

    Bytes file_, names_;
    Elf64_Ehdr head_{};
    bool valid_ = false;
    unsigned sections_ = 0;
};

}  // namespace warpwright::elf

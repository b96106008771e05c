// The reader of ELF files: what it finds in a whole one, and that it never reads beside one that was cut or changed.
#include "support/elf_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/mutate.hpp"
#include "support/read_file.hpp"

namespace warpwright::elf {
namespace elf_view_test {

using ::testing::Contains;
using ::testing::ElementsAre;

template <class T>
std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// An object with names of sections, a symbol table, a dynamic section and a segment.
std::string small_object() {
    const std::string names("\0.names\0.symbols\0.strings\0.dynamic\0", 35),
        strings("\0here\0there\0libx.so\0$ORIGIN\0", 28);
    const auto symbol = [](unsigned name, unsigned char type, unsigned short section, unsigned value) {
        Elf64_Sym s{};
        s.st_name = name, s.st_info = ELF64_ST_INFO(STB_GLOBAL, type), s.st_shndx = section, s.st_value = value;
        return bytes_of(s);
    };
    const auto dynamic = [](std::int64_t tag, std::uint64_t value) {
        Elf64_Dyn d{};
        d.d_tag = tag, d.d_un.d_val = value;
        return bytes_of(d);
    };
    const std::string symbols = symbol(0, STT_NOTYPE, SHN_UNDEF, 0) + symbol(1, STT_FUNC, 1, 64) +
                                symbol(6, STT_FUNC, SHN_UNDEF, 0) + symbol(6, STT_OBJECT, 1, 8);
    const std::string entries =
        dynamic(DT_NEEDED, 12) + dynamic(DT_RUNPATH, 20) + dynamic(DT_DEBUG, 1) + dynamic(DT_NULL, 0);
    const std::string blob = names + strings + symbols + entries;
    std::uint64_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    std::string table;
    const auto section = [&](unsigned name, unsigned type, const std::string& what, unsigned link) {
        Elf64_Shdr s{};
        s.sh_name = name, s.sh_type = type, s.sh_offset = at, s.sh_size = what.size(), s.sh_link = link;
        at += what.size();
        table += bytes_of(s);
    };
    section(1, SHT_STRTAB, names, 0);
    section(17, SHT_STRTAB, strings, 0);
    section(8, SHT_SYMTAB, symbols, 1);
    section(26, SHT_DYNAMIC, entries, 1);
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_type = ET_DYN, head.e_machine = EM_X86_64;
    head.e_phoff = sizeof head, head.e_phnum = 1, head.e_shoff = at, head.e_shnum = 4, head.e_shstrndx = 0;
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    return bytes_of(head) + bytes_of(segment) + blob + table;
}

/// A copy that ends where memory that nobody may touch begins.
class Guarded {
public:
    explicit Guarded(const std::string& text) {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        size_ = (text.size() / page + 2) * page;
        at_ = static_cast<char*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        ::mprotect(at_ + size_ - page, page, PROT_NONE);
        char* const begin = at_ + size_ - page - text.size();
        std::memcpy(begin, text.data(), text.size());
        bytes_ = {reinterpret_cast<const std::byte*>(begin), text.size()};
    }
    ~Guarded() { ::munmap(at_, size_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    Bytes bytes() const { return bytes_; }

private:
    char* at_ = nullptr;
    std::size_t size_ = 0;
    Bytes bytes_;
};

struct Found {
    std::vector<std::string> sections, functions, needed, folders;
    unsigned segments = 0, symbols = 0;
    std::size_t sum = 0;  ///< of all bytes of names and parts, so that they are read
};

Found all_of(Bytes file) {
    Found out;
    const View view(file);
    view.each_segment([&](const Elf64_Phdr& s) {
        ++out.segments;
        for (const auto b : view.part(s.p_offset, s.p_filesz)) out.sum += std::to_integer<unsigned>(b);
    });
    view.each_section([&](const Section& s) {
        out.sections.emplace_back(s.name);
        for (const auto b : view.part(s.head.sh_offset, s.head.sh_size)) out.sum += std::to_integer<unsigned>(b);
        if (s.head.sh_type == SHT_SYMTAB)
            view.each_symbol(s, [&](const Symbol& symbol) {
                ++out.symbols;
                if (symbol.is_function()) out.functions.emplace_back(symbol.name);
            });
        if (s.head.sh_type == SHT_DYNAMIC)
            view.each_dynamic_text(
                s, [&](const Dynamic& d) { (d.tag == DT_NEEDED ? out.needed : out.folders).emplace_back(d.text); });
    });
    return out;
}

TEST(ElfView, FindsWhatAFileHas) {
    const Guarded file(small_object());
    const View view(file.bytes());
    EXPECT_TRUE(view.valid());
    EXPECT_EQ(view.type(), ET_DYN);
    EXPECT_EQ(view.machine(), EM_X86_64);
    const Found found = all_of(file.bytes());
    EXPECT_THAT(found.sections, ElementsAre(".names", ".strings", ".symbols", ".dynamic"));
    EXPECT_THAT(found.functions, ElementsAre("here")) << "one that is not defined here is none";
    EXPECT_EQ(found.symbols, 4u);
    EXPECT_THAT(found.needed, ElementsAre("libx.so"));
    EXPECT_THAT(found.folders, ElementsAre("$ORIGIN"));
    EXPECT_EQ(found.segments, 1u);
}

TEST(ElfView, ReadsThisProgram) {
    const auto bytes = read_bytes("/proc/self/exe", file_limit::program);
    ASSERT_TRUE(bytes);
    const Found found = all_of(*bytes);
    EXPECT_THAT(found.sections, Contains(".text"));
    EXPECT_THAT(found.functions, Contains("main"));
    EXPECT_THAT(found.needed, Contains("libc.so.6"));
}

TEST(ElfView, HasNothingOfWhatIsNotThere) {
    EXPECT_FALSE(View({}).valid());
    const std::string whole = small_object();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Guarded file(whole.substr(0, size));
        const Found found = all_of(file.bytes());
        EXPECT_TRUE(found.sections.empty()) << "the table of sections is the file's end, cut to " << size;
        EXPECT_EQ(View(file.bytes()).valid(), size >= sizeof(Elf64_Ehdr));
    }
}

TEST(ElfView, NeverReadsBesideAFileThatWasChanged) {
    const std::string whole = small_object();
    std::size_t still = 0;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        const Guarded file(test::Mutator(seed)(whole));
        still += all_of(file.bytes()).sections.empty() ? 0 : 1;
    }
    // Every field at its ends, which random changes seldom are.
    for (std::size_t at = 0; at + 8 <= whole.size(); ++at)
        for (const std::uint64_t value : {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{whole.size()}}) {
            std::string text = whole;
            std::memcpy(text.data() + at, &value, sizeof value);
            const Guarded file(text);
            still += all_of(file.bytes()).sections.empty() ? 0 : 1;
        }
    EXPECT_GT(still, 1000u) << "most changes leave something to read";
}

}  // namespace elf_view_test
}  // namespace warpwright::elf

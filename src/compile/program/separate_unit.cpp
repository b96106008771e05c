// The name of the function is shortened in the object's table of names, by ending it where the file's number begins.
#include "compile/program/separate_unit.hpp"

#include <filesystem>
#include <fstream>

#include "compile/failure.hpp"
#include "support/content_hash.hpp"
#include "support/elf_view.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

std::string mark_of(const std::string& source, const std::vector<std::string>& about) {
    std::error_code ec;
    const auto place = fs::weakly_canonical(source, ec);
    ContentHasher hasher;
    hasher.add(ec ? source : place.string());
    for (const auto& word : about) hasher.add(word);
    return "-cuid=" + hasher.digest();
}

constexpr std::string_view kRegistration = "__cudaRegisterLinkedBinary", kNumber = "__nv_";

/// Where in the file that name ends that an own number follows; 0: nowhere.
std::uint64_t end_of_name(elf::Bytes file) {
    const elf::View object(file);
    std::uint64_t at = 0;
    object.each_section([&](const elf::Section& s) {
        if (s.head.sh_type != SHT_SYMTAB) return;
        object.each_symbol(s, [&](const elf::Symbol& symbol) {
            if (!symbol.name.starts_with(kRegistration) ||
                !symbol.name.substr(kRegistration.size()).starts_with(kNumber))
                return;
            const auto* begin = reinterpret_cast<const std::byte*>(symbol.name.data());
            at = static_cast<std::uint64_t>(begin - file.data()) + kRegistration.size();
        });
    });
    return at;
}

}  // namespace

std::vector<std::string> device_unit_words(const std::string& source, const std::vector<std::string>& about) {
    return {"-fgpu-rdc", mark_of(source, about)};
}

std::vector<std::string> host_unit_words(const std::string& source, const std::vector<std::string>& about) {
    // Not the driver's own words: it would want to link the device's code.
    return {"-Xclang", "-fgpu-rdc", "-Xclang", mark_of(source, about)};
}

Result<void> register_by_one_name(const std::string& object) {
    auto bytes = read_bytes(object, file_limit::program);
    if (!bytes) return bytes.error();
    const auto at = end_of_name(*bytes);
    if (at == 0) return {};
    std::fstream file(object, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\0');
    if (!file.flush()) return failure(ErrorKind::input, "'" + object + "' cannot be written");
    return {};
}

}  // namespace warpwright::compile

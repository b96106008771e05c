// Takes device code out of objects and archives, links it as PTX, and puts the result into an object that the assembler
// makes with .incbin.
#include "compile/program/device_link.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include "compile/failure.hpp"
#include "compile/process.hpp"
#include "compile/program/fatbin.hpp"
#include "compile/program/link_ptx.hpp"
#include "support/elf_view.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace {

using elf::Bytes;

// The second one is that of files that share device code.
constexpr std::string_view kSections[] = {".nv_fatbin", "__nv_relfatbin"};
constexpr const char* kLinkedSection = ".warpwright_linked";

/// The part of a file from `offset` on, nothing where it is not all there.
Bytes part(Bytes file, std::uint64_t offset, std::uint64_t bytes) {
    return offset <= file.size() && bytes <= file.size() - offset ? file.subspan(offset, bytes) : Bytes{};
}

/// The texts of a section of fat binaries.
Result<void> read_modules(Bytes section, DeviceParts& to) {
    if (section.empty()) return {};
    auto entries = read_fat_binary(section.data(), section.size());
    if (!entries) return entries.error();
    for (const auto& e : *entries) {
        if (!e.relocatable) continue;
        std::string text(reinterpret_cast<const char*>(e.payload.data()), e.payload.size());
        if (const auto end = text.find('\0'); end != std::string::npos) text.resize(end);
        to.modules.push_back(std::move(text));
        to.any_device &= e.any_device;
    }
    return {};
}

Result<void> read_object(Bytes file, DeviceParts& to) {
    const elf::View object(file);
    Result<void> done;
    if (!object.valid() || object.type() != ET_REL) return done;
    object.each_section([&](const elf::Section& s) {
        if (s.head.sh_type != SHT_PROGBITS || !done) return;
        if (s.name == kLinkedSection) to.linked = true;
        if (std::find(std::begin(kSections), std::end(kSections), s.name) != std::end(kSections))
            done = read_modules(object.part(s.head.sh_offset, s.head.sh_size), to);
    });
    return done;
}

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::uint64_t kMemberHead = 60, kNameBytes = 16, kSizeAt = 48, kSizeBytes = 10;

Result<void> read_archive(Bytes file, DeviceParts& to) {
    for (std::uint64_t at = kArchive.size(); at < file.size();) {
        const auto head = part(file, at, kMemberHead);
        if (head.empty()) break;
        const std::string_view name(reinterpret_cast<const char*>(head.data()), kNameBytes);
        const auto* digits = reinterpret_cast<const char*>(head.data()) + kSizeAt;
        std::uint64_t bytes = 0;
        std::from_chars(digits, digits + kSizeBytes, bytes);
        const auto member = part(file, at + kMemberHead, bytes);
        if (member.size() != bytes) break;
        // Names of more than 15 letters are in a member of their own.
        if (name.starts_with("//"))
            to.device_runtime |= std::string_view(reinterpret_cast<const char*>(member.data()), member.size())
                                     .find("cuda_device_runtime.o/") != std::string_view::npos;
        if (auto ok = read_object(member, to); !ok) return ok;
        at += kMemberHead + bytes + bytes % 2;
    }
    return {};
}

Result<void> read_any(Bytes file, DeviceParts& to) {
    const bool archive =
        file.size() >= kArchive.size() && std::memcmp(file.data(), kArchive.data(), kArchive.size()) == 0;
    return archive ? read_archive(file, to) : read_object(file, to);
}

}  // namespace

Result<DeviceParts> device_parts(Bytes file) {
    DeviceParts parts;
    if (auto ok = read_any(file, parts); !ok) return ok.error();
    return parts;
}

Result<DeviceParts> device_parts(const std::vector<std::string>& files) {
    DeviceParts parts;
    for (const auto& name : files) {
        auto file = read_bytes(name, file_limit::program);
        if (!file) return file.error();
        if (auto ok = read_any(*file, parts); !ok) {
            auto error = ok.error();
            error.what = name + ": " + error.what;
            return error;
        }
    }
    return parts;
}

Result<void> link_device_objects(const DeviceParts& parts, const std::string& object, const std::string& folder,
                                 const Tools& tools, const CompileOptions& options) {
    auto text = link_ptx(parts.modules);
    if (!text) return text.error();
    const std::string code = folder + "/linked.fatbin", source = folder + "/linked.s";
    std::ofstream(code, std::ios::binary) << write_fat_binary(*text, ptx_arch(*text), parts.any_device);
    std::ofstream(source) << "    .section " << kLinkedSection << ",\"a\"\n    .balign 16\n"
                          << "    .globl __warpwright_linked_code\n    .hidden __warpwright_linked_code\n"
                          << "__warpwright_linked_code:\n    .incbin \"" << code << "\"\n"
                          << "    .section .note.GNU-stack,\"\"\n";
    auto ran = run_process({tools.compiler, "-c", "-o", operand(object), "--", source}, compiler_settings(options));
    if (!ran) return ran.error();
    if (auto early = ended_early(*ran, options, object)) return std::move(*early);
    if (ran->exit_code != 0) return failure(ErrorKind::input, "'" + object + "' cannot be made: " + ran->errors);
    return {};
}

Result<void> make_archive(const std::vector<std::string>& objects, const std::string& archive) {
    std::error_code ec;
    std::filesystem::remove(archive, ec);
    std::vector<std::string> command{"ar", "rcsD", "--", operand(archive)};
    for (const auto& object : objects) command.push_back(operand(object));
    ProcessSettings settings = compiler_settings({});
    auto ran = run_process(command, settings);
    if (!ran) return ran.error();
    if (ran->exit_code != 0)
        return failure(ErrorKind::input, "'" + archive + "' cannot be made: " + ran->errors, {}, "ar is in binutils");
    return {};
}

}  // namespace warpwright::compile

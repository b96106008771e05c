// The compiler is clang, by the room compile; its options are mostly OpenCL's own, and each is looked at before it gets
// there. A kernel's PTX does not add the launch's offset, which is zero in nearly all: a program is compiled once more
// with it when a first launch has one.
#include "opencl/state/build.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "cudart/registry/opencl_code.hpp"
#include "cudart/registry/program_code.hpp"
#include "cudart/state/runtime.hpp"
#include "support/result.hpp"

namespace warpwright::opencl {
namespace {

/// Words, of which parts may stand in quotes.
std::vector<std::string> words_of(const std::string& options) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char c : options) {
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
            any = true;
        } else if (!quote && std::strchr(" \t\n\r", c)) {
            if (any) words.push_back(std::move(word));
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any) words.push_back(std::move(word));
    return words;
}

const std::set<std::string>& plain_options() {
    static const std::set<std::string> all{"-cl-single-precision-constant",
                                           "-cl-denorms-are-zero",
                                           "-cl-fp32-correctly-rounded-divide-sqrt",
                                           "-cl-opt-disable",
                                           "-cl-strict-aliasing",
                                           "-cl-uniform-work-group-size",
                                           "-cl-mad-enable",
                                           "-cl-no-signed-zeros",
                                           "-cl-unsafe-math-optimizations",
                                           "-cl-finite-math-only",
                                           "-cl-fast-relaxed-math",
                                           "-cl-kernel-arg-info",
                                           "-w",
                                           "-Werror",
                                           "-g"};
    return all;
}

/// Options of NVIDIA's own compiler, which are about its work and not about the program's meaning.
bool is_left_out(const std::string& word) { return word.starts_with("-cl-nv-") || word == "-g"; }

bool is_version(const std::string& word) {
    return word == "-cl-std=CL1.0" || word == "-cl-std=CL1.1" || word == "-cl-std=CL1.2" || word == "-cl-std=CL2.0" ||
           word == "-cl-std=CL3.0";
}

/// The compiler's flags of a program's options; or the option that is none.
Result<std::vector<std::string>> flags_of(const std::string& options) {
    std::vector<std::string> flags;
    const auto words = words_of(options);
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if ((word == "-D" || word == "-I") && k + 1 < words.size())
            flags.push_back(word + words[++k]);
        else if (is_left_out(word))
            continue;
        else if (((word.starts_with("-D") || word.starts_with("-I")) && word.size() > 2) || is_version(word) ||
                 plain_options().contains(word))
            flags.push_back(word);
        else
            return Error{ErrorKind::usage, "'" + word + "' is no option of OpenCL's compiler", {}, ""};
    }
    return flags;
}

/// The names of a text's kernels, in its order.
std::vector<std::string> kernels_of(const std::string& ptx) {
    std::vector<std::string> names;
    constexpr std::string_view kEntry = ".entry ";
    for (auto at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + 1)) {
        const auto begin = at + kEntry.size(), end = ptx.find_first_of("( \t\n", begin);
        names.push_back(ptx.substr(begin, end - begin));
    }
    return names;
}

/// A function that the text calls and nobody has: "read_imagef". Empty: there is none.
std::string missing_function(const std::string& ptx) {
    std::set<std::string> declared, defined{"vprintf"};
    constexpr std::string_view kFunction = ".func";
    for (auto at = ptx.find(kFunction); at != ptx.npos; at = ptx.find(kFunction, at + 1)) {
        auto name = ptx.find_first_not_of(" \t", at + kFunction.size());
        if (name != ptx.npos && ptx[name] == '(') name = ptx.find_first_not_of(" \t", ptx.find(')', name) + 1);
        if (name == ptx.npos) break;
        const auto end = ptx.find_first_of("( \t\n;", name), next = ptx.find_first_of(";{", name);
        const bool body = next != ptx.npos && ptx[next] == '{';
        (body ? defined : declared).insert(ptx.substr(name, end - name));
    }
    for (const auto& name : declared)
        if (!defined.contains(name)) return name;
    return {};
}

std::string add_offset() { return "-Dget_global_id(d)=(get_global_id(d)+get_global_offset(d))"; }

/// `more`: flags of the compiler besides those of the options.
Result<std::string> ptx_of(const Program& program, const std::string& options, const std::vector<std::string>& more,
                           std::string& log) {
    auto flags = flags_of(options);
    if (!flags) return flags.error();
    cudart::OpenclSource source{program.name, program.source, std::move(*flags), program.headers};
    source.flags.insert(source.flags.end(), more.begin(), more.end());
    auto ptx = cudart::opencl_ptx(source, log);
    // Clang has no images for PTX, and crashes over them.
    const auto has = [&](const char* word) { return program.source.find(word) != std::string::npos; };
    if (!ptx && ptx.error().kind == ErrorKind::internal &&
        (has("image1d_") || has("image2d_") || has("image3d_") || has("sampler_t")))
        return Error{ErrorKind::input,
                     "the source has images, and these devices have none (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE)",
                     {program.name, 0, 0},
                     "buffers hold the same data"};
    return ptx;
}

cl_int failed(Program& program, const Error& error, cl_int code) {
    program.status = CL_BUILD_ERROR;
    program.log += program.log.empty() ? error.text() + "\n" : "";
    // Somebody watches the program, which may show no log.
    auto& runtime = cudart::Runtime::get();
    if (!runtime.settings.profile.empty() || runtime.settings.checks()) runtime.say(error);
    return code;
}

/// Loads the program's PTX.
cl_int load(Program& program) {
    if (const auto name = missing_function(program.ptx); !name.empty())
        return failed(program,
                      Error{ErrorKind::input,
                            "the program calls " + name + ", which is no function of its own or of OpenCL C here",
                            {program.name, 0, 0},
                            "images are not supported"},
                      CL_BUILD_PROGRAM_FAILURE);
    auto& registry = cudart::Registry::get();
    program.code = registry.add_library(program.name, program.ptx);
    if (registry.load(*program.code) != cudaSuccess) {
        program.code = nullptr;
        return failed(program, Error{ErrorKind::input, cudart::Runtime::last_said(), {}, ""}, CL_BUILD_PROGRAM_FAILURE);
    }
    program.kernels = kernels_of(program.ptx);
    program.status = CL_BUILD_SUCCESS;
    program.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return CL_SUCCESS;
}

/// The text as one of several: clang writes no linkage for OpenCL, in which all functions are visible. What we add
/// ourselves each text has for itself.
std::string with_linkage(const std::string& ptx) {
    std::string out;
    for (std::size_t at = 0; at < ptx.size();) {
        const auto end = std::min(ptx.find('\n', at), ptx.size());
        std::string line = ptx.substr(at, end - at);
        at = end + 1;
        // Linking leaves debug information out, of which lines are no part.
        if (const auto debug = line.find(", debug"); line.starts_with(".target") && debug != line.npos)
            line.erase(debug);
        const bool own = line.find(" printf") != line.npos || line.find("_Z17get_global_offsetj") != line.npos ||
                         line.find("_Z12get_work_dimv") != line.npos;
        if (line.starts_with(".func") && !own) {
            const auto next = ptx.find_first_of(";{", end);
            out += next != ptx.npos && ptx[next] == '{' ? ".visible " : ".extern ";
        } else if (line.starts_with(".entry")) {
            out += ".visible ";
        }
        out += line + "\n";
    }
    return out;
}

/// As `why` for wrong options, else as `other`.
cl_int code_of(const Error& error, cl_int why, cl_int other) {
    if (error.kind == ErrorKind::no_device) return CL_COMPILER_NOT_AVAILABLE;
    return error.kind == ErrorKind::usage ? why : other;
}

void begin(Program& program, const std::string& options) {
    program.options = options;
    program.log.clear();
    program.code = program.shifted = nullptr;
    program.kernels.clear();
    program.binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
}

}  // namespace

cl_int build(Program& program, const std::string& options) {
    const std::lock_guard lock(program.mutex);
    if (program.attached) return CL_INVALID_OPERATION;
    // A program of bytes is compiled already, with its own options.
    begin(program, program.of_bytes ? program.options : options);
    if (!program.of_bytes) {
        auto ptx = ptx_of(program, options, {}, program.log);
        if (!ptx)
            return failed(program, ptx.error(),
                          code_of(ptx.error(), CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE));
        program.ptx = std::move(*ptx);
    }
    return load(program);
}

cl_int compile_only(Program& program, const std::string& options,
                    std::vector<std::pair<std::string, std::string>> headers) {
    const std::lock_guard lock(program.mutex);
    if (program.attached) return CL_INVALID_OPERATION;
    begin(program, options);
    program.headers = std::move(headers);
    auto ptx = ptx_of(program, options, {"-fgpu-rdc"}, program.log);
    if (!ptx)
        return failed(program, ptx.error(),
                      code_of(ptx.error(), CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE));
    program.ptx = std::move(*ptx);
    program.status = CL_BUILD_SUCCESS;
    program.binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    return CL_SUCCESS;
}

cl_int link(Program& program, const std::vector<std::shared_ptr<Program>>& parts, const std::string& options) {
    const std::lock_guard lock(program.mutex);
    begin(program, options);
    std::vector<std::string> texts;
    for (const auto& part : parts) texts.push_back(with_linkage(part->ptx));
    if (parts.size() == 1) {
        program.source = parts[0]->source, program.name = parts[0]->name, program.headers = parts[0]->headers;
        program.options = parts[0]->options;
        program.ptx = parts[0]->ptx;
    } else {
        auto linked = cudart::linked_ptx(texts);
        if (!linked) return failed(program, linked.error(), CL_LINK_PROGRAM_FAILURE);
        program.ptx = std::move(*linked);
    }
    return load(program) == CL_SUCCESS ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
}

cudart::Binary* shifted_code(Program& program) {
    const std::lock_guard lock(program.mutex);
    if (program.shifted || program.source.empty()) return program.shifted;
    std::string log;
    auto ptx = ptx_of(program, program.options, {add_offset()}, log);
    if (!ptx) {
        cudart::Runtime::get().say(ptx.error());
        return nullptr;
    }
    auto& registry = cudart::Registry::get();
    auto* code = registry.add_library(program.name, std::move(*ptx));
    if (registry.load(*code) == cudaSuccess) program.shifted = code;
    return program.shifted;
}

namespace {

constexpr std::string_view kMagic = "// Warpwright OpenCL program 1\n";

void put(std::string& to, const std::string& part) { to += std::to_string(part.size()) + "\n" + part + "\n"; }

bool take(std::string_view& from, std::string& part) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    std::size_t size = 0, digits = 0;
    while (digits < from.size() && from[digits] >= '0' && from[digits] <= '9' && size < kMost)
        size = size * 10 + static_cast<std::size_t>(from[digits++] - '0');
    if (digits == 0 || digits >= from.size() || from[digits] != '\n') return false;
    from.remove_prefix(digits + 1);
    if (size >= from.size()) return false;
    part = from.substr(0, size);
    from.remove_prefix(size + 1);
    return true;
}

}  // namespace

std::string to_binary(const Program& program) {
    std::string out{kMagic};
    for (const std::string* part : {&program.name, &program.options, &program.source, &program.ptx}) put(out, *part);
    return out;
}

bool from_binary(Program& program, std::string_view bytes) {
    if (bytes.starts_with(kMagic)) {
        bytes.remove_prefix(kMagic.size());
        std::string options;
        if (!take(bytes, program.name) || !take(bytes, options) || !take(bytes, program.source) ||
            !take(bytes, program.ptx))
            return false;
        program.options = options;
    } else {
        program.ptx = bytes.substr(0, bytes.find('\0'));
    }
    if (program.ptx.find(".version") == program.ptx.npos) return false;
    program.of_bytes = true;
    program.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return true;
}

std::vector<Space> spaces_of(const std::string& ptx, const std::string& kernel) {
    std::vector<Space> spaces;
    auto at = ptx.find(".entry " + kernel + "(");
    if (at == ptx.npos) return spaces;
    const auto end = ptx.find(')', at + kernel.size());
    while ((at = ptx.find(".param", at)) < end) {
        const auto stop = std::min(ptx.find_first_of(",)", at), end);
        const std::string_view one = std::string_view(ptx).substr(at, stop - at);
        const auto has = [&](std::string_view word) { return one.find(word) != one.npos; };
        spaces.push_back(has(".ptr .global")   ? Space::global
                         : has(".ptr .const")  ? Space::constant
                         : has(".ptr .shared") ? Space::local
                                               : Space::value);
        at = stop;
    }
    return spaces;
}

}  // namespace warpwright::opencl

// The words are read into a request for our compiler, and options without an effect on PTX are skipped with their
// values. Machine code is never made: a cubin is PTX under that name, and a fat binary holds PTX.
#include "compilers/nvcc/command.hpp"

#include <filesystem>
#include <set>

#include "compile/kernel/command.hpp"
#include "compile/kernel/source_operand.hpp"
#include "compile/process.hpp"
#include "compile/program/fatbin.hpp"
#include "compilers/architecture.hpp"
#include "compilers/option_word.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compilers {
namespace fs = std::filesystem;
namespace {

using Kind = NvccCommand::Kind;

/// Options that have a value, by all their names; those that are not read below have no effect on PTX.
const std::set<std::string>& with_value() {
    static const std::set<std::string> all{"o",
                                           "output-file",
                                           "arch",
                                           "gpu-architecture",
                                           "code",
                                           "gpu-code",
                                           "gencode",
                                           "generate-code",
                                           "I",
                                           "include-path",
                                           "isystem",
                                           "system-include",
                                           "D",
                                           "define-macro",
                                           "U",
                                           "undefine-macro",
                                           "include",
                                           "pre-include",
                                           "std",
                                           "x",
                                           "Xcompiler",
                                           "compiler-options",
                                           "Xptxas",
                                           "ptxas-options",
                                           "Xlinker",
                                           "linker-options",
                                           "Xnvlink",
                                           "Xfatbin",
                                           "maxrregcount",
                                           "odir",
                                           "output-directory",
                                           "ccbin",
                                           "compiler-bindir",
                                           "m",
                                           "machine",
                                           "O",
                                           "optimize",
                                           "ftz",
                                           "prec-div",
                                           "prec-sqrt",
                                           "fmad",
                                           "diag-suppress",
                                           "diag-error",
                                           "threads",
                                           "t",
                                           "cudart",
                                           "rdc",
                                           "relocatable-device-code",
                                           "default-stream",
                                           "L",
                                           "library-path",
                                           "l",
                                           "library"};
    return all;
}

using Word = OptionWord;

Word read_word(const std::string& word) {
    const bool two = word.starts_with("--");
    const std::string bare = word.substr(two ? 2 : 1);
    if (!two && bare.size() > 1 && std::string("DIULlOo").find(bare[0]) != std::string::npos &&
        !with_value().count(bare) && !bare.starts_with("odir") && !bare.starts_with("optf") &&
        !bare.starts_with("objtemp"))
        return {bare.substr(0, 1), bare.substr(1), true};
    return option_word(word);
}

/// What clang compiles for: of -arch=sm_90, -arch=native, -gencode arch=compute_90,code=sm_90. "all" and "all-major"
/// begin with what every device model runs.
Result<std::string> architecture(const std::string& value) {
    if (value == "native") return std::string("sm_90a");
    if (value == "all" || value == "all-major") return std::string("sm_75");
    const bool pair = value.starts_with("arch=");
    auto read = read_architecture(pair ? value.substr(5, value.find(',') - 5) : value);
    if (!read) return read.error();
    return read->name;
}

Result<void> take(const Word& w, NvccCommand& c, std::string& folder) {
    auto& r = c.request;
    const auto& n = w.name;
    if (n == "o" || n == "output-file")
        c.output = w.value;
    else if (n == "odir" || n == "output-directory")
        folder = w.value;
    else if (n == "arch" || n == "gpu-architecture" || n == "gencode" || n == "generate-code") {
        auto arch = architecture(w.value);
        if (!arch) return arch.error();
        r.arch = *arch;
    } else if (n == "I" || n == "include-path")
        r.include_dirs.push_back(w.value);
    else if (n == "isystem" || n == "system-include")
        r.flags.insert(r.flags.end(), {"-isystem", w.value});
    else if (n == "include" || n == "pre-include")
        r.flags.insert(r.flags.end(), {"-include", w.value});
    else if (n == "D" || n == "define-macro")
        r.defines.push_back(w.value);
    else if (n == "U" || n == "undefine-macro")
        r.flags.push_back("-U" + w.value);
    else if (n == "std" && (w.value == "c++20" || w.value == "c++23"))
        r.flags.push_back("-std=" + w.value);
    else if (n == "ftz" || n == "prec-div" || n == "prec-sqrt" || n == "fmad")
        r.flags.push_back("--" + n + "=" + w.value);
    else if (n == "use_fast_math")
        r.flags.push_back("--use_fast_math");
    else if (n == "w" || n == "disable-warnings")
        r.flags.push_back("-w");
    return {};
}

Kind kind_of(const std::string& name) {
    if (name == "version" || name == "V") return Kind::version;
    if (name == "ptx") return Kind::ptx;
    if (name == "cubin") return Kind::cubin;
    if (name == "fatbin") return Kind::fatbin;
    if (name == "preprocess" || name == "E") return Kind::preprocess;
    return Kind::other;
}

const char* ending_of(Kind kind) {
    return kind == Kind::ptx ? ".ptx" : kind == Kind::cubin ? ".cubin" : kind == Kind::fatbin ? ".fatbin" : "";
}

/// The text after its #includes and macros.
Result<std::string> preprocessed(const compile::CompileRequest& request) {
    auto tools = compile::find_tools({});
    if (!tools) return tools.error();
    auto flags = compile::compile_flags(request, *tools);
    if (!flags) return flags.error();
    const auto text = read_file(request.path, file_limit::source);
    if (!text) return text.error();
    const TemporaryFolder folder("nvcc");
    if (folder.path().empty()) return Error{ErrorKind::internal, "no temporary folder", {}, "set TMPDIR"};
    const auto source = compile::source_operand(request.path, true, *text, folder.path());
    if (!source) return source.error();
    std::vector<std::string> words{tools->compiler};
    words.insert(words.end(), flags->begin(), flags->end());
    words.insert(words.end(), source->flags.begin(), source->flags.end());
    words.insert(words.end(), {"-E", "-o", "-", "--", source->name});
    auto settings = compile::compiler_settings({});
    settings.output_bytes = std::size_t{256} << 20;
    auto ran = compile::run_process(words, settings);
    if (!ran) return ran.error();
    if (ran->exit_code != 0 || ran->signal != 0) return compile::all_errors(ran->errors, request);
    return std::move(ran->output);
}

}  // namespace

Result<NvccCommand> read_nvcc_words(const std::vector<std::string>& words) {
    NvccCommand c;
    c.request.arch = "sm_75";
    std::string folder;
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (words[k].size() < 2 || words[k][0] != '-') {
            if (!c.request.path.empty())
                return Error{ErrorKind::usage, "more than one source: " + c.request.path + " and " + words[k], {}, ""};
            c.request.path = words[k];
            continue;
        }
        Word w = read_word(words[k]);
        if (const Kind kind = kind_of(w.name); kind != Kind::other) c.kind = kind;
        if (!w.has_value && with_value().count(w.name)) {
            if (k + 1 == words.size())
                return Error{ErrorKind::usage, "the option " + words[k] + " has no value", {}, ""};
            w.value = words[++k];
        }
        if (auto ok = take(w, c, folder); !ok) return ok.error();
    }
    if (c.output.empty() && *ending_of(c.kind)) {
        c.output = fs::path(c.request.path).stem().string() + ending_of(c.kind);
        if (!folder.empty()) c.output = (fs::path(folder) / c.output).string();
    }
    if (c.kind != Kind::other && c.kind != Kind::version && c.request.path.empty())
        return Error{ErrorKind::usage, "no source", {}, ""};
    return c;
}

Result<std::string> run_nvcc(const NvccCommand& command, std::string& log) {
    if (command.kind == Kind::preprocess) return preprocessed(command.request);
    compile::CompileOptions how;
    how.cache_dir = default_cache_directory();
    auto made = compile::compile(command.request, how);
    if (!made) return made.error();
    log = made->log;
    // Machine code is for GPUs; the driver library loads PTX wherever a program hands it what this writes.
    if (command.kind == Kind::fatbin) return compile::write_fat_binary(made->ptx, compile::ptx_arch(made->ptx));
    return std::move(made->ptx);
}

std::string nvcc_version() {
    return "nvcc: NVIDIA (R) Cuda compiler driver, by the stand-in of Warpwright " WARPWRIGHT_VERSION
           "\nCuda compilation tools, release 13.0, V13.0.0\n";
}

}  // namespace warpwright::compilers

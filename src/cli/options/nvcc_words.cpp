// One table says what becomes of each nvcc option: an option of the build command, a flag for clang, or a flag for the
// host's compiler or linker. Of several architectures the highest one counts, because only PTX is kept and it runs on
// all newer devices.
#include "cli/options/nvcc_words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "support/read_file.hpp"

namespace warpwright::cli {
namespace {

enum class To {
    ours,        ///< an option of ours with this value
    flag,        ///< a flag without a value
    joined,      ///< a flag and its value in one word
    apart,       ///< a flag and its value in two words
    host_flag,   ///< a flag of the host's compiler
    host_apart,  ///< the same, its value in a word of its own
    host,        ///< flags for the host's compiler, joined by commas
    linker,      ///< the same for the linker
    arch,        ///< names one architecture or more
    rdc,
    default_stream,
    words,    ///< the words of a file stand in its place
    forward,  ///< unknown options go to the host's compiler
    nothing,  ///< has no effect here
    refused,  ///< asks for another kind of file
};

struct NvccOption {
    const char *name, *other;  ///< without dashes
    bool has_value;
    To to;
    const char* as;  ///< the option or flag that it becomes
};

/// nvcc compiles kernels with full optimisation whatever -O says, and so do we: -O and -g are the host's.
constexpr NvccOption kOptions[] = {
    {"output-file", "o", true, To::ours, "--output"},
    {"include-path", "I", true, To::ours, "--include"},
    {"define-macro", "D", true, To::ours, "--define"},
    {"undefine-macro", "U", true, To::joined, "-U"},
    {"library", "l", true, To::joined, "-l"},
    {"library-path", "L", true, To::joined, "-L"},
    {"system-include", "isystem", true, To::apart, "-isystem"},
    {"pre-include", "include", true, To::apart, "-include"},
    {"x", "x", true, To::apart, "-x"},
    {"std", "std", true, To::joined, "-std="},
    {"fmad", "fmad", true, To::joined, "-fmad="},
    {"ftz", "ftz", true, To::joined, "-ftz="},
    {"prec-div", "prec-div", true, To::joined, "-prec-div="},
    {"prec-sqrt", "prec-sqrt", true, To::joined, "-prec-sqrt="},
    {"use_fast_math", "use_fast_math", false, To::flag, "-use_fast_math"},
    {"disable-warnings", "w", false, To::flag, "-w"},
    {"compile", "c", false, To::flag, "-c"},
    {"device-c", "dc", false, To::rdc, "-c"},
    {"relocatable-device-code", "rdc", true, To::rdc, ""},
    {"optimize", "O", true, To::host_flag, "-O"},
    {"debug", "g", false, To::host_flag, "-g"},
    {"profile", "pg", false, To::host_flag, "-pg"},
    {"generate-dependencies-with-compile", "MD", false, To::host_flag, "-MD"},
    {"generate-nonsystem-dependencies-with-compile", "MMD", false, To::host_flag, "-MMD"},
    {"generate-dependency-targets", "MP", false, To::host_flag, "-MP"},
    {"dependency-output", "MF", true, To::host_apart, "-MF"},
    {"dependency-target-name", "MT", true, To::host_apart, "-MT"},
    {"compiler-options", "Xcompiler", true, To::host, ""},
    {"linker-options", "Xlinker", true, To::linker, ""},
    {"gpu-architecture", "arch", true, To::arch, ""},
    {"gpu-code", "code", true, To::arch, ""},
    {"generate-code", "gencode", true, To::arch, ""},
    {"default-stream", "default-stream", true, To::default_stream, ""},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", false, To::forward, ""},
    {"generate-line-info", "lineinfo", false, To::nothing, ""},  // lines are always there
    {"device-debug", "G", false, To::nothing, ""},
    {"cudart", "cudart", true, To::nothing, ""},  // ours is shared
    {"ptxas-options", "Xptxas", true, To::nothing, ""},
    {"nvlink-options", "Xnvlink", true, To::nothing, ""},
    {"fatbin-options", "Xfatbin", true, To::nothing, ""},
    {"cudafe-options", "Xcudafe", true, To::nothing, ""},
    {"maxrregcount", "maxrregcount", true, To::nothing, ""},  // registers are virtual
    {"compiler-bindir", "ccbin", true, To::nothing, ""},
    {"machine", "m", true, To::nothing, ""},
    {"threads", "t", true, To::nothing, ""},
    {"split-compile", "split-compile", true, To::nothing, ""},
    {"diag-suppress", "diag-suppress", true, To::nothing, ""},
    {"diag-error", "diag-error", true, To::nothing, ""},
    {"diag-warn", "diag-warn", true, To::nothing, ""},
    {"Werror", "Werror", true, To::nothing, ""},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", false, To::nothing, ""},
    {"extended-lambda", "expt-extended-lambda", false, To::nothing, ""},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", false, To::nothing, ""},
    {"extra-device-vectorization", "extra-device-vectorization", false, To::nothing, ""},
    {"display-error-number", "err-no", false, To::nothing, ""},
    {"resource-usage", "res-usage", false, To::nothing, ""},
    {"verbose", "v", false, To::nothing, ""},
    {"keep", "keep", false, To::nothing, ""},
    {"m64", "m64", false, To::nothing, ""},
    {"ptx", "ptx", false, To::refused, ""},
    {"cubin", "cubin", false, To::refused, ""},
    {"fatbin", "fatbin", false, To::refused, ""},
    {"preprocess", "E", false, To::refused, ""},
    {"generate-dependencies", "M", false, To::refused, ""},
    {"generate-nonsystem-dependencies", "MM", false, To::refused, ""},
    {"shared", "shared", false, To::flag, "-shared"},
    {"options-file", "optf", true, To::words, ""},
    {"device-link", "dlink", false, To::flag, "-dlink"},
    {"lib", "lib", false, To::flag, "-lib"},
};

/// An option and what stands in the same word behind it: --std=c++17, -std=c++17, -O3.
struct Found {
    const NvccOption* option = nullptr;
    std::string value;
    bool has_value = false;
};

Found find(const std::string& word) {
    const bool two = word.starts_with("--");
    const auto equals = word.find('=');
    const std::string name = word.substr(two ? 2 : 1, equals == std::string::npos ? equals : equals - (two ? 2 : 1));
    for (const auto& o : kOptions)
        if (name == o.name || (!two && name == o.other)) {
            if (equals == std::string::npos) return {&o, "", false};
            return {&o, word.substr(equals + 1), true};
        }
    // Options of one letter: the value follows at once.
    if (!two && word.size() > 2 && std::string("DILOUlot").find(word[1]) != std::string::npos)
        for (const auto& o : kOptions)
            if (o.has_value && word.substr(1, 1) == o.other) return {&o, word.substr(2), true};
    return {};
}

/// The parts between commas.
std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts{""};
    for (const char c : list)
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    std::erase(parts, "");
    return parts;
}

/// An option of ours whose value is the next word, which is no option of nvcc's whatever it looks like.
bool has_value_of_its_own(const std::string& word) {
    return word == "--compile-flag" || word == "--host-flag" || word == "--cuda-path" || word == "--timeout";
}

class Words {
public:
    Result<void> read(const std::vector<std::string>& words);
    std::vector<std::string> taken() &&;

private:
    Result<void> take(const NvccOption& option, const std::string& word, const std::string& value);
    Result<void> read_files(const std::string& files);
    void note_architectures(const std::string& value);
    void flag(const std::string& text) { out_.push_back("--compile-flag=" + text); }
    void host_flag(const std::string& text) { out_.push_back("--host-flag=" + text); }

    std::vector<std::string> out_;
    unsigned highest_ = 0;  ///< of the architectures that are named
    std::string arch_;      ///< its name: "sm_90a"
    bool forward_ = false;
    unsigned files_ = 0;  ///< files of options that are being read, each named in the one before
};

/// compute_90, sm_90a; of a list, and of arch=compute_80,code=[sm_80,compute_80], the highest counts: only PTX is kept,
/// and it runs on all that is newer.
void Words::note_architectures(const std::string& value) {
    for (std::size_t at = value.find('_'); at != std::string::npos; at = value.find('_', at + 1)) {
        const auto end = std::min(value.find_first_of(",] ", at), value.size());
        unsigned number = 0;
        std::from_chars(value.data() + at + 1, value.data() + end, number);
        if (number < highest_ || number == 0) continue;
        const std::string name = "sm_" + value.substr(at + 1, end - at - 1);
        // sm_90a has more than sm_90.
        if (number > highest_ || name.size() > arch_.size()) arch_ = name;
        highest_ = number;
    }
}

/// The words of a text, as a shell parts them: at spaces and ends of lines, but not within quotes.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    bool within = false;
    char quote = 0;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        if (!quote && std::isspace(static_cast<unsigned char>(c))) {
            within = false;
            continue;
        }
        if (!std::exchange(within, true)) words.emplace_back();
        if (c == quote)
            quote = 0;
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else if (c == '\\' && quote != '\'' && k + 1 < text.size())
            words.back() += text[++k];
        else
            words.back() += c;
    }
    return words;
}

Result<void> Words::read_files(const std::string& files) {
    constexpr unsigned kDeepest = 16;
    if (files_ == kDeepest)
        return Error{ErrorKind::usage, "files of options name each other without end: '" + files + "'", {}, ""};
    for (const auto& file : parts_of(files)) {
        auto text = read_file(file, std::uint64_t{1} << 20);
        if (!text) return text.error();
        ++files_;
        auto ok = read(words_of(*text));
        --files_;
        if (!ok) return ok;
    }
    return {};
}

Result<void> Words::take(const NvccOption& option, const std::string& word, const std::string& value) {
    const std::string as = option.as;
    switch (option.to) {
        case To::ours:
            out_.push_back(as + "=" + value);
            break;
        case To::flag:
            flag(as);
            break;
        case To::joined:
            flag(as + value);
            break;
        case To::apart:
            flag(as), flag(value);
            break;
        case To::host_flag:
            host_flag(as + value);
            break;
        case To::host_apart:
            host_flag(as), host_flag(value);
            break;
        case To::host:
            for (const auto& part : parts_of(value)) host_flag(part);
            break;
        case To::linker:
            for (const auto& part : parts_of(value)) flag("-Wl," + part);
            break;
        case To::arch:
            note_architectures(value);
            break;
        case To::rdc:
            if (!as.empty()) flag(as);
            if (!as.empty() || value == "true") flag("-rdc=true");
            break;
        case To::default_stream:
            if (value == "per-thread")
                flag("--default-stream=per-thread");
            else if (value != "legacy" && value != "null")
                return Error{ErrorKind::usage,
                             "'" + word + "': there is no default stream '" + value + "'",
                             {},
                             "it is legacy, null or per-thread"};
            break;
        case To::words:
            return read_files(value);
        case To::forward:
            forward_ = true;
            break;
        case To::nothing:
            break;
        case To::refused:
            return Error{ErrorKind::usage,
                         "'" + word + "': warpwright build makes programs, libraries and objects",
                         {},
                         "NVIDIA's nvcc makes the rest"};
    }
    return {};
}

Result<void> Words::read(const std::vector<std::string>& words) {
    forward_ = forward_ || std::find(words.begin(), words.end(), "-forward-unknown-to-host-compiler") != words.end() ||
               std::find(words.begin(), words.end(), "--forward-unknown-to-host-compiler") != words.end();
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (k + 1 < words.size() && has_value_of_its_own(word)) {
            out_.insert(out_.end(), {word, words[++k]});
            continue;
        }
        Found found = word.size() > 1 && word[0] == '-' ? find(word) : Found{};
        if (!found.option) {
            // clang's and g++'s -Wall; nvcc wants -Xcompiler before it.
            if (!forward_ && word.starts_with("-W") && word.size() > 2 && !word.starts_with("-Wl,")) {
                flag(word);
                continue;
            }
            const bool own = !word.starts_with("-") || word.starts_with("--") || word == "-h";
            forward_ && !own ? host_flag(word) : out_.push_back(word);
            continue;
        }
        if (found.option->has_value && !found.has_value) {
            if (k + 1 == words.size())
                return Error{ErrorKind::usage, word + " needs a value", {}, "see: warpwright build --help"};
            found.value = words[++k];
        }
        if (auto ok = take(*found.option, word, found.value); !ok) return ok;
    }
    return {};
}

std::vector<std::string> Words::taken() && {
    if (!arch_.empty()) flag("-arch=" + arch_);
    return std::move(out_);
}

}  // namespace

Result<std::vector<std::string>> nvcc_words(const std::vector<std::string>& words) {
    Words all;
    if (auto ok = all.read(words); !ok) return ok.error();
    return std::move(all).taken();
}

}  // namespace warpwright::cli

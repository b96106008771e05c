// One table has the options of NVRTC with their use, and the rest of the file turns them into a request. A second
// reader filters the options for NVIDIA's own NVRTC, where PTX is wanted instead of machine code.
#include "compilers/nvrtc/options.hpp"

#include <map>

#include "compilers/architecture.hpp"
#include "compilers/option_word.hpp"

namespace warpwright::compilers {
namespace {

enum class Use {
    arch,
    define,
    undefine,
    folder,
    before,  ///< a header that is included first
    standard,
    flag,   ///< our compiler knows it by the same name
    value,  ///< likewise, with a value
    device,
    separate,        ///< with "true": other programs may define what this one calls, and call what it defines
    separate_alone,  ///< likewise, without a value
    nothing,         ///< has no effect here
    nothing_value,   ///< likewise, and has a value
};

struct Known {
    Use use;
    const char* name;  ///< our compiler's
};

const std::map<std::string, Known>& known() {
    static const std::map<std::string, Known> all{
        {"gpu-architecture", {Use::arch, ""}},
        {"arch", {Use::arch, ""}},
        {"define-macro", {Use::define, ""}},
        {"D", {Use::define, ""}},
        {"undefine-macro", {Use::undefine, ""}},
        {"U", {Use::undefine, ""}},
        {"include-path", {Use::folder, ""}},
        {"I", {Use::folder, ""}},
        {"pre-include", {Use::before, ""}},
        {"include", {Use::before, ""}},
        {"std", {Use::standard, ""}},
        {"use_fast_math", {Use::flag, "--use_fast_math"}},
        {"fmad", {Use::value, "--fmad="}},
        {"ftz", {Use::value, "--ftz="}},
        {"prec-div", {Use::value, "--prec-div="}},
        {"prec-sqrt", {Use::value, "--prec-sqrt="}},
        {"relocatable-device-code", {Use::separate, ""}},
        {"rdc", {Use::separate, ""}},
        {"device-as-default-execution-space", {Use::device, ""}},
        {"default-device", {Use::device, ""}},
        {"maxrregcount", {Use::nothing_value, ""}},
        {"ptxas-options", {Use::nothing_value, ""}},
        {"Xptxas", {Use::nothing_value, ""}},
        {"diag-suppress", {Use::nothing_value, ""}},
        {"diag-error", {Use::nothing_value, ""}},
        {"diag-warn", {Use::nothing_value, ""}},
        {"builtin-move-forward", {Use::nothing_value, ""}},
        {"builtin-initializer-list", {Use::nothing_value, ""}},
        {"modify-stack-limit", {Use::nothing_value, ""}},
        {"version-ident", {Use::nothing_value, ""}},
        {"split-compile", {Use::nothing_value, ""}},
        {"time", {Use::nothing_value, ""}},
        {"optimization-level", {Use::nothing_value, ""}},
        {"Ofast-compile", {Use::nothing_value, ""}},
        {"Ofc", {Use::nothing_value, ""}},
        {"device-int128", {Use::nothing, ""}},
        {"device-float128", {Use::nothing, ""}},
        {"device-debug", {Use::nothing, ""}},
        {"G", {Use::nothing, ""}},
        {"generate-line-info", {Use::nothing, ""}},
        {"lineinfo", {Use::nothing, ""}},
        {"extra-device-vectorization", {Use::nothing, ""}},
        {"device-c", {Use::separate_alone, ""}},
        {"dc", {Use::separate_alone, ""}},
        {"device-w", {Use::nothing, ""}},
        {"dw", {Use::nothing, ""}},
        {"dlink-time-opt", {Use::nothing, ""}},
        {"dlto", {Use::nothing, ""}},
        {"gen-opt-lto", {Use::nothing, ""}},
        {"disable-warnings", {Use::flag, "-w"}},
        {"w", {Use::flag, "-w"}},
        {"restrict", {Use::nothing, ""}},
        {"extensible-whole-program", {Use::nothing, ""}},
        {"ewp", {Use::nothing, ""}},
        {"no-source-include", {Use::nothing, ""}},
        {"minimal", {Use::nothing, ""}},
        {"no-cache", {Use::nothing, ""}},
        {"display-error-number", {Use::nothing, ""}},
        {"no-display-error-number", {Use::nothing, ""}},
        {"err-no", {Use::nothing, ""}},
        {"brief-diagnostics", {Use::nothing, ""}},
        {"pch", {Use::nothing, ""}},
        {"fdevice-syntax-only", {Use::nothing, ""}},
        {"jump-table-density", {Use::nothing_value, ""}},
        {"random-seed", {Use::nothing_value, ""}},
        {"frandom-seed", {Use::nothing_value, ""}},
        {"ltoir", {Use::nothing, ""}},
        {"optix-ir", {Use::nothing, ""}},
    };
    return all;
}

/// An option taken apart. One-letter options may have their value behind them: -DNAME, -Ifolder.
using Word = OptionWord;
Word read_word(const std::string& word) {
    const bool two = word.starts_with("--");
    const std::string bare = word.substr(two ? 2 : 1);
    if (!two && bare.size() > 1 && (bare[0] == 'D' || bare[0] == 'I' || bare[0] == 'U'))
        return {bare.substr(0, 1), bare.substr(1), true};
    return option_word(word);
}

bool takes_value(Use use) {
    return use != Use::flag && use != Use::device && use != Use::separate_alone && use != Use::nothing;
}

Error wrong(const std::string& what) { return {ErrorKind::usage, what, {}, ""}; }

void take_standard(const std::string& value, RtcOptions& out) {
    // Our headers need C++17, which is NVRTC's default.
    if (value == "c++20" || value == "c++23" || value == "c++26") out.request.flags.push_back("-std=" + value);
}

Result<void> take(const Known& k, const std::string& word, const std::string& value, RtcOptions& out) {
    auto& r = out.request;
    switch (k.use) {
        case Use::arch: {
            auto arch = read_architecture(value);
            if (!arch) return arch.error();
            r.arch = arch->name;
            out.machine_code = arch->machine_code;
            break;
        }
        case Use::define:
            r.defines.push_back(value);
            break;
        case Use::undefine:
            r.flags.push_back("-U" + value);
            break;
        case Use::folder:
            r.include_dirs.push_back(value);
            break;
        case Use::before:
            r.flags.insert(r.flags.end(), {"-include", value});
            break;
        case Use::standard:
            take_standard(value, out);
            break;
        case Use::flag:
            r.flags.push_back(k.name);
            break;
        case Use::value:
            r.flags.push_back(k.name + value);
            break;
        case Use::device:
            out.default_device = true;
            break;
        case Use::separate:
            if (value == "true") r.flags.push_back("-fgpu-rdc");
            break;
        case Use::separate_alone:
            r.flags.push_back("-fgpu-rdc");
            break;
        case Use::nothing:
        case Use::nothing_value:
            if (word.find("maxrregcount") != std::string::npos || word == "-G" || word == "--device-debug")
                out.notes += "nvrtc: note: " + word + " has no effect on the emulated GPU\n";
            break;
    }
    return {};
}

}  // namespace

Result<RtcOptions> read_rtc_options(const std::vector<std::string>& words) {
    RtcOptions out;
    out.request.arch = "sm_75";
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (words[k].size() < 2 || words[k][0] != '-') return wrong("unrecognized option " + words[k] + " found");
        Word w = read_word(words[k]);
        const auto found = known().find(w.name);
        if (found == known().end()) return wrong("unrecognized option " + words[k] + " found");
        const Use use = found->second.use;
        if (!w.has_value && takes_value(use)) {
            if (k + 1 == words.size()) {
                // --time and its like may stand alone.
                if (use != Use::nothing_value) return wrong("the option " + words[k] + " has no value");
            } else if (use != Use::nothing_value || !words[k + 1].starts_with("-")) {
                w.value = words[++k];
            }
        }
        if (auto ok = take(found->second, words[k], w.value, out); !ok) return ok.error();
    }
    return out;
}

std::vector<std::string> options_for_ptx(const std::vector<std::string>& words, bool& machine_code) {
    std::vector<std::string> out;
    machine_code = false;
    bool arch_next = false;
    for (const auto& word : words) {
        const Word w = arch_next ? Word{"arch", word, true} : read_word(word.size() < 2 ? "--" : word);
        if (!arch_next && (w.name == "dlto" || w.name == "dlink-time-opt")) continue;
        const bool arch = w.name == "arch" || w.name == "gpu-architecture";
        if (arch && w.has_value && w.value.starts_with("sm_")) {
            machine_code = true;
            const std::string name = "compute_" + w.value.substr(3);
            out.push_back(arch_next ? name : "--gpu-architecture=" + name);
        } else {
            out.push_back(word);
        }
        arch_next = arch && !w.has_value;
    }
    return out;
}

}  // namespace warpwright::compilers

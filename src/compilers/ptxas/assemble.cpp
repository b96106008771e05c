// PTX is parsed and every kernel lowered, so that errors are those of a later launch, and registers and spills come
// from the machine view. Messages follow the assembler's form, because clients parse them.
#include "compilers/ptxas/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "machine/registers.hpp"
#include "machine/spill.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::compilers {
namespace {

/// Options of ptxas that have a value, which may be the next word. The value is kept where a name is given.
const std::set<std::string>& options_with_value() {
    static const std::set<std::string> all{"gpu-name",
                                           "arch",
                                           "output-file",
                                           "o",
                                           "opt-level",
                                           "O",
                                           "Ofc",
                                           "Ofast-compile",
                                           "maxrregcount",
                                           "regAllocOptLevel",
                                           "fmad",
                                           "def-load-cache",
                                           "dlcm",
                                           "def-store-cache",
                                           "dscm",
                                           "force-load-cache",
                                           "flcm",
                                           "force-store-cache",
                                           "fscm",
                                           "machine",
                                           "m",
                                           "entry",
                                           "e",
                                           "input-as-string",
                                           "ias",
                                           "options-file",
                                           "optf",
                                           "split-compile",
                                           "jobs",
                                           "j",
                                           "register-usage-level",
                                           "sm-version",
                                           "compiler-stats-file",
                                           "position-independent-code",
                                           "override-directive-values",
                                           "device-function-maxrregcount",
                                           "func-maxrregcount",
                                           "minnctapersm",
                                           "maxntid"};
    return all;
}

struct Word {
    std::string name, value;
    bool has_value = false;
};

/// "-name=value" taken apart; an empty name: it is no option.
Word read_word(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return {"", word, true};
    const std::string bare = word.substr(word[1] == '-' ? 2 : 1);
    const auto equals = bare.find('=');
    if (equals != std::string::npos) return {bare.substr(0, equals), bare.substr(equals + 1), true};
    // -O3 and -o... are one word; -Ofc and -optf are options of their own.
    if (bare.size() == 2 && bare[0] == 'O' && bare[1] >= '0' && bare[1] <= '3') return {"O", bare.substr(1), true};
    return {bare, "", false};
}

Error wrong(std::string what) { return {ErrorKind::usage, std::move(what), {}, ""}; }

constexpr unsigned kBarriers = 16;

/// The numbers of the barriers that a kernel names, as ptxas counts them: the highest and one.
unsigned barriers_of(const ptx::Function& f) {
    unsigned most = 0;
    for (const auto& i : f.body) {
        if (i.op != ptx::Op::bar && i.op != ptx::Op::barrier) continue;
        // A number in a register may be any of them.
        const bool known = !i.operands.empty() && i.operands[0].kind == ptx::Operand::Kind::integer;
        const auto number = known ? std::min<std::uint64_t>(i.operands[0].value, kBarriers - 1) : kBarriers - 1;
        most = std::max(most, static_cast<unsigned>(number) + 1);
    }
    return most;
}

/// Where the parameters begin in the constant bank, by the architecture.
unsigned parameters_at(const std::string& arch) {
    unsigned number = 0;
    for (char c : arch)
        if (c >= '0' && c <= '9') number = number * 10 + static_cast<unsigned>(c - '0');
    return number >= 100 ? 0x380 : number >= 90 ? 0x210 : number >= 70 ? 0x160 : 0x140;
}

std::string described(const ptx::Function& f, const simt::Function& lowered, const std::string& arch) {
    const unsigned allowed = machine::registers_allowed(lowered), needed = machine::registers_needed(lowered);
    const unsigned registers = std::min(needed, allowed);
    const machine::Spills spilled = machine::spills(lowered);
    std::string out = fmt::format(
        "ptxas info    : Compiling entry function '{0}' for '{1}'\n"
        "ptxas info    : Function properties for {0}\n"
        "    {2} bytes stack frame, {3} bytes spill stores, {4} bytes spill loads\n"
        "ptxas info    : Used {5} registers, used {6} barriers",
        f.name, arch, lowered.local_bytes + spilled.frame, spilled.stores, spilled.loads, registers, barriers_of(f));
    if (lowered.local_bytes + spilled.frame)
        out += fmt::format(", {} bytes cumulative stack size", lowered.local_bytes + spilled.frame);
    if (lowered.static_shared) out += fmt::format(", {} bytes smem", lowered.static_shared);
    return out + fmt::format(", {} bytes cmem[0]\n", parameters_at(arch) + lowered.param_bytes);
}

/// The version of PTX that belongs to the release below, as the release notes of PTX's ISA have it.
constexpr struct {
    unsigned major, minor;
} kNewest{9, 0};

/// An error in the words of ptxas.
std::string said(const Error& error, const std::string& file) {
    std::string text = error.what;
    if (!error.hint.empty()) text += " (" + error.hint + ")";
    const auto& at = error.where;
    if (at.line)
        return fmt::format("ptxas {}, line {}; error   : {}\n", at.file.empty() ? file : at.file, at.line, text);
    return fmt::format("ptxas error   : {}\n", text);
}

/// What ptxas says of a text for a version that does not exist yet; empty: its version is none such. Clients (XLA) ask
/// for version 99.99 and read the newest one between the quotes, which must be the only ones.
std::string version_beyond(const std::string& text) {
    std::istringstream in(text);
    std::string directive;
    unsigned major = 0, minor = 0;
    char dot = 0;
    if (!(in >> directive >> major >> dot >> minor) || directive != ".version" || dot != '.') return "";
    // The parser lets one major version in ahead of time: such a text has another error.
    if (major <= kNewest.major + 1) return "";
    return fmt::format("ptxas fatal   : Unsupported .version {}.{}; current version is '{}.{}'\n", major, minor,
                       kNewest.major, kNewest.minor);
}

}  // namespace

Result<AssembleRequest> read_ptxas_words(const std::vector<std::string>& words) {
    AssembleRequest r;
    for (std::size_t k = 0; k < words.size(); ++k) {
        Word w = read_word(words[k]);
        if (w.name.empty()) {
            if (!r.input.empty()) return wrong("more than one input file: " + r.input + " and " + w.value);
            r.input = w.value;
            continue;
        }
        if (!w.has_value && options_with_value().count(w.name)) {
            if (k + 1 == words.size()) return wrong("the option " + words[k] + " has no value");
            w.value = words[++k];
            w.has_value = true;
        }
        if (w.name == "o" || w.name == "output-file")
            r.output = w.value;
        else if (w.name == "arch" || w.name == "gpu-name")
            r.arch = w.value;
        else if (w.name == "v" || w.name == "verbose")
            r.verbose = true;
        else if (w.name == "V" || w.name == "version")
            r.version = true;
        else if (w.name == "h" || w.name == "help")
            r.help = true;
        else if (w.name == "input-as-string" || w.name == "ias")
            r.text = w.value;
        else if (w.name == "options-file" || w.name == "optf")
            return wrong("the option " + words[k] + " is not known to the emulated GPU's stand-in for ptxas");
        else
            r.without_effect.push_back(words[k]);
    }
    if (r.text && !r.input.empty()) return wrong("there is a text (" + r.input + " is a second input)");
    if (r.text) r.input = "application ptx input";
    if (r.input.empty() && !r.version && !r.help) return wrong("there is no input file");
    return r;
}

Assembled assemble(const std::string& text, const AssembleRequest& request) {
    Assembled out;
    const std::string broken = "ptxas fatal   : Ptx assembly aborted due to errors\n";
    auto module = ptx::parse(text, request.input);
    if (const auto beyond = version_beyond(text); !module && !beyond.empty()) {
        out.log = beyond;
        return out;
    }
    if (!module) {
        out.log = said(module.error(), request.input) + broken;
        return out;
    }
    std::uint64_t global = 0, constant = 0;
    for (const auto& v : module->variables) {
        if (v.space == ptx::Space::global) global += v.size;
        if (v.space == ptx::Space::constant) constant += v.size;
    }
    std::string kernels, errors;
    for (std::size_t k = 0; k < module->functions.size(); ++k) {
        const auto& f = module->functions[k];
        if (!f.entry || !f.defined) continue;
        auto lowered = simt::lower(*module, static_cast<ptx::SymbolId>(k));
        if (lowered)
            kernels += described(f, *lowered, request.arch);
        else
            errors += said(lowered.error(), request.input);
    }
    out.ok = errors.empty();
    if (!out.ok)
        out.log = errors + broken;
    else if (request.verbose)
        out.log = fmt::format("ptxas info    : {} bytes gmem{}\n", global,
                              constant ? fmt::format(", {} bytes cmem[3]", constant) : "") +
                  kernels;
    return out;
}

std::string output_of(std::string text) {
    if (text.empty() || text.back() != '\0') text += '\0';
    return text;
}

std::string ptxas_version() {
    return "ptxas: NVIDIA (R) Ptx optimizing assembler, by the stand-in of Warpwright " WARPWRIGHT_VERSION
           "\nCuda compilation tools, release 13.0, V13.0.0\n";
}

}  // namespace warpwright::compilers

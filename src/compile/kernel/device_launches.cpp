// Rewrites launches in preprocessed text by its words: clang has no grammar for them in device code. It runs only where
// clang's errors show that kernels launch kernels.
#include "compile/kernel/device_launches.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "compile/failure.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace {

/// The runtime's functions that device code may call; the second column: an argument may be a kernel.
const std::map<std::string_view, bool> kCalls = {{"cudaGetParameterBuffer", false},
                                                 {"cudaGetParameterBufferV2", true},
                                                 {"cudaLaunchDevice", true},
                                                 {"cudaLaunchDeviceV2", false},
                                                 {"cudaStreamCreateWithFlags", false},
                                                 {"cudaStreamDestroy", false},
                                                 {"cudaStreamWaitEvent", false},
                                                 {"cudaEventCreateWithFlags", false},
                                                 {"cudaEventRecord", false},
                                                 {"cudaEventDestroy", false},
                                                 {"cudaGetLastError", false},
                                                 {"cudaPeekAtLastError", false},
                                                 {"cudaGetErrorName", false},
                                                 {"cudaGetErrorString", false},
                                                 {"cudaGetDevice", false},
                                                 {"cudaGetDeviceCount", false},
                                                 {"cudaDeviceGetAttribute", false},
                                                 {"cudaDeviceGetLimit", false},
                                                 {"cudaDeviceGetCacheConfig", false},
                                                 {"cudaRuntimeGetVersion", false},
                                                 {"cudaFuncGetAttributes", true},
                                                 {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", true},
                                                 {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", true},
                                                 {"cudaGraphLaunch", false},
                                                 {"cudaMalloc", false},
                                                 {"cudaFree", false},
                                                 {"cudaMemcpyAsync", false},
                                                 {"cudaMemcpy2DAsync", false},
                                                 {"cudaMemcpy3DAsync", false},
                                                 {"cudaMemsetAsync", false},
                                                 {"cudaMemset2DAsync", false},
                                                 {"cudaMemset3DAsync", false}};

struct Token {
    std::size_t begin, end;
    bool word;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

/// Words, literals (whole) and single characters; no comments, no lines of the preprocessor's.
std::vector<Token> tokens_of(const std::string& text) {
    std::vector<Token> out;
    bool line_start = true;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n') {
            line_start = true;
            ++i;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++i;
        } else if (c == '#' && line_start) {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == '/' && text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
        } else if (c == '/' && text.compare(i, 2, "/*") == 0) {
            const auto end = text.find("*/", i + 2);
            i = end == std::string::npos ? text.size() : end + 2;
        } else {
            line_start = false;
            auto end = i + 1;
            bool word = false;
            if (c == 'R' && text.compare(i, 2, "R\"") == 0) {
                const auto open = text.find('(', i);
                const auto close =
                    open == std::string::npos ? open : text.find(")" + text.substr(i + 2, open - i - 2) + "\"", open);
                end = close == std::string::npos ? text.size() : close + (open - i - 2) + 2;
            } else if (c == '"' || c == '\'') {
                while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
                end = std::min(end + 1, text.size());
            } else if (std::isdigit(static_cast<unsigned char>(c))) {
                while (end < text.size() && (is_word(text[end]) || text[end] == '.' ||
                                             (text[end] == '\'' && end + 1 < text.size() && is_word(text[end + 1]))))
                    ++end;
            } else if (is_word(c)) {
                word = true;
                while (end < text.size() && is_word(text[end])) ++end;
            }
            out.push_back({i, end, word});
            i = end;
        }
    }
    return out;
}

class Rewriter {
public:
    Rewriter(const std::string& text, bool host)
        : text_(text), host_(host), tokens_(tokens_of(text)), device_(tokens_.size(), false) {}

    std::string run() {
        find_functions();
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!device_[i]) continue;
            if (is_triple(i, '<'))
                launch(i);
            else if (tokens_[i].word)
                call(i);
        }
        return apply();
    }

private:
    std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                                  : std::string_view();
    }
    bool is(std::size_t i, char c) const {
        return i < tokens_.size() && text_[tokens_[i].begin] == c && tokens_[i].end == tokens_[i].begin + 1;
    }
    bool is_triple(std::size_t i, char c) const {
        return is(i, c) && is(i + 1, c) && is(i + 2, c) && tokens_[i + 2].end == tokens_[i].begin + 3;
    }
    /// The index after the bracket that closes the one at `i`; the number of tokens if none does.
    std::size_t past_group(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            if (is(i, '(') || is(i, '[') || is(i, '{'))
                ++depth;
            else if ((is(i, ')') || is(i, ']') || is(i, '}')) && --depth == 0)
                return i + 1;
        }
        return i;
    }
    std::string joined(std::size_t from, std::size_t to) const {
        std::string out;
        for (auto i = from; i < to; ++i) {
            // Characters that were adjacent stay adjacent: they may be one operator.
            if (i > from && tokens_[i].begin != tokens_[i - 1].end) out += ' ';
            out += at(i);
        }
        return out;
    }
    /// __attribute__((name)) at i, or with underscores about the name, as our headers write it.
    bool attribute(std::size_t i, std::string_view name) const {
        if (at(i) != "__attribute__" || !is(i + 1, '(') || !is(i + 2, '(') || !is(i + 4, ')') || !is(i + 5, ')'))
            return false;
        std::string_view said = at(i + 3);
        if (said.starts_with("__") && said.ends_with("__") && said.size() > 4) said = said.substr(2, said.size() - 4);
        return said == name;
    }

    void find_functions() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const bool kernel = attribute(i, "global");
            if (!kernel && !attribute(i, "device")) continue;
            if (kernel) find_kernel(i);
            bool both = false;
            for (auto k = i; k >= 6 && at(k - 6) == "__attribute__"; k -= 6) both |= attribute(k - 6, "host");
            auto k = i + 6;
            while (k < tokens_.size() && !is(k, ';') && !is(k, '{') && !is(k, '}') && !is(k, ')')) {
                both |= attribute(k, "host");
                k = is(k, '(') || is(k, '[') ? past_group(k) : k + 1;
            }
            if (!is(k, '{') || (both && host_)) continue;
            const auto end = past_group(k);
            std::fill(device_.begin() + static_cast<std::ptrdiff_t>(k),
                      device_.begin() + static_cast<std::ptrdiff_t>(end), true);
        }
    }

    /// Records a kernel's name. A template gets a companion function whose result type says which kernel is
    /// meant.
    void find_kernel(std::size_t attribute_at) {
        std::size_t open = attribute_at;
        while (open < tokens_.size() && !is(open, ';') && !is(open, '{')) {
            if (is(open, '(')) {
                if (at(open - 1) != "__attribute__") break;
                open = past_group(open);
            } else {
                ++open;
            }
        }
        if (!is(open, '(') || open == 0 || !tokens_[open - 1].word) return;
        const std::string name(at(open - 1));
        kernels_.insert(name);
        const auto close = past_group(open);
        auto start = attribute_at;
        while (start > 0 && !is(start - 1, ';') && !is(start - 1, '{') && !is(start - 1, '}')) --start;
        if (at(start) != "template" || !is(start + 1, '<')) return;
        const auto parameters_end = past_angles(start + 1);
        std::string names;
        if (!parameters_end || !template_names(start + 2, parameters_end - 1, names)) return;
        int depth = 0;
        for (auto k = open; k < close; ++k) {
            depth += is(k, '(') || is(k, '[') || is(k, '{') ? 1 : is(k, ')') || is(k, ']') || is(k, '}') ? -1 : 0;
            if (depth == 1 && is(k, '=')) return;  // defaults may be said once only
        }
        templates_.insert(name);
        const auto parameters = joined(open, close);
        bool internal = false;
        for (auto k = parameters_end; k < open; ++k) internal |= at(k) == "static";
        edits_.push_back({tokens_[start].begin, 0,
                          without_defaults(start, parameters_end) + (internal ? " static" : "") +
                              " __attribute__((global)) void " + name + parameters + "; " +
                              joined(start, parameters_end) + " __attribute__((device)) ww_constant<" + name + "<" +
                              names + ">> ww_pick_" + name + parameters + "; "});
    }

    /// The index after the > that closes the < at i; 0: none does.
    std::size_t past_angles(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            if (is(i, '(') || is(i, '[') || is(i, '{'))
                i = past_group(i) - 1;
            else if (is(i, '<'))
                ++depth;
            else if (is(i, '>') && --depth == 0)
                return i + 1;
            else if (is(i, ';'))
                return 0;
        }
        return 0;
    }

    /// Calls `each` with every parameter of a template's list: [from, to) and the start of its default.
    template <class Each>
    void template_parameters(std::size_t from, std::size_t to, Each&& each) const {
        int depth = 0;
        auto begin = from, value = to;
        for (auto k = from; k <= to; ++k) {
            if (k < to && (is(k, '(') || is(k, '[') || is(k, '{'))) {
                k = past_group(k) - 1;
                continue;
            }
            if (k < to && is(k, '<')) ++depth;
            if (k < to && is(k, '>')) --depth;
            if (k < to && depth == 0 && is(k, '=') && value == to) value = k;
            if (k == to || (depth == 0 && is(k, ','))) {
                each(begin, k, std::min(value, k));
                begin = k + 1, value = to;
            }
        }
    }

    bool template_names(std::size_t from, std::size_t to, std::string& names) const {
        static const std::set<std::string_view> types{"class", "typename", "int",   "unsigned", "bool",
                                                      "auto",  "long",     "short", "char",     "size_t"};
        bool good = true;
        template_parameters(from, to, [&](std::size_t begin, std::size_t, std::size_t value) {
            bool pack = false;
            for (auto k = begin; k < value; ++k) pack |= is(k, '.');
            if (value == begin || !tokens_[value - 1].word || types.contains(at(value - 1)))
                good = false;
            else
                names += (names.empty() ? "" : ", ") + std::string(at(value - 1)) + (pack ? "..." : "");
        });
        return good && !names.empty();
    }

    std::string without_defaults(std::size_t start, std::size_t end) const {
        std::string out;
        template_parameters(start + 2, end - 1, [&](std::size_t begin, std::size_t, std::size_t value) {
            out += (out.empty() ? "" : ", ") + joined(begin, value);
        });
        return "template <" + out + ">";
    }

    /// The start of the name that ends before `end`, with its qualifiers and template arguments. `name`: its last
    /// word.
    std::size_t name_start(std::size_t end, std::size_t& name) const {
        auto k = end;
        if (k > 0 && is(k - 1, ')')) {  // (name)<<<...>>>
            int depth = 0;
            while (k > 0) {
                --k;
                if (is(k, ')')) ++depth;
                if (is(k, '(') && --depth == 0) break;
            }
            name = end;
            return k;
        }
        bool last = true;
        for (;;) {
            if (k > 0 && is(k - 1, '>')) {
                int depth = 0;
                while (k > 0) {
                    --k;
                    if (is(k, ')') || is(k, ']') || is(k, '}')) {
                        int brackets = 0;
                        for (;; --k) {
                            if (is(k, ')') || is(k, ']') || is(k, '}')) ++brackets;
                            if ((is(k, '(') || is(k, '[') || is(k, '{')) && --brackets == 0) break;
                            if (k == 0) return end;
                        }
                        continue;
                    }
                    if (is(k, '>')) ++depth;
                    if (is(k, '<') && --depth == 0) break;
                }
            }
            if (k == 0 || !tokens_[k - 1].word) return end;
            --k;
            if (last) name = k;
            last = false;
            if (k > 0 && at(k - 1) == "template") --k;
            if (k < 2 || !is(k - 1, ':') || !is(k - 2, ':')) return k;
            k -= 2;
            if (k == 0 || (!tokens_[k - 1].word && !is(k - 1, '>'))) return k;
            static const std::set<std::string_view> words{"return", "else", "do"};
            if (words.contains(at(k - 1))) return k;
        }
    }

    void launch(std::size_t open) {
        std::size_t name = 0;
        const auto start = name_start(open, name);
        if (start >= open) return;
        auto close = open + 3;
        while (close < tokens_.size() && !is_triple(close, '>'))
            close = is(close, '(') || is(close, '[') || is(close, '{') ? past_group(close) : close + 1;
        if (!is(close + 3, '(')) return;
        std::string begin = "::ww_launch<" + joined(start, open) + ">(";
        if (name < open && templates_.contains(std::string(at(name)))) {
            const auto pick = joined(start, name) + "ww_pick_" + joined(name, open);
            const auto end = past_group(close + 3);
            // A lambda is allowed only where it is evaluated.
            bool lambda = false;
            for (auto k = close + 4; k < end; ++k)
                lambda |= is(k, '[') && !tokens_[k - 1].word && !is(k - 1, ')') && !is(k - 1, ']');
            begin = lambda ? "::ww_launch_deduced([](auto... ww_x) -> decltype(" + pick + "(ww_x...)) { return {}; }, "
                           : "::ww_launch<decltype(" + pick + joined(close + 3, end) + ")::value>(";
        }
        const auto from = tokens_[start].begin, to = tokens_[open + 2].end;
        const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                      text_.begin() + static_cast<std::ptrdiff_t>(to), '\n');
        edits_.push_back({from, to - from, begin + std::string(static_cast<std::size_t>(lines), '\n')});
        edits_.push_back({tokens_[close].begin, 3, ")"});
    }

    void call(std::size_t i) {
        const auto found = kCalls.find(at(i));
        if (found == kCalls.end() || !is(i + 1, '(') ||
            (i > 0 && (is(i - 1, '.') || (is(i - 1, '>') && i > 1 && is(i - 2, '-')))))
            return;
        edits_.push_back({tokens_[i].begin, 0, "ww_device_"});
        if (!found->second) return;
        const auto end = past_group(i + 1);
        for (auto k = i + 2; k < end; ++k) {
            if (!tokens_[k].word || !kernels_.contains(std::string(at(k)))) continue;
            std::size_t last = k + 1, name = k;
            if (is(last, '<'))
                if (const auto past = past_angles(last); past && past < end) last = past;
            const auto start = name_start(last, name);
            edits_.push_back({tokens_[start].begin, 0, "::ww_constant<"});
            edits_.push_back({tokens_[last - 1].end, 0, ">::value"});
            k = last - 1;
        }
    }

    std::string apply() {
        std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
        std::string out;
        std::size_t done = 0;
        for (const auto& e : edits_) {
            if (e.at < done) continue;
            out.append(text_, done, e.at - done);
            out += e.text;
            done = e.at + e.bytes;
        }
        return out.append(text_, done, std::string::npos);
    }

    struct Edit {
        std::size_t at, bytes;
        std::string text;
    };
    const std::string& text_;
    const bool host_;
    std::vector<Token> tokens_;
    std::vector<bool> device_;  ///< by token: in the body of a device function
    std::set<std::string> kernels_, templates_;
    std::vector<Edit> edits_;
};

}  // namespace

bool launches_on_device(const std::string& d) {
    return d.find("reference to __global__ function") != std::string::npos ||
           d.find("call to __global__ function from") != std::string::npos ||
           d.find("reference to __host__ function 'cuda") != std::string::npos ||
           d.find("no matching function for call to 'cuda") != std::string::npos;
}

bool pragma_in_macro(const std::string& d) {
    // The macro is quoted below the error: "   40 |   #define UNROLL #pragma unroll".
    for (std::size_t at = d.find("#pragma"); at != std::string::npos; at = d.find("#pragma", at + 1)) {
        const auto line = d.rfind('\n', at) + 1;
        const auto text = std::string_view(d).substr(line, at - line);
        if (const auto hash = text.find('#'); hash != std::string_view::npos)
            if (const auto word = text.find_first_not_of(" \t", hash + 1); word != std::string_view::npos)
                if (text.substr(word).starts_with("define")) return true;
    }
    return false;
}

Result<ProcessResult> run_in_two_steps(const std::vector<std::string>& command,
                                       const std::vector<std::string>& dependencies, const std::string& source,
                                       const std::string& output, const std::string& folder, Launches launches,
                                       const ProcessSettings& settings) {
    const std::string before = folder + "/before.cui", after = folder + "/after.cui";
    auto first = command;
    first.insert(first.end(), dependencies.begin(), dependencies.end());
    first.insert(first.end(), {"-E", "-o", before, "--", source});
    auto ran = run_process(first, settings);
    if (!ran || ran->exit_code != 0 || ran->signal != 0) return ran;
    auto text = warpwright::read_file(before, file_limit::records, "cannot read " + before + ": ");
    if (!text) return failure(ErrorKind::internal, text.error().what);
    if (launches != Launches::unchanged) text = with_device_launches(*text, launches == Launches::host);
    if (!(std::ofstream(after, std::ios::binary) << *text).flush())
        return failure(ErrorKind::internal, "cannot write " + after, {}, "is the disk full?");
    // The text already contains the included files.
    std::vector<std::string> second;
    for (std::size_t i = 0; i < command.size(); ++i) {
        if (command[i] == "-include")
            ++i;
        else
            second.push_back(command[i]);
    }
    second.insert(second.end(), {"-o", output, "--", after});
    return run_process(second, settings);
}

Error explained(Error error) {
    auto& what = error.what;
    const std::string_view launcher = "object of type 'ww_launcher<&";
    if (what.find("'cudaDeviceSynchronize'") != std::string::npos) {
        what = "cudaDeviceSynchronize in device code: CUDA has not had this since version 12";
        error.hint = "launch the work that must follow a kernel's grids in cudaStreamTailLaunch";
    } else if (const auto at = what.find(launcher); at != std::string::npos) {
        const auto from = at + launcher.size(), end = std::min(what.find_first_of(">'", from), what.size());
        what = "the arguments of this launch are not what kernel '" + what.substr(from, end - from) + "' takes";
    } else if (what.find("reference to __global__ function") != std::string::npos) {
        error.hint = "in device code a kernel's name may stand where it is launched, and nowhere else";
    }
    return error;
}

std::string with_device_launches(const std::string& preprocessed, bool host) {
    return Rewriter(preprocessed, host).run();
}

}  // namespace warpwright::compile

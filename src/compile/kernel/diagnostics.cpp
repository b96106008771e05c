// How clang's diagnostics become located errors.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compile/failure.hpp"
#include "compile/kernel/command.hpp"
#include "compile/toolkit_headers.hpp"

namespace warpwright::compile {
namespace {

unsigned number(std::string_view text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// The diagnostic in a line of the compiler's output, if the line is an error.
std::optional<Error> read_diagnostic(std::string_view line, const CompileRequest& request) {
    // Errors that end the compiler itself, such as a full disk or an unsupported form, have no place.
    for (const std::string_view start : {"fatal error: ", "LLVM ERROR: "})
        if (line.starts_with(start))
            return failure(ErrorKind::internal, fmt::format("the compiler stopped: {}", line.substr(start.size())),
                           request.path);
    auto mark = line.find(": error: ");
    std::size_t skip = 9;
    if (mark == std::string_view::npos) {
        mark = line.find(": fatal error: ");
        skip = 15;
    }
    if (mark == std::string_view::npos) return std::nullopt;
    Error error{ErrorKind::input, std::string(line.substr(mark + skip)), {}, ""};
    // file:line:column, read from the end because a file's name may contain colons.
    const std::string_view place = line.substr(0, mark);
    const auto second = place.rfind(':');
    const auto first = second == std::string_view::npos || second == 0 ? second : place.rfind(':', second - 1);
    if (first != std::string_view::npos && second != std::string_view::npos && first != second &&
        number(place.substr(second + 1)) != 0 && number(place.substr(first + 1)) != 0) {
        error.where.file = std::string(place.substr(0, first));
        error.where.line = number(place.substr(first + 1, second - first - 1));
        error.where.column = number(place.substr(second + 1));
    } else {
        // The driver itself reports this ("clang++-19: error: unknown argument"): the request's flags are wrong.
        error.kind = ErrorKind::usage;
        error.where.file = request.path;
    }
    if (const auto end = error.what.find("' file not found"); error.what.starts_with("'") && end != std::string::npos)
        error.hint = missing_header_hint(error.what.substr(1, end - 1));
    return error;
}

/// The error of a compiler that crashed. Among what it says then are the things that it was at, each with its place,
/// the innermost last: "3.\tk.cu:12:17: Generating code for declaration 'k'".
std::optional<Error> read_crash(const std::string& diagnostics, const CompileRequest& request) {
    if (diagnostics.find("\nStack dump:\n") == std::string::npos && !diagnostics.starts_with("Stack dump:\n"))
        return std::nullopt;
    Error error = failure(ErrorKind::internal, "the compiler crashed", request.path,
                          "a change of the source may help; clang's own developers would like to know");
    for (std::size_t at = diagnostics.find("Stack dump:\n"); at < diagnostics.size();) {
        const auto end = std::min(diagnostics.find('\n', at), diagnostics.size());
        const std::string_view line = std::string_view(diagnostics).substr(at, end - at);
        at = end + 1;
        const auto tab = line.find(".\t");
        if (tab == std::string_view::npos || tab == 0 || line.find_first_not_of("0123456789") != tab) continue;
        const std::string_view entry = line.substr(tab + 2);
        const auto text = entry.find(": ");
        if (text == std::string_view::npos) continue;
        const auto second = entry.rfind(':', text - 1);
        const auto first = second == std::string_view::npos || second == 0 ? second : entry.rfind(':', second - 1);
        if (first == std::string_view::npos || first == second || number(entry.substr(first + 1)) == 0) continue;
        error.where = {std::string(entry.substr(0, first)), number(entry.substr(first + 1)),
                       number(entry.substr(second + 1))};
        error.what = "the compiler crashed at this: " + std::string(entry.substr(text + 2));
    }
    return error;
}

/// The error of a header that a macro of the command line changes. clang says so in a note behind the error:
/// "<command line>:1:14: note: expanded from macro 'size'".
std::optional<Error> changed_header(const std::string& diagnostics, const CompileRequest& request) {
    constexpr std::string_view kFrom = "<command line>:", kMacro = ": note: expanded from macro '";
    std::optional<Error> first;
    for (std::size_t at = 0; at < diagnostics.size();) {
        const auto end = std::min(diagnostics.find('\n', at), diagnostics.size());
        const std::string_view line = std::string_view(diagnostics).substr(at, end - at);
        at = end + 1;
        if (auto error = read_diagnostic(line, request)) {
            if (first) return std::nullopt;
            first = std::move(error);
        }
        const auto name = line.find(kMacro), quote = line.rfind('\'');
        if (!first || !line.starts_with(kFrom) || name == std::string_view::npos) continue;
        if (first->where.file == request.path || first->where.line == 0) return std::nullopt;
        const auto from = name + kMacro.size();
        first->what = fmt::format("the macro {}, which the command line defines, changes what this header says: {}",
                                  line.substr(from, quote - from), first->what);
        first->hint = "give the macro another name, or define it in the source behind its headers";
        return first;
    }
    return std::nullopt;
}

/// Why a function that is there cannot be called: it stands in a note behind the error. Of several functions of that
/// name clang tells the nearest first.
class WhyNot {
public:
    void read(std::string_view line) {
        constexpr std::string_view kNote = ": note: candidate function not viable: ";
        const auto at = line.find(kNote);
        if (at == std::string_view::npos) return;
        const std::string_view reason = line.substr(at + kNote.size());
        if (reason.starts_with("call to __host__ function")) {
            hosts_ = line.starts_with("/usr/")
                         ? "it is a function of the host's library, which kernels cannot call"
                         : "the host's function is found alone: __device__ before it makes it the device's";
            return;
        }
        if (++candidates_ == 1) reason_ = reason;
    }
    /// The reason, or "" where none is known; the next error begins without.
    std::string take() {
        const WhyNot told = std::exchange(*this, {});
        if (!told.hosts_.empty()) return told.hosts_;
        return told.candidates_ < 2 ? told.reason_
                                    : fmt::format("the nearest of {}: {}", told.candidates_, told.reason_);
    }

private:
    std::string hosts_, reason_;
    std::size_t candidates_ = 0;
};

}  // namespace

Error all_errors(const std::string& diagnostics, const CompileRequest& request) {
    if (auto crash = read_crash(diagnostics, request)) return std::move(*crash);
    if (auto changed = changed_header(diagnostics, request)) return std::move(*changed);
    std::optional<Error> all;
    std::string others;
    std::size_t count = 0;
    bool more = false;
    WhyNot why;
    const auto explain = [&] {
        const std::string hint = why.take();
        if (hint.empty()) return;
        if (count == 1 && all->hint.empty()) all->hint = hint;
        if (count > 1 && !others.ends_with(")")) others += fmt::format(" ({})", hint);
    };
    for (std::size_t at = 0; at < diagnostics.size();) {
        auto end = diagnostics.find('\n', at);
        if (end == std::string::npos) end = diagnostics.size();
        const std::string_view line = std::string_view(diagnostics).substr(at, end - at);
        at = end + 1;
        if (line.starts_with("fatal error: too many errors emitted")) {
            more = all.has_value();
            continue;
        }
        auto error = read_diagnostic(line, request);
        if (!error) {
            if (count > 0) why.read(line);
            continue;
        }
        explain();
        // The compiler shows the line below its error. Printed texts show launches with a sign too many.
        const std::string_view shown = std::string_view(diagnostics).substr(at, diagnostics.find('\n', at) - at);
        if (error->hint.empty() && shown.find("<<<<") != std::string_view::npos)
            error->hint = "a launch has three signs: kernel<<<grid, block>>>(arguments)";
        if (error->hint.empty() &&
            (shown.find("<< <") != std::string_view::npos || shown.find("< <<") != std::string_view::npos))
            error->hint = "clang wants a launch's signs without blanks: kernel<<<grid, block>>>(arguments)";
        if (error->hint.empty() && error->what.find("'const __cuda_builtin_") != std::string::npos)
            error->hint = "threadIdx, blockIdx, blockDim and gridDim have three parts: .x, .y and .z";
        if (error->hint.empty() && shown.find("\"C\"__") != std::string_view::npos)
            error->hint = "clang wants a blank behind the string: extern \"C\" __global__";
        // An error that stops the compiler after a located error is a consequence of that one.
        if (all && error->kind == ErrorKind::internal) continue;
        ++count;
        if (all)
            others += "\n  " + error->text();
        else
            all = std::move(error);
    }
    explain();
    if (!all) return failure(ErrorKind::internal, "the compiler failed without an error message", request.path);
    if (count == 1) return std::move(*all);
    // The hint stands at the end of an error's text, but the first error's hint belongs in its own line.
    if (!all->hint.empty()) all->what += " (" + all->hint + ")";
    all->hint.clear();
    all->what += fmt::format(" ({} errors{})", count, more ? " and more" : "") + others;
    return std::move(*all);
}

}  // namespace warpwright::compile

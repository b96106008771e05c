// The module's level of the grammar: directives, functions and their bodies. Variables, instructions, labels and
// initial values have files of their own (declarations, instructions, labels, initialisers). Errors are thrown within
// the room and become a Result in parse().
#include "ptx/parser.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>
#include <string>

#include "ptx/parser_state.hpp"
#include "ptx/place.hpp"

namespace warpwright::ptx {

Result<Module> parse(std::string_view text, std::string name) {
    if (text.size() > kMaxTextBytes)
        return Error{ErrorKind::input, "the text is over 1 GiB", Location{name, 0, 0}, "split the module"};
    std::optional<Parser> parser;
    try {
        return parser.emplace(text, name).run();
    } catch (ParseFailure& failure) {
        if (parser && !name.ends_with(".ptx")) parser->place_in_source(failure.error, text);
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::input, "not enough memory to read the text", Location{name, 0, 0}, {}};
    }
}

/// The name in `.file 1 "k.cu"`; compilers write these lines at the end of the text.
std::string file_in(std::string_view text, std::uint32_t index) {
    constexpr std::string_view kFile = ".file";
    for (std::size_t at = text.find(kFile); at != std::string_view::npos; at = text.find(kFile, at + kFile.size())) {
        std::string_view line = text.substr(at + kFile.size(), text.find('\n', at) - at - kFile.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        const auto open = line.find('"'), close = line.rfind('"');
        if (error == std::errc() && number == index && open < close)
            return std::string(line.substr(open + 1, close - open - 1));
    }
    return "";
}

void Parser::place_in_source(Error& error, std::string_view text) const {
    const SourceLine& at = body_.source;
    if (at.line == 0) return;
    const std::string file = file_in(text, at.file);
    if (file.empty()) return;
    error.what += ", in line " + std::to_string(error.where.line) + " of the PTX that the compiler made";
    error.where = {file, at.line, 0};
}

Module Parser::run() {
    module_.files.resize(1);
    while (lex_.peek().is(';')) lex_.take();
    if (!lex_.peek().is_dot("version")) lex_.fail("expected '.version' first, found " + Lexer::describe(lex_.peek()));
    while (lex_.peek().kind != Token::Kind::end) module_statement();
    resolve_addresses();
    leave_headers();
    return std::move(module_);
}

void Parser::module_statement() {
    if (lex_.accept(';')) return;
    if (lex_.accept_dot("version")) return version_directive();
    if (lex_.accept_dot("target")) return target_directive();
    if (lex_.accept_dot("address_size")) {
        Token at = lex_.peek();
        std::uint64_t size = lex_.expect_integer("32 or 64 after '.address_size'");
        if (size != 32 && size != 64) lex_.fail(at, "'.address_size' is 32 or 64");
        module_.address_size = static_cast<std::uint32_t>(size);
        return;
    }
    if (lex_.accept_dot("file")) return file_directive();
    if (lex_.accept_dot("section")) return section_directive();
    if (lex_.accept_dot("alias")) return alias_directive();
    if (lex_.accept_dot("pragma")) {
        pragmas();
        return;
    }
    if (lex_.accept_dot("loc")) {
        loc_directive();
        body_.source = body_.inlined_at = {};
        return;
    }
    Token at = lex_.peek();
    Linkage link = linkage();
    if (lex_.accept_dot("entry")) return function(link, true);
    if (lex_.accept_dot("func")) return function(link, false);
    Space space{};
    if (variable_space(space)) {
        if (space == Space::param || space == Space::reg)
            lex_.fail(at, "parameters and registers belong to a function, not to the module");
        return variable_declaration(link, space);
    }
    lex_.fail("expected a directive of the module, found " + Lexer::describe(lex_.peek()),
              "functions, variables, .version, .target, .address_size, .file, .section, .alias, .pragma");
}

void Parser::version_directive() {
    Token number = lex_.take();
    std::size_t dot = number.text.find('.');
    unsigned major = 0, minor = 0;
    const char* begin = number.text.data();
    const char* end = begin + number.text.size();
    bool ok = number.kind == Token::Kind::real64 && dot != std::string_view::npos &&
              std::from_chars(begin, begin + dot, major).ptr == begin + dot &&
              std::from_chars(begin + dot + 1, end, minor).ptr == end;
    if (!ok) lex_.fail(number, "expected a version like 8.0, found " + Lexer::describe(number));
    // Texts say the version of the language that they need. There is none yet beyond 9, and 10 is let in ahead of time.
    constexpr unsigned kMostMajor = 10, kMostMinor = 9;
    if (major == 0 || major > kMostMajor || minor > kMostMinor)
        lex_.fail(number, "there is no version " + std::string(number.text) + " of PTX");
    module_.version_major = major;
    module_.version_minor = minor;
}

namespace {

/// "sm_80", "sm_90a", "sm_103f", and what compilers write for any device: "compute_80".
bool is_target(std::string_view word) {
    constexpr unsigned kLeast = 10, kMost = 199;
    for (const std::string_view start : {"sm_", "compute_"}) {
        if (!word.starts_with(start)) continue;
        unsigned number = 0;
        const auto [end, problem] = std::from_chars(word.data() + start.size(), word.data() + word.size(), number);
        const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
        return problem == std::errc{} && number >= kLeast && number <= kMost &&
               (rest.empty() || rest == "a" || rest == "f");
    }
    return false;
}

}  // namespace

void Parser::target_directive() {
    Token first = lex_.expect_word("a target like sm_80");
    if (!is_target(first.text)) lex_.fail(first, "expected a target like sm_80, found " + Lexer::describe(first));
    if (module_.target.empty()) module_.target = std::string(first.text);
    while (lex_.accept(',')) lex_.expect_word("a target option");
}

void Parser::file_directive() {
    std::uint64_t index = 0;
    if (lex_.peek().kind == Token::Kind::integer) {
        if (lex_.peek().value > kMaxFiles) lex_.fail("the index of '.file' is over 65536");
        index = lex_.take().value;
    }
    if (lex_.peek().kind != Token::Kind::string)
        lex_.fail("expected a file name, found " + Lexer::describe(lex_.peek()));
    std::string path(lex_.take().text);
    if (lex_.peek().kind == Token::Kind::string) path += "/" + std::string(lex_.take().text);
    while (lex_.accept(',')) lex_.expect_integer("a time or a size");
    if (module_.files.size() <= index) module_.files.resize(index + 1);
    module_.files[index] = std::move(path);
}

void Parser::section_directive() {
    Token at = lex_.peek();
    while (lex_.peek().kind == Token::Kind::dot || lex_.peek().is_word()) lex_.take();
    lex_.expect('{', "to open the section");
    while (!lex_.peek().is('}')) {
        if (lex_.peek().kind == Token::Kind::end) lex_.fail(at, "the section is not closed");
        lex_.take();
    }
    lex_.take();
}

void Parser::alias_directive() {
    auto named = [&] {
        Token name = lex_.expect_word("a function");
        auto found = names_.find(name.text);
        if (!found || found->kind != Name::Kind::function)
            lex_.fail(name, "'" + std::string(name.text) + "' is not a function declared above");
        return found->id;
    };
    Token at = lex_.peek();
    SymbolId alias = named();
    lex_.expect(',', "between the two functions of '.alias'");
    SymbolId target = named();
    lex_.expect(';', "after '.alias'");
    if (alias == target || module_.functions[alias].defined)
        lex_.fail(at, "the alias must be another, undefined function");
    module_.functions[alias].alias_of = target;
}

/// Reads the texts of a .pragma; whether "nounroll" is among them.
bool Parser::pragmas() {
    bool nounroll = false;
    do {
        if (lex_.peek().kind != Token::Kind::string)
            lex_.fail("expected a string, found " + Lexer::describe(lex_.peek()));
        nounroll |= lex_.take().text.find("nounroll") != std::string_view::npos;
    } while (lex_.accept(','));
    lex_.expect(';', "after '.pragma'");
    return nounroll;
}

void Parser::function(Linkage linkage, bool entry) {
    Function header;
    header.entry = entry;
    header.linkage = linkage;
    header.line = lex_.peek().line;
    attributes(nullptr);
    std::vector<Variable> results, parameters;
    if (!entry && lex_.peek().is('(')) parameter_list(results, false);
    Token name = lex_.expect_word("the name of the function");
    header.name = std::string(name.text);
    if (lex_.peek().is('(')) parameter_list(parameters, entry);
    function_directives(header);
    header.defined = lex_.peek().is('{');
    if (!header.defined) lex_.expect(';', "or '{' after the head of function '" + header.name + "'");
    bool defined = header.defined;
    SymbolId id = declare_function(std::move(header), results, parameters, name);
    if (defined) body(id);
}

SymbolId Parser::declare_function(Function&& header, std::vector<Variable>& results, std::vector<Variable>& parameters,
                                  const Token& at) {
    auto found = names_.find(at.text);
    bool fresh = !found;
    if (found && found->kind != Name::Kind::function)
        lex_.fail(at, "'" + std::string(at.text) + "' is already the name of a variable");
    auto id = fresh ? static_cast<SymbolId>(module_.functions.size()) : found->id;
    if (fresh) {
        names_.declare(at.text, {Name::Kind::function, 1, id, 0});
        module_.functions.emplace_back();
    } else {
        const Function& before = module_.functions[id];
        if (before.defined && header.defined) lex_.fail(at, "function '" + header.name + "' is defined twice");
        if (before.alias_of != kNoId && header.defined) lex_.fail(at, "function '" + header.name + "' is an alias");
        if (before.entry != header.entry) lex_.fail(at, "'" + header.name + "' is declared as .entry and as .func");
        if (before.results.size() != results.size() || before.parameters.size() != parameters.size())
            lex_.fail(at, "function '" + header.name + "' is declared above with other parameters");
        if (before.defined) return id;
        header.results = before.results;
        header.parameters = before.parameters;
        header.directives.noreturn |= before.directives.noreturn;
    }
    auto place = [&](std::vector<Variable>& from, std::vector<SymbolId>& to) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            Variable& variable = from[i];
            variable.function = id;
            if (variable.space == Space::reg) {
                variable.reg = static_cast<RegId>(header.registers.size());
                header.registers.push_back({variable.name, variable.type});
            }
            if (fresh) {
                to.push_back(static_cast<SymbolId>(module_.variables.size()));
                module_.variables.push_back(std::move(variable));
            } else {
                module_.variables[to[i]] = std::move(variable);
            }
        }
    };
    place(results, header.results);
    place(parameters, header.parameters);
    module_.functions[id] = std::move(header);
    return id;
}

void Parser::dimensions(std::uint32_t (&out)[3]) {
    std::uint32_t values[3] = {1, 1, 1};
    for (int i = 0; i < 3; ++i) {
        Token at = lex_.peek();
        std::uint64_t value = integer_expression("a size");
        if (value > 0xffffffffu) lex_.fail(at, "the size does not fit in 32 bits");
        values[i] = static_cast<std::uint32_t>(value);
        if (i == 2 || !lex_.accept(',')) break;
    }
    std::copy(values, values + 3, out);
}

void Parser::function_directives(Function& function) {
    Directives& d = function.directives;
    auto one = [&](std::uint32_t& out) {
        Token at = lex_.peek();
        std::uint64_t value = integer_expression("a number");
        if (value > 0xffffffffu) lex_.fail(at, "the number does not fit in 32 bits");
        out = static_cast<std::uint32_t>(value);
    };
    std::uint32_t ignored = 0;
    while (lex_.peek().kind == Token::Kind::dot) {
        if (lex_.accept_dot("maxntid"))
            dimensions(d.maxntid);
        else if (lex_.accept_dot("reqntid"))
            dimensions(d.reqntid);
        else if (lex_.accept_dot("reqnctapercluster"))
            dimensions(d.reqnctapercluster);
        else if (lex_.accept_dot("minnctapersm"))
            one(d.minnctapersm);
        else if (lex_.accept_dot("maxnctapersm"))
            one(d.minnctapersm);  // the older name of the same bound
        else if (lex_.accept_dot("maxnreg"))
            one(d.maxnreg);
        else if (lex_.accept_dot("maxclusterrank"))
            one(d.maxclusterrank);
        else if (lex_.accept_dot("explicitcluster"))
            d.explicitcluster = true;
        else if (lex_.accept_dot("blocksareclusters"))
            d.blocksareclusters = true;
        else if (lex_.accept_dot("noreturn"))
            d.noreturn = true;
        else if (lex_.accept_dot("abi_preserve") || lex_.accept_dot("abi_preserve_control"))
            one(ignored);
        else if (lex_.accept_dot("pragma"))
            pragmas();
        else if (lex_.peek().is_dot("attribute"))
            attributes(nullptr);
        else if (lex_.accept_dot("unified")) {
        } else
            lex_.fail("unknown directive '." + std::string(lex_.peek().text) + "' of function '" + function.name + "'",
                      "maxntid, reqntid, minnctapersm, maxnreg, noreturn, reqnctapercluster, explicitcluster, "
                      "maxclusterrank, blocksareclusters, abi_preserve, pragma");
    }
}

void Parser::body(SymbolId id) {
    body_ = {};
    body_.id = id;
    Token brace = lex_.peek();
    lex_.take();
    open_scope(brace);
    auto declare = [&](const std::vector<SymbolId>& list) {
        for (SymbolId symbol : list) {
            const Variable& variable = module_.variables[symbol];
            if (variable.name == "_") continue;
            bool reg = variable.space == Space::reg;
            // Names are views into the text; a variable's own string may move, so this copy is kept separately.
            made_names_.push_back(variable.name);
            if (!names_.declare(made_names_.back(),
                                {reg ? Name::Kind::reg : Name::Kind::variable, 1, reg ? variable.reg : symbol, 0}))
                lex_.fail(brace, "parameter '" + variable.name + "' is declared twice");
        }
    };
    declare(current().results);
    declare(current().parameters);
    while (!body_.scopes.empty()) {
        if (lex_.peek().kind == Token::Kind::end)
            lex_.fail(brace, "the body of function '" + current().name + "' is not closed");
        body_statement();
    }
}

void Parser::body_statement() {
    const Token& next = lex_.peek();
    if (next.kind == Token::Kind::dot) return body_directive();
    if (next.is_word()) {
        Token first = lex_.take();
        if (lex_.accept(':')) return define_label(first);
        return instruction(std::nullopt, first);
    }
    if (next.is('@')) {
        Guard g = guard();
        return instruction(g, lex_.expect_word("an instruction after the guard"));
    }
    if (next.is('{')) {
        Token brace = lex_.take();
        return open_scope(brace);
    }
    if (lex_.accept('}')) return close_scope();
    if (lex_.accept(';')) return;
    lex_.fail("expected a statement, found " + Lexer::describe(next));
}

void Parser::body_directive() {
    if (lex_.accept_dot("reg")) return register_declaration();
    if (lex_.accept_dot("loc")) return loc_directive();
    if (lex_.accept_dot("pragma")) {
        body_.nounroll |= pragmas();
        return;
    }
    if (lex_.accept_dot("file")) return file_directive();
    if (lex_.accept_dot("section")) return section_directive();
    Linkage link = linkage();
    Space space{};
    if (variable_space(space)) return variable_declaration(link, space);
    lex_.fail(
        "unknown directive " + Lexer::describe(lex_.peek()) + " in a function body",
        ".reg, .param, .local, .shared, .global, .const, .loc, .pragma, .branchtargets, .calltargets, .callprototype");
}

SourceLine Parser::loc_position() {
    SourceLine out;
    auto number = [&](std::string_view what) {
        Token at = lex_.peek();
        std::uint64_t value = lex_.expect_integer(what);
        if (value > 0xffffffffu) lex_.fail(at, "the number does not fit in 32 bits");
        return static_cast<std::uint32_t>(value);
    };
    out.file = number("the file index of '.loc'");
    out.line = number("the line of '.loc'");
    if (lex_.peek().kind == Token::Kind::integer) lex_.take();  // the column is not kept
    return out;
}

void Parser::loc_directive() {
    body_.source = loc_position();
    body_.inlined_at = {};
    body_.inlined.erase({body_.source.file, body_.source.line});
    while (lex_.accept(',')) {
        Token what = lex_.expect_word("'function_name' or 'inlined_at'");
        if (what.text == "function_name") {
            lex_.expect_word("a label in .debug_str");
            if (lex_.accept('+')) lex_.expect_integer("an offset");
        } else if (what.text == "inlined_at") {
            body_.inlined_at = loc_position();
            body_.inlined[{body_.source.file, body_.source.line}] = body_.inlined_at;
        } else {
            lex_.fail(what, "expected 'function_name' or 'inlined_at', found " + Lexer::describe(what));
        }
    }
}

/// Compilers write the place of each inlined call before those of the calls within it.
void Parser::note_inlined(std::uint32_t instruction) {
    if (!body_.inlined_at.line) return;
    Inlined note{body_.id, instruction, {}};
    for (auto at = body_.inlined_at; note.outer.size() < 64;) {
        auto found = body_.inlined.find({at.file, at.line});
        if (found == body_.inlined.end()) break;
        at = found->second;
        note.outer.push_back(at);
    }
    if (!note.outer.empty()) inlined_.push_back(std::move(note));
}

/// Calls within the toolkit's headers tell the program's author nothing: the call in the program does.
void Parser::leave_headers() {
    for (const auto& note : inlined_) {
        auto& at = module_.functions[note.function].body[note.instruction].inlined_at;
        for (auto outer = note.outer.begin(); !is_own(module_, at) && outer != note.outer.end(); ++outer) at = *outer;
    }
}

}  // namespace warpwright::ptx

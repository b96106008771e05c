// The parser's own state, one object for one text; its parts are in parser.cpp (module and
// functions), declarations.cpp, initialisers.cpp, expressions.cpp, instructions.cpp, operands.cpp,
// labels.cpp, check.cpp and check_types.cpp. Nothing outside this room includes this.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/lexer.hpp"
#include "ptx/limits.hpp"
#include "ptx/names.hpp"

namespace warpwright::ptx {

/// A constant expression's value.
struct Constant {
    enum class Kind : std::uint8_t { integer, real32, real64 };
    Kind kind = Kind::integer;
    bool is_unsigned = false;
    std::uint64_t bits = 0;

    bool is_integer() const { return kind == Kind::integer; }
    double real() const;  ///< value of any kind as f64
};

class Parser {
public:
    Parser(std::string_view text, std::string name) : lex_(text, name) { module_.name = std::move(name); }
    Module run();
    /// An error in a text that a compiler made: at the line of the program that the instruction comes from, if it is
    /// known.
    void place_in_source(Error& error, std::string_view text) const;

private:
    // parser.cpp: the module's directives and functions
    void module_statement();
    void version_directive();
    void target_directive();
    void file_directive();
    void section_directive();
    void alias_directive();
    bool pragmas();
    void function(Linkage linkage, bool entry);
    SymbolId declare_function(Function&& header, std::vector<Variable>& results, std::vector<Variable>& parameters,
                              const Token& at);
    void function_directives(Function& function);
    void dimensions(std::uint32_t (&out)[3]);
    void body(SymbolId id);
    void body_statement();
    void body_directive();
    void loc_directive();
    SourceLine loc_position();
    void finish_body(const Token& at);
    void note_inlined(std::uint32_t instruction);
    void leave_headers();

    // declarations.cpp
    Linkage linkage();
    void attributes(Variable* variable);
    bool variable_space(Space& space);
    void variable_declaration(Linkage linkage, Space space);
    void register_declaration();
    RegId add_register(std::string name, Type type, const Token& at);
    void parameter_list(std::vector<Variable>& out, bool entry);
    Variable parameter(bool entry);
    std::uint32_t alignment();
    Type fundamental_type(std::string_view what);
    struct Shape {
        std::vector<std::uint64_t> extents;  ///< 0: not given (only the first may be)
        std::uint64_t elements = 1;          ///< product of the given ones
        bool is_array = false;
        bool open = false;  ///< the first extent is not given
    };
    Shape array_shape();
    void set_size(Variable& variable, const Shape& shape, const Token& at);
    void store_variable(Variable&& variable, Shape& shape, const Token& at);

    // initialisers.cpp
    struct PendingAddress {
        std::size_t variable, relocation;
        Token name;
    };
    void initialiser(Variable& variable, Shape& shape, std::size_t index);
    std::uint64_t init_level(Variable& variable, const std::vector<std::uint64_t>& extents, std::size_t dimension,
                             bool open, std::uint64_t first, std::size_t index);
    void grow_init(Variable& variable, std::uint64_t size, const Token& at);
    bool bind_address(Relocation& out, const Token& name);
    void init_value(Variable& variable, std::uint64_t offset, std::size_t index);
    void init_address(Variable& variable, std::uint64_t offset, std::size_t index, std::uint64_t mask, bool masked);
    std::uint64_t init_string(Variable& variable);
    void put_bytes(Variable& variable, std::uint64_t offset, std::uint64_t value, unsigned count, const Token& at);
    static void merge_byte_relocations(Variable& variable);
    void resolve_addresses();

    // expressions.cpp
    Constant expression();
    Constant binary(unsigned min_precedence, unsigned depth);
    Constant unary(unsigned depth);
    Constant continued(Constant left, unsigned min_precedence, unsigned depth);
    Constant apply(std::string_view op, Constant a, Constant b, const Token& at);
    std::uint64_t integer_expression(std::string_view what);
    bool starts_constant() const;

    // instructions.cpp
    void instruction(std::optional<Guard> guard, const Token& first);
    Guard guard();
    void opcode(Instruction& out, const Token& first);
    void call(Instruction& out);
    void call_operands(std::vector<Operand>& out);
    void branch_table(const Token& label);
    void prototype(const Token& label);

    // operands.cpp
    Operand operand();
    Operand primary_operand();
    Operand named_operand(const Token& name);
    Operand declared_operand(const Token& name, const Name& found);
    Operand signed_constant(const Token& sign);
    static Operand from_constant(const Constant& value);
    std::string video_selector();
    Operand vector_operand();
    Operand address_operand();
    void address_offset(Operand& out);
    Operand register_operand(RegId reg) const;
    unsigned component(std::string_view text) const;
    [[noreturn]] void undeclared(const Token& name);

    // labels.cpp
    LabelId label_reference(const Token& name);
    void define_label(const Token& name);
    void open_scope(const Token& at);
    void close_scope();
    void settle_labels();
    LabelId settled(LabelId label);

    // check.cpp, check_types.cpp
    void check(const Instruction& instruction, const Token& at);
    void check_widths(const Instruction& instruction, const Token& at);
    void check_operand_width(const Instruction& instruction, std::size_t index, Type type, bool exact, const Token& at);
    void check_types(const Instruction& instruction, const Token& at);
    void check_operand_types(const Instruction& instruction, const Token& at);
    void check_moved_vector(const Instruction& instruction, const Token& at);
    void check_operand_type(const Instruction& instruction, std::size_t index, const Operand& operand, Type type,
                            const Token& at);

    struct LabelSlot {
        std::string_view name;
        Token first;                        ///< first mention, for messages
        std::uint32_t instruction = kNoId;  ///< kNoId: not defined (yet)
        std::uint32_t order = kNoId;        ///< definitions are numbered in text order
        LabelId same_as = kNoId;            ///< found in an outer scope
    };
    struct TargetTable {
        bool calls = false;
        bool is_prototype = false;
        std::vector<LabelId> labels;
        std::vector<SymbolId> functions;
        std::uint32_t prototype = kNoId;
    };
    struct TableUse {
        std::uint32_t instruction;
        Token name;
    };
    struct Scope {
        std::unordered_map<std::string_view, LabelId> labels;
        std::unordered_map<std::string_view, std::uint32_t> tables;
        std::vector<TableUse> uses;
    };
    /// The function whose body is being read.
    struct Body {
        SymbolId id = kNoId;
        std::vector<LabelSlot> labels;
        std::vector<TargetTable> tables;
        std::vector<Scope> scopes;
        std::vector<std::uint32_t> branches;  ///< instructions with labels in them
        SourceLine source, inlined_at;
        std::map<std::pair<std::uint32_t, std::uint32_t>, SourceLine>
            inlined;  ///< places of .loc: where the last one there was inlined
        std::uint32_t defined_labels = 0;
        bool nounroll = false;  ///< of the next instruction
    };
    Function& current() { return module_.functions[body_.id]; }
    void use_table(TableUse use, std::uint32_t table);

    Lexer lex_;
    Module module_;
    Names names_;
    Body body_;
    /// An instruction in nested inlined calls: the outer call sites, from the inside out.
    struct Inlined {
        SymbolId function;
        std::uint32_t instruction;
        std::vector<SourceLine> outer;
    };
    std::vector<Inlined> inlined_;
    std::uint64_t registers_ = 0;
    std::uint64_t instructions_ = 0;
    std::uint64_t init_bytes_ = 0;
    std::uint64_t branch_targets_ = 0;
    std::vector<PendingAddress> pending_;
    std::deque<std::string> made_names_;        ///< names that are not in the text (vector components)
    std::vector<Token> words_;                  ///< scratch of opcode()
    std::vector<std::string_view> word_texts_;  ///< of words_
};

}  // namespace warpwright::ptx

// A reader that understands the heads of kernels alone and counts brackets in bodies, so that it takes text which the
// parser refuses.
#include "ptx/signatures.hpp"

#include <algorithm>

#include "ptx/lexer.hpp"
#include "ptx/types.hpp"

namespace warpwright::ptx {
namespace {

class Reader {
public:
    Reader(std::string_view text, const std::string& name) : lex_(text, name) {}

    std::vector<EntrySignature> read() {
        std::vector<EntrySignature> out;
        while (lex_.peek().kind != Token::Kind::end) {
            const Token token = lex_.take();
            if (token.is('{'))
                pass_body(nullptr);
            else if (token.is_dot("entry"))
                entry(out);
        }
        return out;
    }

private:
    void entry(std::vector<EntrySignature>& out) {
        EntrySignature e;
        e.name = std::string(lex_.expect_word("the kernel's name").text);
        if (lex_.accept('(') && !lex_.accept(')')) {
            do parameter(e);
            while (lex_.accept(','));
            lex_.expect(')', "after the parameters");
        }
        while (!lex_.peek().is('{')) {
            const Token token = lex_.take();
            if (token.is(';')) return;  // only declared
            if (token.kind == Token::Kind::end) lex_.fail(token, "the kernel '" + e.name + "' has no body");
            if (token.is_dot("reqntid")) extent(e.required_block);
            if (token.is_dot("reqnctapercluster")) extent(e.required_cluster);
            if (token.is_dot("explicitcluster")) e.explicit_cluster = true;
            if (token.is_dot("maxclusterrank"))
                e.max_cluster = static_cast<std::uint32_t>(lex_.expect_integer("a number of blocks"));
            if (token.is_dot("maxntid")) {
                std::uint32_t most[3] = {0, 0, 0};
                extent(most);
                e.max_threads = most[0] * most[1] * most[2];
            }
        }
        lex_.take();
        pass_body(&e);
        out.push_back(std::move(e));
    }

    /// Skips to the '}' of the '{' that was just taken.
    void pass_body(EntrySignature* e) {
        for (unsigned depth = 1; depth != 0;) {
            const Token token = lex_.take();
            if (token.kind == Token::Kind::end) lex_.fail(token, "a '{' is not closed");
            if (token.is('{')) ++depth;
            if (token.is('}')) --depth;
            if (e && token.is_dot("loc")) e->has_line_information = true;
            if (e && token.is_word() && token.text == "vprintf") e->prints = true;
        }
    }

    /// One to three numbers; those left out are 1.
    void extent(std::uint32_t (&to)[3]) {
        to[0] = to[1] = to[2] = 1;
        for (std::uint32_t& value : to) {
            value = static_cast<std::uint32_t>(lex_.expect_integer("a number of threads or blocks"));
            if (!lex_.accept(',')) break;
        }
    }

    /// ".param .u64 .ptr .global .align 16 name" or ".param .align 8 .b8 name[24]".
    void parameter(EntrySignature& e) {
        EntryParameter p;
        Type type = Type::none;
        std::uint64_t vector = 1, align = 0;
        bool pointed = false;  // an .align after .ptr is that of the memory it points to
        while (lex_.peek().kind == Token::Kind::dot) {
            const Token token = lex_.take();
            if (token.text == "ptr") pointed = true;
            if (token.text == "align") {
                const Token at = lex_.peek();
                const std::uint64_t value = lex_.expect_integer("an alignment");
                if (value == 0 || (value & (value - 1)) != 0 || value > kMaxBytes)
                    lex_.fail(at, "an alignment is a power of two");
                if (!pointed) align = value;
            }
            if (token.text == "v2" || token.text == "v4") vector = token.text == "v2" ? 2 : 4;
            if (const Type t = type_from(token.text); t != Type::none) type = t;
        }
        if (type == Type::none) lex_.fail("a parameter of '" + e.name + "' has no type");
        p.name = std::string(lex_.expect_word("a parameter's name").text);
        std::uint64_t size = bytes(type) * vector;
        if (align == 0) align = size;
        bool array = vector > 1;
        while (lex_.accept('[')) {
            const std::uint64_t count = lex_.expect_integer("the size of an array");
            if (count > kMaxBytes) too_large(e);
            size = std::min(size * count, kMaxBytes + 1);
            lex_.expect(']', "after the size of an array");
            array = true;
        }
        std::uint64_t offset = 0;
        if (!e.parameters.empty()) offset = std::uint64_t{e.parameters.back().offset} + e.parameters.back().size;
        offset = (offset + align - 1) / align * align;
        if (offset + size > kMaxBytes) too_large(e);
        p.type = array ? "b8" : std::string(spelling(type));
        p.align = static_cast<std::uint32_t>(align);
        p.size = static_cast<std::uint32_t>(size);
        p.offset = static_cast<std::uint32_t>(offset);
        e.parameters.push_back(std::move(p));
    }

    [[noreturn]] void too_large(const EntrySignature& e) const {
        lex_.fail("the parameters of '" + e.name + "' are larger than 64 KiB");
    }

    static constexpr std::uint64_t kMaxBytes = 1u << 16;
    Lexer lex_;
};

}  // namespace

Result<std::vector<EntrySignature>> read_signatures(std::string_view text, const std::string& name) {
    try {
        return Reader(text, name).read();
    } catch (ParseFailure& failure) {
        return std::move(failure.error);
    }
}

}  // namespace warpwright::ptx

// The instruction oracle: every instruction form that is recorded on a real GPU and replayed on the emulated one.
// A form is a few lines of PTX over named registers; the module text, the inputs and the golden file follow from it.
// Used by oracle_test.cpp and by tools/oracle_record.cpp, so nothing here depends on either.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

/// How a form's results are compared with the recorded ones.
enum class Check {
    exact,     ///< bit for bit
    relative,  ///< |a - b| <= tolerance * |b|; NaN, infinities and zeros as recorded
    absolute,  ///< |a - b| <= tolerance
    either,    ///< relative or absolute within the tolerance
};

/// One instruction form. The body uses %a, %b, %c, %d (inputs), %r, %q (results) and scratch registers %t0-%t3 (b32),
/// %u0-%u3 (b64), %v0-%v3 (b16), %p0-%p3 (pred); memory forms also %scratch (b64, the thread's own 64 bytes of global
/// memory, 16-byte aligned), %sh (b32, its own 64 bytes of shared memory) and %loc (b64, 64 bytes of local memory).
struct Form {
    std::string name;  ///< unique; the instruction's spelling, perhaps with operands
    std::string body;  ///< PTX
    /// One letter an input: what values it takes, and its register.
    ///   h b16 integer, e f16, g bf16;  i b32 integer, x f16x2, y bf16x2, f f32, s shift amount;
    ///   l b64 integer, d f64;  p predicate
    /// Capital letters: one value for a whole warp (that of its first lane). M: a member mask with all lanes active
    /// that are in it (the form's lanes outside the mask skip it); I: integer, S: small, 0 to 31.
    std::string inputs;
    std::string results;  ///< one letter a result, as above; only the width matters (and the type, for tolerances)
    Check check = Check::exact;
    double tolerance = 0;
    unsigned vectors = 0;  ///< how many inputs; a multiple of kBlock
    bool memory = false;   ///< uses %scratch, %sh or %loc
};

/// Every form, in a fixed order.
std::vector<Form> all_forms();

void add_integer_forms(std::vector<Form>& out);
void add_float_forms(std::vector<Form>& out);
void add_half_forms(std::vector<Form>& out);
void add_compare_forms(std::vector<Form>& out);
void add_convert_forms(std::vector<Form>& out);
void add_video_forms(std::vector<Form>& out);
void add_warp_forms(std::vector<Form>& out);
void add_memory_forms(std::vector<Form>& out);

/// Appends a form; the number of vectors follows from its inputs.
void add_form(std::vector<Form>& out, std::string name, std::string body, std::string inputs, std::string results,
              Check check = Check::exact, double tolerance = 0);
/// The usual shape: "name %r, %a, %b...;".
void add_plain(std::vector<Form>& out, const std::string& name, const std::string& inputs, const std::string& results,
               Check check = Check::exact, double tolerance = 0);

/// Bytes of a letter's value.
unsigned width_of(char letter);

/// The inputs of a form, as raw 64-bit words: input j of vector v at [j * vectors + v]. Deterministic.
std::vector<std::uint64_t> inputs_of(const Form& form);

/// PTX of one module with an entry form_<index> for each of the forms. Parameters: u64 inputs, u64 results (64-bit
/// words, result k of vector v at [k * vectors + v]), u64 scratch, u32 vectors. Blocks of 128 threads.
std::string module_text(const std::vector<Form>& forms, std::size_t first, std::size_t count);

inline constexpr unsigned kBlock = 128;
inline constexpr unsigned kScratchBytes = 64;

/// What was recorded: for each form its results, masked to their width; or the reason that there are none.
struct Recorded {
    std::string name;
    bool accepted = false;
    std::string reason;                  ///< the assembler's message when it was not accepted
    std::vector<std::uint64_t> results;  ///< as module_text() lays them out
};
struct Golden {
    std::string device;
    std::vector<Recorded> forms;
};
bool write_golden(const std::string& path, const Golden& golden, const std::vector<Form>& forms);
bool read_golden(const std::string& path, Golden& golden, const std::vector<Form>& forms, std::string& error);

}  // namespace oracle

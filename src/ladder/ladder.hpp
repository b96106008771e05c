// A ladder as its file describes it: one problem and the rungs that solve it. docs/ladder-files.md has the format.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ladder/expression.hpp"
#include "ladder/rung_files.hpp"
#include "values/contents.hpp"

namespace warpwright::ladder {

/// One value of a sweep axis: a whole number, or a word (such as an element type).
struct AxisValue {
    std::string text;
    std::optional<double> number;  ///< absent for words
    bool operator==(const AxisValue&) const = default;
};

struct Axis {
    std::string name;
    std::vector<AxisValue> values;
    Location where;
};

enum class Role { input, output, scratch };

struct Buffer {
    std::string name;
    std::string type;  ///< an element type, or the name of an axis whose values are element types
    std::map<std::string, std::string> types;  ///< of that axis: word -> element type, where it is not the word itself
    Expression count;
    values::Contents contents;
    bool filled = false;  ///< contents were given; else the buffer is poisoned before each run
    Role role = Role::input;
    Location where;
};

/// A buffer as a tiled array, passed by value as 128 bytes (cp.async.bulk.tensor). Dimensions are innermost first.
struct TensorMapArgument {
    std::string buffer;
    std::string type;  ///< element type, "tf32", or an axis of element types; empty: the buffer's
    std::map<std::string, std::string> types = {};  ///< of that axis: word -> type, where it is not the word itself
    std::vector<Expression> size;                   ///< elements
    std::vector<Expression> stride;                 ///< elements, from the second dimension on; empty: packed
    std::vector<Expression> box;                    ///< elements
    Expression swizzle;                             ///< bytes: 0, 32, 64, 128
};

/// An argument of a launch: a buffer's name or an expression. In a repeated launch it may differ from pass to pass:
/// `first` and `last` take precedence over `even` and `odd` (pass 0 is even); an empty text means "not given".
struct Argument {
    std::string text;  ///< for every pass, unless one of the following is given
    std::string first, last, even, odd;
    Location where;
    std::optional<TensorMapArgument> map = std::nullopt;  ///< instead of all texts
    /// The text for pass `pass`. A first pass that is also the last uses `first` if given, else `last`.
    const std::string& of_pass(unsigned pass, bool is_last) const;
};

/// Run the launch again and again: `variable` begins at `start` and becomes `next` after each pass; the pass whose
/// `next` is 1 or less is the last.
struct Repeat {
    std::string variable;
    Expression start, next;
};

struct Launch {
    std::string entry;
    std::array<Expression, 3> grid, block;
    std::optional<std::array<Expression, 3>> cluster;
    Expression shared;  ///< dynamic shared memory, bytes
    std::vector<Argument> arguments;
    std::optional<Repeat> repeat;
    bool cooperative = false;
    bool programmatic = false;  ///< the kernel itself waits for the previous one (device::LaunchConfig)
    bool ahead = false;         ///< prepares data that later runs reuse: not timed
    Location where;
};

/// The scale of the difference to the reference, element by element.
enum class ToleranceScale {
    magnitude,  ///< the sum of the absolute values of the terms (|A| |B| for a product): the error analysis' own scale
    value,      ///< the reference's absolute value
    norm,       ///< the largest absolute value in the reference
};

struct Tolerance {
    Expression relative;  ///< integers are compared exactly in any case
    ToleranceScale scale = ToleranceScale::magnitude;
    Expression rounding;  ///< times the reference's absolute value, in addition: for the rounding of the stored result
};

struct Reference {
    enum class Kind { none, matmul, reduce, transpose, copy, elementwise, rung };
    Kind kind = Kind::none;
    std::vector<std::string> inputs;  ///< buffers
    std::string output;               ///< buffer
    std::vector<Expression> sizes;    ///< matmul: M, N, K; reduce and copy: n; transpose: M, N (of the input)
    /// matmul: "NN", "NT", "TN", "TT" (T first: A is stored K x M; T second: B is stored N x K), or an axis of these.
    std::string layout = "NN";
    std::string op = "sum";  ///< reduce: "sum", "min", "max", or an axis of these
    bool sparse = false;     ///< matmul: A has two zeros in four neighbours along K
    Expression expression;   ///< elementwise: buffers' names stand for their element i
    std::string rung;        ///< rung: the one whose output is used
    Location where;
};

struct Rung {
    unsigned number = 0;  ///< from 1, in the file's order
    std::string name, title, why;
    std::string source;        ///< absolute path; empty for CPU and library rungs
    std::string cpu;           ///< "serial", "openmp", "blas"; empty for kernels
    std::string library;       ///< "cublas", "cublaslt", "cusparselt", "memcpy": a call, real devices only; else empty
    std::string compute_type;  ///< library: the type in which it accumulates ("f32", "tf32", "i32", ...); empty: its
                               ///< default
    std::string unit;          ///< the unit whose rate bounds its arithmetic, or an axis of such words; empty: unit_of
                               ///< decides
    std::map<std::string, std::string> unit_by;  ///< by the word of the axis `unit`; unit_of decides for the others
    int compute = 0;                             ///< least compute capability, major * 10 + minor
    std::optional<Expression> require;           ///< the rung supports a size if this is not 0
    std::string require_says;                    ///< the reason why it does not support others
    bool best = false;                           ///< one of the rungs from which the public API chooses
    std::map<std::string, std::string> defines;  ///< macro -> axis or expression
    std::vector<Axis> axes;
    std::vector<Launch> launches;
    std::vector<std::pair<std::string, Expression>> let;  ///< further variables, in order
    Expression flops, bytes;
    Tolerance tolerance;
    bool known_incorrect = false;
    Location where;
};

struct Ladder {
    std::string name, title, about;
    std::string folder, file;
    std::vector<std::string> size_names;
    std::vector<std::vector<std::int64_t>> default_sizes;
    std::optional<Expression> require;                      ///< must be true (not 0) of a size
    std::vector<Axis> axes;                                 ///< of every rung
    std::map<std::string, std::vector<std::string>> usual;  ///< values of those axes that run when none are asked for
    std::vector<Buffer> buffers;
    Reference reference;
    std::vector<Rung> rungs;

    const Buffer* buffer(std::string_view name) const;
};

/// Reads `path`, a ladder.toml or a folder that holds one. Errors name file and line.
Result<Ladder> read_ladder(const std::string& path);
/// The same from a text; `file` is its name in messages and locates its sources; `rungs` are the rungs in files of
/// their own.
Result<Ladder> parse_ladder(const std::string& text, const std::string& file, const std::vector<RungFile>& rungs = {});

/// One choice of a value for every axis of a rung (the ladder's axes first).
using Variant = std::vector<std::pair<std::string, AxisValue>>;

/// Whether an axis has this value, or could have it: an axis of numbers accepts any number.
bool takes(const Axis& axis, const std::string& word);

/// All choices, the last axis running fastest. `chosen` narrows an axis to some of its values or, for an axis
/// of numbers, to values that the file does not list; axes the rung lacks are ignored.
Result<std::vector<Variant>> variants(const Ladder& ladder, const Rung& rung,
                                      const std::map<std::string, std::vector<std::string>>& chosen);

/// The rungs a list of names, numbers and globs (`tiled*`) selects, in the ladder's order; empty selects all.
/// A word that selects nothing is ErrorKind::usage.
Result<std::vector<const Rung*>> select_rungs(const Ladder& ladder, const std::vector<std::string>& words);

/// Words for `unit`: FMA units, tensor cores by type, tensor cores with 2:4 sparsity, and "none".
const std::vector<std::string>& unit_words();

/// The unit of a rung: its own word, else from the ladder's first input and its problem.
std::string unit_of(const Ladder& ladder, const Rung& rung, const Variant& variant);

/// The meaning of a text that may name an axis: the axis' word in this variant, else the text itself.
std::string word_of(const std::string& text, const Variant& variant);

/// The variables that expressions see: sizes, numeric axes, AXIS_WORD for each word of an axis (1 for the chosen one,
/// else 0), sizeof_AXIS and unit_AXIS for axes of element types, then `let`.
Result<Variables> variables_of(const Ladder& ladder, const Rung& rung, const std::vector<std::int64_t>& size,
                               const Variant& variant);

}  // namespace warpwright::ladder

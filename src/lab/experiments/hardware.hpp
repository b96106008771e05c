// What the experiments about hardware share: counts of a ladder's rungs on an emulated device whatever the laboratory
// runs on, the generations whose rules are compared, and short forms for the parts of a page.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/occupancy.hpp"
#include "explain/access.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/sweep/sweep.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

namespace pages {
#define X(name) Result<record::Page> name(const Context&, const Choices&);
#include "lab/experiments/experiments.inc"
#undef X
}  // namespace pages

/// An emulated device to count on: the context's own where it is one, else another for its model. With a model of its
/// own (wavefronts of 64, say) always another.
class Counting {
public:
    static Result<Counting> of(const Context& context);
    static Result<Counting> of(const Context& context, const arch::DeviceModel& model, bool per_line = false);
    const Context& context() const { return *context_; }

private:
    std::unique_ptr<arch::DeviceModel> model_;
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<Context> context_;
};

/// The records of a run, added to the page; what failed or did not verify becomes one of its problems. A ladder that
/// cannot run at all is an error.
Result<std::vector<record::Record>> run_into(record::Page& page, const Context& context, const std::string& ladder,
                                             const std::vector<std::string>& rungs, const Axes& axes,
                                             const std::vector<Size>& sizes);

/// The record of a rung with this value of an axis, if it ran and verified; null else.
const record::Record* find(const std::vector<record::Record>& records, std::string_view rung,
                           std::string_view axis = {}, std::int64_t value = 0);
/// A count over another, of a record; NaN where there is none.
double ratio(const record::Record* r, record::Count a, record::Count b);
/// Bytes/s of the problem by the measured time; NaN where it was not timed.
double measured_rate(const record::Record* r);
/// The same by the time of the bound; NaN where there is none.
double bound_rate(const record::Record* r);

/// A generation whose rules are compared with today's.
struct Generation {
    Text label;  ///< "1.0", "2.x": compute capabilities, or a name
    arch::DeviceModel limits;
    bool wide_banks = false;
};
/// By names of load_limits(), with labels.
Result<std::vector<Generation>> generations(std::initializer_list<std::pair<const char*, const char*>> names);

/// What one warp's access costs by a generation's rules.
Result<explain::Cost> rule_cost(const Generation& g, const std::string& expression, bool shared,
                                std::uint32_t bytes = 4);

/// Numbers that the user chose for an axis, or the experiment's own.
Result<std::vector<std::int64_t>> axis_numbers(const Choices& choices, const std::string& axis,
                                               std::vector<std::int64_t> own);
std::vector<std::string> texts(const std::vector<std::int64_t>& numbers);
std::vector<std::int64_t> range(std::int64_t from, std::int64_t to, std::int64_t step = 1);

/// What limits the blocks of a multiprocessor, in words: "warps, registers".
Text limiter_text(const arch::Occupancy& occupancy);

/// A page with its title, purpose, task and sources by the keys "<id>.title", ...
record::Page begin_page(const std::string& id, std::vector<std::string> sources);
record::Paragraph paragraph(Text text, record::Paragraph::Kind kind = record::Paragraph::Kind::text);
record::Series series(Text name, record::Basis basis);
void point(record::Series& s, double x, double y);
/// NaN becomes an empty cell.
record::Scalar cell(double value);

}  // namespace warpwright::lab

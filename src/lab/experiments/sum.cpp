// The sum of n doubles in four versions, in CUDA C++ and OpenCL C, on whatever devices there are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "device/opencl/opencl_device.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/side_by_side.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/apart.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/page/sentence_figures.hpp"
#include "measure/host_sample.hpp"
#include "predict/prediction.hpp"
#include "text/words.hpp"
#include "values/contents.hpp"

namespace warpwright::lab {
namespace {

using record::Basis;
using record::Scalar;

constexpr std::int64_t kTextSize = 43435342;
constexpr int kNeighbours = 128, kGroup = 256;
constexpr const char* kVersions[] = {"rows", "stride", "tree", "two"};

struct Outcome {
    std::uint64_t threads = 0, left = 0;  ///< work-items; values that the host adds
    double seconds = NAN, host = NAN, value = NAN;
    double sectors = NAN;  ///< a load request; where it was counted
    bool right = false;
};

struct Column {
    std::string name, language;
    Basis basis = Basis::measured;
    std::vector<Outcome> versions;
};

/// Seconds in which the host adds them. One value takes less than a tick of the clock, so it is repeated;
/// what is volatile has every turn add all of them again.
double seconds_to_add(const std::vector<double>& values) {
    const volatile double zero = 0;
    const auto add = [&] {
        volatile double sum = std::accumulate(values.begin(), values.end(), zero);
        (void)sum;
    };
    const auto samples = measure::sample(add, {.min_seconds = 0.001, .max_seconds = 0.1});
    return measure::summarise(samples).median;
}

class Sum {
public:
    Sum(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = page_of("sum", {"004"});
        n_ = choices_.sizes.empty() ? (choices_.quick ? 1000003 : kTextSize) : choices_.sizes[0][0];
        if (n_ < 1 || n_ > 2000000000)
            return Error{ErrorKind::usage,
                         fmt::format("{} elements: the kernels count them with 32 bits", n_),
                         {},
                         "from 1 to 2000000000"};
        make_input();
        auto own = Workbench::on(context_);
        const bool opencl = context_.device.limits().language == device::Language::opencl;
        if (!opencl) column(own, "sum/sum.cu", "CUDA C++");
        column(own, "sum/sum.cl", "OpenCL C");
        if (!opencl) others();
        if (columns_.empty()) {
            const auto& why = page_.problems.empty() ? notes_ : page_.problems;
            return Error{page_.problems.empty() ? ErrorKind::no_device : ErrorKind::fault,
                         why.empty() ? "it was stopped before anything ran" : Words::plain().render(why.front()),
                         {},
                         ""};
        }
        results();
        pattern();
        if (auto ok = trees(own, opencl ? "sum/sum.cl" : "sum/sum.cu"); !ok)
            page_.problems.push_back(ok.error().text());
        quoted();
        conclude();
        page_.repeat = {fmt::format("warpwright lab sum --size {}", n_), "warpwright lab sum --device opencl"};
        return std::move(page_);
    }

private:
    void make_input() {
        x_.resize(static_cast<std::size_t>(n_));
        auto contents = values::parse_contents("random", {});
        values::fill_contents(*contents, values::Element::f64, "x", context_.options.seed, 0,
                              std::as_writable_bytes(std::span(x_)));
        long double sum = 0, magnitude = 0;
        for (double v : x_) sum += v, magnitude += std::abs(v);
        reference_ = static_cast<double>(sum);
        // Each of at most n additions rounds once: what any order of them may be off by.
        allowed_ = static_cast<double>(n_) * 0x1p-53 * static_cast<double>(magnitude);
    }

    /// All versions on one device, or a problem.
    void column(Workbench& bench, const std::string& file, const std::string& language) {
        auto made = versions(bench, file);
        bench.release_all();
        if (!made) {
            // A compiler or device that this machine has not: nothing went wrong.
            (made.error().kind == ErrorKind::no_device ? notes_ : page_.problems)
                .push_back(bench.device().name() + ", " + language + ": " + made.error().text());
            return;
        }
        Column c{bench.measured() ? bench.device().name() : bench.model().name, language, bench.basis(),
                 std::move(*made)};
        if (const std::string title = bench.device().facts().title; !title.empty()) c.name += " (" + title + ")";
        columns_.push_back(std::move(c));
    }

    /// OpenCL devices of the machine: a GPU's own, PoCL.
    void others() {
        auto list = device::list_opencl();
        if (!list) {
            notes_.push_back(message("sum.note.opencl", {{"why", list.error().what}}));
            return;
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(list->size(), 3); ++i) {
            auto bench = Workbench::opencl(context_, static_cast<int>(i));
            if (bench)
                column(*bench, "sum/sum.cl", "OpenCL C");
            else
                page_.problems.push_back(bench.error().text());
        }
    }

    /// How often one more is timed: about a second in all, but twice at least.
    std::uint32_t samples_of(double seconds) const {
        const double most = choices_.quick ? 4 : 14, fit = seconds > 0 ? std::floor(1 / seconds) : most;
        return static_cast<std::uint32_t>(std::clamp(fit, 2.0, most));
    }

    /// One version: its launches, and where it leaves how many values for the host to add.
    struct Plan {
        std::uint64_t threads, left;
        device::Address from;
        std::vector<Result<device::Step>> steps;
    };

    /// Groups of the version with two kernels: as many as fill the device, and as one group of the second kernel can
    /// add; a power of two, whose tree has no odd halves. Fewer would leave a large
    /// device waiting for its memory.
    static std::uint32_t groups_of(const device::Limits& limits, std::uint32_t multiprocessors) {
        const std::uint32_t most = std::max(1u, std::min(1024u, limits.threads_per_block));
        std::uint32_t groups = 1;
        while (groups < 8 * multiprocessors && 2 * groups <= most) groups *= 2;
        return groups;
    }

    /// Every version for the array at `x`.
    static Result<std::vector<Plan>> plans(Workbench& bench, const std::shared_ptr<device::Module>& module,
                                           device::Address x, std::int64_t elements, std::uint32_t multiprocessors) {
        const std::uint32_t groups = groups_of(bench.device().limits(), multiprocessors);
        const auto whole = [](std::int64_t v) { return static_cast<std::uint32_t>(v); };
        const auto blocks_of = [&](std::int64_t threads, std::int64_t block) {
            return whole((threads + block - 1) / block);
        };
        const std::uint32_t rows = blocks_of((elements + kNeighbours - 1) / kNeighbours, kGroup);
        const std::uint32_t strided = std::min(blocks_of(elements, kGroup), std::max(1u, 8 * multiprocessors));
        const std::uint64_t most =
            std::max<std::uint64_t>({std::uint64_t{rows} * kGroup, std::uint64_t{strided} * kGroup, groups});
        auto sums = bench.allocate(8 * most), result = bench.allocate(8);
        if (!sums) return std::move(sums).error();
        if (!result) return std::move(result).error();
        const auto n = static_cast<std::int32_t>(elements);
        std::vector<Plan> plans;
        const auto plain = [](std::uint32_t grid) { return device::LaunchConfig{{grid, 1, 1}, {kGroup, 1, 1}}; };
        plans.push_back({std::uint64_t{rows} * kGroup,
                         std::uint64_t{rows} * kGroup,
                         *sums,
                         {bench.step(module, "sum_rows", plain(rows), {*sums, x, n, std::int32_t{kNeighbours}})}});
        plans.push_back({std::uint64_t{strided} * kGroup,
                         std::uint64_t{strided} * kGroup,
                         *sums,
                         {bench.step(module, "sum_stride", plain(strided), {*sums, x, n})}});
        plans.push_back({std::uint64_t{strided} * kGroup,
                         strided,
                         *sums,
                         {bench.step(module, "sum_tree", plain(strided), {*sums, x, n})}});
        plans.push_back({std::uint64_t{groups} * kGroup,
                         1,
                         *result,
                         {bench.step(module, "sum_tree", plain(groups), {*sums, x, n}),
                          bench.step(module, "sum_last", {{1, 1, 1}, {groups, 1, 1}},
                                     {*result, *sums, static_cast<std::int32_t>(groups)})}});
        return plans;
    }

    /// A version run: its sum, which the host completes, and its time, predicted or measured.
    Result<Outcome> outcome(Workbench& bench, Plan& p, const char* version) {
        Outcome o{p.threads, p.left, NAN, NAN, NAN, NAN, false};
        std::vector<device::Step> steps;
        double predicted = 0;
        for (auto& s : p.steps) {
            if (!s) return std::move(s).error();
            auto ran = bench.run(*s);
            if (!ran) return std::move(ran).error();
            predicted += bench.predicted_seconds(*s, *ran);
            if (ran->counts && steps.empty()) {
                const auto& c = ran->counts->total;
                o.sectors = static_cast<double>(c[record::Count::global_load_sectors]) /
                            static_cast<double>(c[record::Count::global_load_requests]);
            }
            steps.push_back(std::move(*s));
        }
        std::vector<double> left(p.left);
        if (auto ok = bench.device().read(std::as_writable_bytes(std::span(left)), p.from); !ok) return ok.error();
        o.value = std::accumulate(left.begin(), left.end(), 0.0);
        o.host = seconds_to_add(left);
        o.right = std::abs(o.value - reference_) <= allowed_;
        if (!o.right)
            page_.problems.push_back(
                fmt::format("{}, {}: the sum is {} and not {}", bench.device().name(), version, o.value, reference_));
        o.seconds = predicted;
        if (bench.measured()) {
            device::TimeRequest request;
            request.ahead = true;
            request.graph = false;
            request.timeout = bench.timeout();
            auto timer = bench.device().need(&device::Device::timer);
            if (!timer) return std::move(timer).error();
            auto times = (*timer)->time(steps, request);
            if (!times) return std::move(times).error();
            // A slow device, such as a processor under OpenCL, is timed less often.
            request.samples = samples_of(times->front());
            auto more = (*timer)->time(steps, request);
            if (!more) return std::move(more).error();
            times->insert(times->end(), more->begin(), more->end());
            o.seconds = median_of(std::move(*times));
        }
        return o;
    }

    Result<std::vector<Outcome>> versions(Workbench& bench, const std::string& file) {
        auto module = bench.load(file);
        if (!module) return std::move(module).error();
        auto x = bench.allocate(8 * x_.size());
        if (!x) return std::move(x).error();
        if (auto ok = bench.device().write(*x, std::as_bytes(std::span(x_))); !ok) return ok.error();
        auto list = plans(bench, *module, *x, n_, bench.device().limits().multiprocessors);
        if (!list) return std::move(list).error();
        std::vector<Outcome> out;
        for (Plan& p : *list) {
            if (context_.cancelled()) break;
            auto one = outcome(bench, p, kVersions[out.size()]);
            if (!one) return std::move(one).error();
            out.push_back(*one);
        }
        return out;
    }

    void results() {
        record::Section section{message("sum.results.heading"), {}};
        section.blocks.push_back(record::Paragraph{
            message("sum.results.text",
                    {{"n", count_text(static_cast<std::uint64_t>(n_))}, {"m", std::int64_t{kNeighbours}}}),
            record::Paragraph::Kind::text});
        record::Plot plot;
        plot.id = "rates";
        plot.title = message("sum.plot.title");
        plot.kind = record::Plot::Kind::bar;
        plot.x_label = message("sum.column.version");
        plot.y_label = message("sum.column.rate");
        plot.y_unit = "FLOP/s";
        for (const char* v : kVersions) plot.categories.push_back(message(std::string("sum.version.") + v));
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const Column& column = columns_[c];
            const bool counted = column.basis == Basis::predicted;
            record::Table t;
            t.id = fmt::format("device-{}", c);
            t.title = message("sum.table.title", {{"device", column.name}, {"language", column.language}});
            t.columns = {{message("sum.column.version")},
                         {message("sum.column.threads"), "", Basis::computed},
                         {message("sum.column.left"), "", Basis::computed},
                         {message("sum.column.time"), "s", column.basis},
                         {message("sum.column.rate"), "FLOP/s", column.basis},
                         {message("sum.column.bandwidth"), "B/s", column.basis},
                         {message("sum.column.speedup"), "", column.basis},
                         {message("sum.column.host"), "s", Basis::measured},
                         {message("sum.column.value"), "", {}, 10},
                         {message("sum.column.reference"), "", {}, 10},
                         {message("sum.column.difference"), "", {}, 3}};
            if (counted) t.columns.push_back({message("sum.column.sectors"), "", Basis::counted});
            record::Series series{column.name + ", " + column.language, {}, {}, {}, column.basis};
            for (std::size_t v = 0; v < column.versions.size(); ++v) {
                const Outcome& o = column.versions[v];
                t.rows.push_back({plot.categories[v], static_cast<std::int64_t>(o.threads),
                                  static_cast<std::int64_t>(o.left), number(o.seconds), number(rate(o)),
                                  number(8.0 * static_cast<double>(n_) / o.seconds),
                                  number(column.versions[0].seconds / o.seconds), number(o.host), o.value, reference_,
                                  std::abs(o.value - reference_)});
                if (counted) t.rows.back().push_back(number(o.sectors));
                series.x.push_back(static_cast<double>(v));
                series.y.push_back(rate(o));
            }
            section.blocks.push_back(std::move(t));
            plot.series.push_back(std::move(series));
        }
        section.blocks.push_back(std::move(plot));
        for (const Text& note : notes_) section.blocks.push_back(note_of(note));
        page_.sections.push_back(std::move(section));
    }

    double rate(const Outcome& o) const { return static_cast<double>(n_ - 1) / o.seconds; }

    /// Who reads what when: four work-items, eight elements each.
    void pattern() {
        record::Section section{message("sum.pattern.heading"), {}};
        section.blocks.push_back(record::Paragraph{message("sum.pattern.text"), record::Paragraph::Kind::text});
        constexpr int kThreads = 4, kEach = 8;
        for (const bool rows : {true, false}) {
            record::CellMap map;
            map.id = rows ? "pattern-rows" : "pattern-stride";
            map.title = message(rows ? "sum.version.rows" : "sum.version.stride");
            for (int step = 0; step < kEach; ++step) {
                std::vector<record::Cell> cells(kThreads * kEach);
                for (int t = 0; t < kThreads; ++t) {
                    const int at = rows ? t * kEach + step : step * kThreads + t;
                    cells[static_cast<std::size_t>(at)] = {
                        std::to_string(t), t, NAN,
                        message("sum.pattern.hover", {{"thread", std::int64_t{t}}, {"element", std::int64_t{at}}})};
                }
                map.rows.push_back(std::move(cells));
                map.row_names.push_back(std::to_string(step));
            }
            for (int t = 0; t < kThreads; ++t)
                map.legend.push_back({t, message("sum.pattern.thread", {{"thread", std::int64_t{t}}})});
            map.caption = message(rows ? "sum.pattern.rows" : "sum.pattern.stride");
            section.blocks.push_back(std::move(map));
        }
        page_.sections.push_back(std::move(section));
    }

    /// The steps of the tree for a count that is odd on the way.
    record::CellMap tree_picture() {
        constexpr int kShown = 13;
        record::CellMap map;
        map.id = "tree";
        map.title = message("sum.tree.picture", {{"count", std::int64_t{kShown}}});
        for (int count = kShown; count > 1;) {
            const int half = (count + 1) / 2;
            std::vector<record::Cell> cells(kShown);
            for (int i = 0; i < kShown; ++i) {
                auto& c = cells[static_cast<std::size_t>(i)];
                if (i + half < count)
                    c = {fmt::format("{}+{}", i, i + half), 0, NAN, ""};
                else if (i < half)
                    c = {std::to_string(i), 1, NAN, ""};
                else if (i < count)
                    c = {"", 2, NAN, ""};
            }
            map.rows.push_back(std::move(cells));
            map.row_names.push_back(fmt::format("{} -> {}", count, half));
            count = half;
        }
        map.legend = {{0, message("sum.tree.adds")}, {1, message("sum.tree.stays")}, {2, message("sum.tree.read")}};
        return map;
    }

    /// The local tree, also for sizes that are odd somewhere on the way.
    Result<void> trees(Workbench& bench, const std::string& file) {
        record::Section section{message("sum.tree.heading"), {}};
        section.blocks.push_back(record::Paragraph{message("sum.tree.text"), record::Paragraph::Kind::text});
        section.blocks.push_back(tree_picture());

        record::Table t;
        t.id = "tree-sizes";
        t.title = message("sum.tree.table");
        t.columns = {{message("sum.tree.size")},
                     {message("sum.tree.steps"), "", Basis::computed},
                     {message("sum.column.value"), "", {}, 10},
                     {message("sum.column.difference"), "", {}, 3},
                     {message("sum.tree.right")}};
        auto module = bench.load(file);
        if (!module) return std::move(module).error();
        const std::int64_t n = std::min<std::int64_t>(n_, 10007);
        constexpr std::uint32_t kBlocks = 3;
        auto x = bench.allocate(8 * static_cast<std::uint64_t>(n)), sums = bench.allocate(8 * kBlocks);
        if (!x) return std::move(x).error();
        if (!sums) return std::move(sums).error();
        if (auto ok = bench.device().write(*x, std::as_bytes(std::span(x_).first(static_cast<std::size_t>(n)))); !ok)
            return ok;
        long double exact = 0, magnitude = 0;
        for (std::int64_t i = 0; i < n; ++i)
            exact += x_[static_cast<std::size_t>(i)], magnitude += std::abs(x_[static_cast<std::size_t>(i)]);
        for (const std::uint32_t size : {1u, 2u, 3u, 5u, 7u, 13u, 31u, 33u, 100u, 127u, 255u, 1000u}) {
            if (size > bench.device().limits().threads_per_block) continue;
            auto step = bench.step(*module, "sum_tree", {{kBlocks, 1, 1}, {size, 1, 1}},
                                   {*sums, *x, static_cast<std::int32_t>(n)});
            if (!step) return std::move(step).error();
            if (auto ran = bench.run(*step); !ran) return std::move(ran).error();
            std::vector<double> left(kBlocks);
            if (auto ok = bench.device().read(std::as_writable_bytes(std::span(left)), *sums); !ok) return ok;
            const double value = left[0] + left[1] + left[2], difference = std::abs(value - static_cast<double>(exact));
            const bool right = difference <= static_cast<double>(n) * 0x1p-53 * static_cast<double>(magnitude);
            std::int64_t steps = 0;
            for (std::uint32_t count = size; count > 1; count = (count + 1) / 2) ++steps;
            t.rows.push_back(
                {std::int64_t{size}, steps, value, difference, message(right ? "sum.tree.yes" : "sum.tree.no")});
            if (!right)
                page_.problems.push_back(
                    fmt::format("groups of {}: the sum is {} and not {}", size, value, static_cast<double>(exact)));
        }
        bench.release_all();
        section.blocks.push_back(std::move(t));
        page_.sections.push_back(std::move(section));
        return {};
    }

    /// What the text printed, on a Tesla K40c.
    void quoted() {
        record::Table t;
        t.id = "text";
        t.title = message("sum.text.title");
        t.columns = {{message("sum.column.version")},
                     {message("sum.column.time"), "s", Basis::quoted},
                     {message("sum.column.rate"), "FLOP/s", Basis::quoted},
                     {message("sum.column.difference"), "", Basis::quoted}};
        const double times[] = {0.025615, 0.00473809, 0.00255108, 0.00261402},
                     rates[] = {1.6957e9, 9.16726e9, 17.0263e9, 16.6163e9},
                     differences[] = {1.56433e-10, 5.63887e-10, 1.11868e-10, 1.81899e-12};
        for (int v = 0; v < 4; ++v)
            t.rows.push_back({message(std::string("sum.version.") + kVersions[v]), times[v], rates[v], differences[v]});
        record::Section section{message("sum.text.heading"), {std::move(t)}};
        BesideText beside;
        const auto k40c = arch::load_model("k40c");
        if (auto devices = OtherDevices::of(context_); devices)
            beside.add("text-predicted", "Tesla K40c", on_k40c(*devices, times), "s", "beside.caption",
                       k40c ? &*k40c : nullptr);
        for (record::Table& table : beside.tables) section.blocks.emplace_back(std::move(table));
        beside_ = std::move(beside.conclusions);
        page_.sections.push_back(std::move(section));
    }

    /// The text's four versions, predicted for its device and size. The text does not say how many threads its
    /// grid-stride versions have: here they are as many as the device holds, as in the versions above.
    Result<std::vector<TextFigure>> on_k40c(OtherDevices& devices, std::span<const double> times) const {
        auto model = arch::load_model("k40c");
        if (!model) return std::move(model).error();
        const Context context{devices.device(), *model, true, std::make_shared<Target>(), context_.options};
        auto bench = Workbench::on(context);
        auto module = bench.load("sum/sum.cu");
        if (!module) return std::move(module).error();
        auto x = bench.allocate(8 * static_cast<std::uint64_t>(kTextSize));
        if (!x) return std::move(x).error();
        auto list = plans(bench, *module, *x, kTextSize, model->sm.multiprocessors);
        if (!list) return std::move(list).error();
        std::vector<TextFigure> out;
        for (Plan& p : *list) {
            double seconds = 0;
            for (auto& step : p.steps) {
                if (!step) return std::move(step).error();
                auto one = devices.seconds(*step, *model);
                if (!one) return std::move(one).error();
                seconds += *one;
            }
            out.push_back(
                {message(std::string("sum.version.") + kVersions[out.size()]), times[out.size()], seconds, 0});
        }
        return out;
    }

    void conclude() {
        const Column& c = columns_.front();
        if (c.versions.size() < 4) return;
        const auto& v = c.versions;
        const auto times = [](double a, double b) { return a / b; };
        page_.conclusions.push_back(message(c.basis == Basis::measured ? "sum.conclusion.measured"
                                            : context_.options.simulate == predict::Simulate::none
                                                ? "sum.conclusion.bound"
                                                : "sum.conclusion.predicted",
                                            {{"device", c.name},
                                             {"stride", times(v[0].seconds, v[1].seconds)},
                                             {"tree", times(v[1].seconds, v[2].seconds)},
                                             {"two", times(v[0].seconds, v[3].seconds)}}));
        if (std::isfinite(v[0].sectors))
            page_.conclusions.push_back(
                message("sum.conclusion.sectors", {{"rows", v[0].sectors}, {"stride", v[1].sectors}}));
        page_.conclusions.insert(page_.conclusions.end(), beside_.begin(), beside_.end());
        page_.conclusions.push_back(message("sum.conclusion.left", {{"rows", static_cast<std::int64_t>(v[0].left)},
                                                                    {"stride", static_cast<std::int64_t>(v[1].left)},
                                                                    {"tree", static_cast<std::int64_t>(v[2].left)}}));
        std::size_t best = 0;
        for (std::size_t i = 1; i < v.size(); ++i)
            if (v[i].seconds < v[best].seconds) best = i;
        // By predicted times the plainest of those that they do not tell apart.
        const bool compared = context_.model.compute_capability == predict::Stated::kComputeCapability;
        if (c.basis == Basis::predicted && !predicted_apart(v[best].seconds, v[1].seconds, true, compared).told)
            best = 1;
        page_.recommendations.push_back(message(std::string("sum.recommendation.") + (best == 0   ? "rows"
                                                                                      : best == 1 ? "stride"
                                                                                                  : "device"),
                                                {{"device", c.name}}));
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::int64_t n_ = 0;
    std::vector<double> x_;
    double reference_ = 0, allowed_ = 0;
    std::vector<Column> columns_;
    std::vector<Text> notes_, beside_;
};

}  // namespace

namespace pages {
Result<record::Page> sum(const Context& context, const Choices& choices) { return Sum(context, choices).run(); }
}  // namespace pages

}  // namespace warpwright::lab

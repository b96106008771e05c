// The sum of two vectors as the eight steps of a CUDA program, each with what it moves and takes; and its kernel by
// block size.
#include <chrono>

#include "lab/experiments/direct.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/sentence_figures.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;
using record::Scalar;

/// A step of the program with the seconds it takes; absent where nothing is known.
struct Step {
    const char* key;
    const char* calls;
    std::uint64_t bytes = 0;
    std::optional<double> seconds = {};
};

std::vector<Step> program(std::uint64_t bytes) {
    return {{"kernel", "`__global__ void vecadd(...)`"},
            {"host", "`malloc`", 3 * bytes},
            {"allocate", "`cudaMalloc`", 3 * bytes},
            {"to_device", "`cudaMemcpy(..., cudaMemcpyHostToDevice)`", 2 * bytes},
            {"launch", "`vecadd<<<blocks, threads>>>(...)`"},
            {"wait", "`cudaDeviceSynchronize`"},
            {"to_host", "`cudaMemcpy(..., cudaMemcpyDeviceToHost)`", bytes},
            {"release", "`cudaFree`, `free`", 3 * bytes}};
}

/// Runs the program's steps on the device at hand and checks the result. On a real device each is timed by the host's
/// clock, after a first run that nobody times.
Result<std::uint64_t> run_program(const Context& context, std::vector<Step>& steps, std::uint32_t n,
                                  record::Record& record) {
    auto kernel = load_kernel(context, "kernels/vecadd/01_plain.cu", "vecadd_plain");
    if (!kernel) return std::move(kernel).error();
    std::vector<float> a(n), b(n), c(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        a[i] = 0.5f * static_cast<float>(i % 1000);
        b[i] = 0.25f * static_cast<float>(i % 777);
    }
    const std::uint64_t bytes = std::uint64_t{n} * sizeof(float);
    for (int pass = 0; pass < (context.real() ? 2 : 1); ++pass) {
        auto begin = std::chrono::steady_clock::now();
        const auto lap = [&](std::size_t step) {
            const auto now = std::chrono::steady_clock::now();
            if (context.real()) steps[step].seconds = std::chrono::duration<double>(now - begin).count();
            begin = now;
        };
        std::vector<device::Address> memory;
        std::optional<Error> error;
        for (int i = 0; i < 3 && !error; ++i) {
            auto address = context.device.allocate(bytes);
            if (!address)
                error = address.error();
            else
                memory.push_back(*address);
        }
        lap(2);
        const auto attempt = [&](Result<void> ok) {
            if (!error && !ok) error = ok.error();
        };
        if (!error) {
            attempt(context.device.write(memory[0], std::as_bytes(std::span(a))));
            attempt(context.device.write(memory[1], std::as_bytes(std::span(b))));
            lap(3);
        }
        if (!error) {
            // The interface launches and waits in one call, so both steps stand in the row of the launch.
            auto launched = launch(context, *kernel, {{(n + 255) / 256, 1, 1}, {256, 1, 1}},
                                   {memory[0], memory[1], memory[2], std::int64_t{n}}, "vecadd");
            lap(4);
            if (launched)
                record = std::move(launched->record);
            else
                error = launched.error();
        }
        if (!error) {
            attempt(context.device.read(std::as_writable_bytes(std::span(c)), memory[2]));
            lap(6);
        }
        for (device::Address address : memory) attempt(context.device.release(address));
        lap(7);
        if (error) return *error;
    }
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i) wrong += c[i] != a[i] + b[i];
    record.verified = wrong == 0;
    record.axes = {{"n", std::int64_t{n}}};
    return wrong;
}

/// What the model says of copies and launch; nothing where it has no figure.
void predict_steps(std::vector<Step>& steps, const arch::DeviceModel& model, const record::Record& record) {
    const auto rate = [](double measured, double sheet) { return measured > 0 ? measured : sheet; };
    const double up = rate(model.ceilings.pageable_to_device, model.links.pcie);
    const double down = rate(model.ceilings.pageable_to_host, model.links.pcie);
    if (up > 0) steps[3].seconds = static_cast<double>(steps[3].bytes) / up;
    if (down > 0) steps[6].seconds = static_cast<double>(steps[6].bytes) / down;
    if (model.launches.round_trip > 0) steps[4].seconds = model.launches.round_trip;
    if (const auto time = seconds_of(record)) steps[5].seconds = time->value;
}

/// The sizes that the text shows, where none are asked for.
void choose_sizes(Choices& choices) {
    if (!choices.sizes.empty()) return;
    if (choices.quick)
        choices.sizes = {{65536}, {1048576}};
    else
        choices.sizes = {{4096}, {65536}, {1048576}, {16777216}};
}

/// Seconds of a program's steps.
struct Spent {
    double copies = 0, kernel = 0, all = 0;
    std::string kind;  ///< what the kernel's time is: "measured", "predicted" or "bound", as in the keys of texts
};

/// The steps as a table and as a timeline of the host, the copies and the kernel.
record::Section steps_section(const Context& context, const std::vector<Step>& steps, std::uint32_t n, Spent& spent) {
    const bool real = context.real();
    const Basis basis = real ? Basis::measured : Basis::predicted;
    record::Section section{message("vecadd.heading.steps"), {record::Paragraph{message("vecadd.text.steps")}}};
    record::Table table{"program-steps",
                        message("vecadd.table.steps", {{"n", count_text(n)}}),
                        {{message("vecadd.column.step")},
                         {message("vecadd.column.what")},
                         {message("vecadd.column.call")},
                         {message("vecadd.column.bytes"), "B", Basis::computed},
                         {message("vecadd.column.time"), "s", basis}},
                        {},
                        message("vecadd.caption." + spent.kind, {{"model", context.model.title}})};
    record::Timeline line{
        "timeline",
        message("vecadd.timeline"),
        "s",
        {{message("vecadd.lane.host"), {}}, {message("vecadd.lane.copies"), {}}, {message("vecadd.lane.kernel"), {}}},
        {},
        basis,
        {}};
    double now = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        const Text what = message(std::string("vecadd.step.") + step.key);
        table.rows.push_back({static_cast<std::int64_t>(i + 1), what, step.calls,
                              step.bytes ? Scalar{static_cast<std::int64_t>(step.bytes)} : Scalar{},
                              step.seconds ? Scalar{*step.seconds} : Scalar{}});
        if (!step.seconds) continue;
        const bool copy = i == 3 || i == 6, compute = real ? i == 4 : i == 5;
        const int lane = copy ? 1 : compute ? 2 : 0;
        line.lanes[static_cast<std::size_t>(lane)].spans.push_back(
            {now, now + *step.seconds, std::to_string(i + 1), lane});
        now += *step.seconds;
        spent.all += *step.seconds;
        if (copy) spent.copies += *step.seconds;
        if (compute) spent.kernel += *step.seconds;
    }
    // On the emulated device the host's steps have no time: no row for them.
    for (int lane = 0; lane < 3; ++lane)
        if (!line.lanes[static_cast<std::size_t>(lane)].spans.empty())
            line.legend.push_back({lane, line.lanes[static_cast<std::size_t>(lane)].name});
    std::erase_if(line.lanes, [](const record::Lane& lane) { return lane.spans.empty(); });
    section.blocks.emplace_back(std::move(table));
    if (spent.all > 0) section.blocks.emplace_back(std::move(line));
    auto example = own_file("examples/vecadd/vecadd.cu");
    if (example) {
        section.blocks.emplace_back(record::Paragraph{message("vecadd.text.program")});
        section.blocks.emplace_back(source_listing(*example, message("vecadd.listing"), "program"));
    }
    return section;
}

/// Whether the sum was right, and how the copies compare with the kernel.
void conclude_steps(std::uint32_t n, std::uint64_t wrong, const Spent& spent, record::Page& page) {
    const double copies = spent.copies, kernel = spent.kernel;
    std::vector<Text> first;
    if (wrong == 0)
        first.push_back(message("vecadd.conclusion.verified", {{"n", count_text(n)}}));
    else
        page.problems.push_back(message("vecadd.problem.wrong", {{"wrong", count_text(wrong)}, {"n", count_text(n)}}));
    if (copies > 0 && kernel > 0)
        first.push_back(message("vecadd.conclusion.copies_" + spent.kind, {{"copies", seconds_text(copies)},
                                                                           {"kernel", seconds_text(kernel)},
                                                                           {"factor", times_text(copies / kernel)}}));
    page.conclusions.insert(page.conclusions.begin(), first.begin(), first.end());
    if (copies > kernel) page.recommendations.push_back(message("vecadd.recommend.stay"));
}

}  // namespace

Result<record::Page> vecadd(const Context& context, const Choices& given) {
    Choices choices = given;
    choose_sizes(choices);
    auto run = run_for_page(context, "vecadd", choices);
    if (!run) return std::move(run).error();
    const std::int64_t most = std::max_element(choices.sizes.begin(), choices.sizes.end())->front();
    const auto n = static_cast<std::uint32_t>(std::clamp<std::int64_t>(most, 1, std::int64_t{1} << 28));
    const std::uint64_t bytes = std::uint64_t{n} * sizeof(float);

    auto made = ladder_page(context, *run, "vecadd", choices);
    if (!made) return std::move(made).error();
    record::Page page = std::move(*made);
    page.title = message("vecadd.title");
    page.purpose = message("vecadd.purpose");
    page.task = message("vecadd.task");
    page.sources = {"003", "000"};

    std::vector<Step> steps = program(bytes);
    record::Record record;
    auto wrong = run_program(context, steps, n, record);
    if (!wrong) return std::move(wrong).error();
    if (!context.real()) predict_steps(steps, context.model, record);
    const auto time = seconds_of(record);
    Spent spent;
    spent.kind = context.real() ? "measured" : time ? time->word() : "bound";
    page.sections.insert(page.sections.begin(), steps_section(context, steps, n, spent));
    conclude_steps(n, *wrong, spent, page);
    record.lines.clear();
    page.records.push_back(std::move(record));
    return page;
}

}  // namespace warpwright::lab::pages

// Translates a ladder's problem into a library's task, verifies the library's result as ours, and tells a library that
// cannot do it (left out) from one that did it wrong (an error).
#include "measure/library_rung.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace warpwright::measure {
namespace {

using ladder::Reference;

std::size_t index_of(const ladder::Ladder& ladder, const std::string& buffer) {
    std::size_t i = 0;
    while (i < ladder.buffers.size() && ladder.buffers[i].name != buffer) ++i;
    return i;
}

/// The rung's work, in the library's terms.
class Task {
public:
    static Result<Task> make(const ladder::Rung& rung, const ladder::Variant& variant, const ladder::Problem& problem,
                             const ladder::Variables& variables) {
        const ladder::Ladder& ladder = problem.ladder();
        const Reference& reference = ladder.reference;
        const auto kind = reference.kind;
        const bool copies = rung.library == "memcpy" && !reference.inputs.empty();
        if (kind != Reference::Kind::matmul && kind != Reference::Kind::transpose && !copies)
            return Error{ErrorKind::limit, "no library is called for this ladder's reference", rung.where,
                         "a library rung goes with matmul, transpose and copy"};
        Task t;
        t.rung_ = &rung;
        t.kind_ = kind;
        for (const std::string& name : reference.inputs) t.inputs_.push_back(index_of(ladder, name));
        t.output_ = index_of(ladder, reference.output);
        std::vector<std::int64_t> sizes;
        for (const ladder::Expression& e : reference.sizes) {
            auto size = e.integer(variables);
            if (!size) return std::move(size).error();
            sizes.push_back(*size);
        }
        const auto type = [&](std::size_t buffer) {
            return std::string(values::element_name(problem.extent(buffer).element));
        };
        if (copies) {
            t.copy_.bytes = std::min(problem.extent(t.inputs_[0]).bytes(), problem.extent(t.output_).bytes());
        } else if (kind == Reference::Kind::matmul) {
            const auto layout = ladder::Layout::of(ladder::word_of(reference.layout, variant));
            t.product_ = {sizes[0],
                          sizes[1],
                          sizes[2],
                          layout.a_transposed,
                          layout.b_transposed,
                          type(t.inputs_[0]),
                          type(t.inputs_[1]),
                          type(t.output_),
                          ladder::word_of(rung.compute_type, variant),
                          reference.sparse};
        } else {
            t.transpose_ = {sizes[0], sizes[1], type(t.inputs_[0])};
        }
        return t;
    }

    /// A copy in a ladder with another result: it measures the memory, and is no solution.
    bool only_copies() const { return rung_->library == "memcpy" && kind_ != Reference::Kind::copy; }
    std::size_t output() const { return output_; }
    std::size_t first_input() const { return inputs_[0]; }
    std::uint64_t copied() const { return copy_.bytes; }

    vendor::Operands operands(const ladder::DeviceBuffers& buffers) const {
        return {buffers[inputs_[0]], inputs_.size() > 1 ? buffers[inputs_[1]] : 0, buffers[output_]};
    }
    Result<vendor::Comparator> comparator(vendor::Library& library, const vendor::Operands& at) const {
        if (rung_->library == "memcpy") return library.copy(copy_, at);
        if (kind_ == Reference::Kind::matmul) return library.product(product_, at);
        return library.transpose(transpose_, at);
    }

private:
    const ladder::Rung* rung_ = nullptr;
    Reference::Kind kind_ = Reference::Kind::none;
    std::vector<std::size_t> inputs_;
    std::size_t output_ = 0;
    vendor::Product product_;
    vendor::Transpose transpose_;
    vendor::Copy copy_;
};

/// True for an error that leaves a rung out instead of failing it: the library is missing, or does not support this.
bool leaves_out(const Error& error) { return error.kind == ErrorKind::no_device || error.kind == ErrorKind::limit; }

Result<void> verify_copy(record::Record& record, const Task& task, const ladder::Problem& problem,
                         std::span<const std::byte> output) {
    auto input = problem.host_buffer(task.first_input());
    if (!input) return std::move(input).error();
    if (std::memcmp(input->bytes.data(), output.data(), task.copied()) != 0)
        return Error{ErrorKind::internal, "the copy is not what was copied", {}, ""};
    record.notes.push_back("a copy, bit by bit its input: the time to move the bytes, not a solution");
    return {};
}

/// The work on every set, as far as there is memory for the library's own data of each.
Result<std::optional<LibraryWork>> work_on(const Task& task, const vendor::Comparator& comparator,
                                           device::ForeignWork first, std::span<const ladder::DeviceBuffers> sets) {
    auto works = std::make_shared<std::vector<device::ForeignWork>>();
    works->push_back(std::move(first));
    for (std::size_t i = 1; i < sets.size(); ++i) {
        auto work = comparator.work(task.operands(sets[i]));
        if (!work && work.error().kind != ErrorKind::limit) return std::move(work).error();
        if (!work) break;
        works->push_back(std::move(*work));
    }
    LibraryWork out;
    out.sets = works->size();
    out.work = {works->front().name, [works]() -> Result<void> {
                    for (const device::ForeignWork& w : *works)
                        if (auto ok = w.enqueue(); !ok) return ok;
                    return {};
                }};
    return std::optional(std::move(out));
}

/// Empty if there is nothing to time.
Result<std::optional<LibraryWork>> run(device::Device& device, vendor::Libraries& libraries, const ladder::Rung& rung,
                                       const ladder::Variant& variant, const ladder::Problem& problem,
                                       std::span<const ladder::DeviceBuffers> sets, std::chrono::milliseconds timeout,
                                       ladder::RungRun& run) {
    using Out = Result<std::optional<LibraryWork>>;
    record::Record& record = run.record;
    auto variables = ladder::variables_of(problem.ladder(), rung, problem.size(), variant);
    if (!variables) return std::move(variables).error();
    const auto leave_out = [&](const Error& error) -> Out {
        if (!leaves_out(error)) return error;
        record.left_out = error.what + (error.hint.empty() ? "" : " (" + error.hint + ")");
        return std::optional<LibraryWork>();
    };
    auto task = Task::make(rung, variant, problem, *variables);
    if (!task) return leave_out(task.error());
    auto library = libraries.get(rung.library);
    if (!library) return leave_out(library.error());
    const vendor::Operands at = task->operands(sets.front());
    auto comparator = task->comparator(**library, at);
    if (!comparator) return leave_out(comparator.error());
    record.title += (record.title.empty() ? "" : ": ") + comparator->library;
    if (!comparator->choice.empty()) record.notes.push_back(comparator->library + ", " + comparator->choice);
    auto work = comparator->work(at);
    if (!work) return leave_out(work.error());

    // The choice of an algorithm ran it: the output is poisoned again before the run that counts.
    if (auto ok = problem.prepare(device, task->output(), at.out); !ok) return ok.error();
    auto queue = device.need(&device::Device::vendor_queue);
    if (!queue) return queue.error();
    auto once = (*queue)->time_work(*work, {1, 1, timeout});
    // A library may refuse a request only when it runs.
    if (!once) return once.error().kind == ErrorKind::limit ? leave_out(once.error()) : Out(once.error());
    std::vector<std::byte> output(problem.extent(task->output()).bytes());
    if (!output.empty())
        if (auto ok = device.read(output, at.out); !ok) return ok.error();
    auto verified = task->only_copies() ? verify_copy(record, *task, problem, output)
                                        : ladder::verify_into(record, problem, rung, *variables, output);
    if (!verified) return verified.error();
    if (record.verified == false) {
        record.notes.push_back("not timed: the result is wrong");
        return std::optional<LibraryWork>();
    }
    return work_on(*task, *comparator, std::move(*work), sets);
}

}  // namespace

std::optional<LibraryWork> verify_library_rung(device::Device& device, vendor::Libraries& libraries,
                                               const ladder::Rung& rung, const ladder::Variant& variant,
                                               const ladder::Problem& problem,
                                               std::span<const ladder::DeviceBuffers> sets,
                                               std::chrono::milliseconds timeout, ladder::RungRun& out) {
    const auto finish = [&](const Error& error) {
        out.record.error = error.text();
        out.problem = error;
        return std::nullopt;
    };
    auto record = ladder::describe(problem.ladder(), rung, variant, problem.size());
    out.record.experiment = problem.ladder().name;
    out.record.rung = rung.name;
    if (!record) return finish(record.error());
    out.record = std::move(*record);
    out.record.device = device.name();
    auto reason = ladder::why_left_out(problem.ladder(), rung, variant, problem.size(), &device.limits());
    if (!reason) return finish(reason.error());
    out.record.left_out = std::move(*reason);
    if (out.record.left_out) return std::nullopt;
    auto work = run(device, libraries, rung, variant, problem, sets, timeout, out);
    if (!work) return finish(work.error());
    return std::move(*work);
}

}  // namespace warpwright::measure

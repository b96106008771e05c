// NCCL performs the exchange between real GPUs; for emulated devices the host adds or copies the data, and the time
// follows from the formula of a ring. Other processes may never join, so connecting has a time limit.
#include "lab/experiments/group.hpp"

#include <algorithm>
#include <cstring>

#include "device/cuda/cuda_device.hpp"
#include "ladder/within.hpp"
#include "support/disk_cache.hpp"

namespace warpwright::lab {
namespace {

constexpr std::chrono::milliseconds kPatience{60'000};  ///< for others to join; a machine's links may be out of order

}  // namespace

bool first_of_processes() { return vendor::Mpi::rank_by_environment() == 0; }

unsigned Group::machine_gpus(const Context& context) {
    if (!context.real() || context.device.limits().language != device::Language::ptx) return 0;
    auto list = device::list_cuda();
    return list ? static_cast<unsigned>(list->size()) : 0;
}

Result<std::unique_ptr<Group>> Group::local(const Context& context, unsigned count, bool multicast) {
    std::unique_ptr<Group> out(new Group);
    out->ranks_ = count;
    const bool real = machine_gpus(context) > 0;
    for (unsigned i = 0; i < count; ++i)
        if (auto ok = out->add_member(context, real ? std::optional(static_cast<int>(i)) : std::nullopt); !ok)
            return ok.error();
    if (auto ok = out->connect(context, multicast); !ok) return ok.error();
    return out;
}

Result<std::unique_ptr<Group>> Group::over(const Context& context, std::shared_ptr<vendor::Mpi> mpi, bool multicast) {
    std::unique_ptr<Group> out(new Group);
    out->ranks_ = mpi->size();
    out->first_ = mpi->rank();
    out->mpi_ = std::move(mpi);
    const unsigned gpus = machine_gpus(context);
    const auto ordinal = gpus > 0 ? std::optional(static_cast<int>(out->mpi_->local_rank() % gpus)) : std::nullopt;
    if (auto ok = out->add_member(context, ordinal); !ok) return ok.error();
    if (auto ok = out->connect(context, multicast); !ok) return ok.error();
    return out;
}

Result<void> Group::add_member(const Context& context, std::optional<int> ordinal) {
    if (!ordinal) {
        auto member = Workbench::emulated(context);
        if (!member) return std::move(member).error();
        members_.push_back(std::move(*member));
        return {};
    }
    device::CudaOptions options;
    options.ordinal = *ordinal;
    options.cache_directory = default_cache_directory();
    auto device = device::make_cuda(options);
    if (!device) return std::move(device).error();
    devices_.push_back(std::move(*device));
    contexts_.push_back(std::make_unique<Context>(
        Context{*devices_.back(), context.model, context.model_fits, context.target, context.options}));
    members_.push_back(Workbench::on(*contexts_.back()));
    return {};
}

Result<void> Group::connect(const Context& context, bool multicast) {
    timeout_ =
        context.options.launch.timeout.count() > 0 ? context.options.launch.timeout : std::chrono::milliseconds(20'000);
    link_ = link_of(context.model, ranks_);
    if (!members_.front().measured() || ranks_ < 2) return {};
    auto nccl = vendor::Nccl::open(LibrarySearch::of_machine(Setting::nccl), multicast);
    if (!nccl) return std::move(nccl).error();
    vendor::Nccl::Id id{};
    if (first_ == 0) {
        auto made = (*nccl)->make_id();
        if (!made) return std::move(made).error();
        id = *made;
    }
    if (mpi_)
        if (auto ok = mpi_->broadcast(std::as_writable_bytes(std::span(id)), 0); !ok) return ok;
    std::vector<device::Device*> devices;
    for (Workbench& m : members_) devices.push_back(&m.device());
    // On another thread, for it waits for the others. Past the time it goes on there: the library must stay.
    std::shared_ptr<vendor::Nccl> shared = std::move(*nccl);
    auto joined = ladder::within<Result<void>>(kPatience, [shared, devices, ranks = ranks_, first = first_, id] {
        return shared->join(devices, ranks, first, id);
    });
    if (!joined) {
        if (context.observer) context.observer->leave();
        new std::shared_ptr<vendor::Nccl>(shared);
        return Error{ErrorKind::fault,
                     shared->title() + ": the devices did not find each other in 60 s",
                     {},
                     "NCCL_DEBUG=INFO says more"};
    }
    if (!*joined) return std::move(*joined);
    nccl_ = std::move(shared);
    return {};
}

std::string Group::exchange() const {
    std::string out = nccl_ ? nccl_->title() : "a ring over modelled links";
    return mpi_ ? out + ", " + std::to_string(ranks_) + " processes of " + mpi_->title() : out;
}

Result<double> Group::timed(std::function<Result<void>()> work, const char* name) {
    device::TimeRequest request;
    request.samples = 5;
    request.repeat = 4;
    request.graph = false;  // it goes into several devices' streams
    request.ahead = true;
    request.timeout = timeout_;
    auto queue = members_.front().device().need(&device::Device::vendor_queue);
    if (!queue) return std::move(queue).error();
    auto times = (*queue)->time_work({name, std::move(work)}, request);
    if (!times) return std::move(times).error();
    // The other members' streams: their end is this one's, but for what is left of it.
    device::TimeRequest empty;
    empty.graph = false;
    empty.timeout = timeout_;
    for (std::size_t i = 1; i < members_.size(); ++i) {
        auto other = members_[i].device().need(&device::Device::vendor_queue);
        if (!other) return std::move(other).error();
        if (auto ok = (*other)->time_work({name, [] { return Result<void>(); }}, empty); !ok)
            return std::move(ok).error();
    }
    return median_of(std::move(*times)) / request.repeat;
}

Result<double> Group::all_reduce(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                                 std::uint64_t count) {
    if (nccl_) return timed([&] { return nccl_->all_reduce(from, to, count); }, "a sum over all devices");
    std::vector<double> sum(count), part(count);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (auto ok = members_[i].device().read(std::as_writable_bytes(std::span(part)), from[i]); !ok)
            return ok.error();
        for (std::size_t k = 0; k < count; ++k) sum[k] += part[k];
    }
    if (mpi_)
        if (auto ok = mpi_->sum(sum); !ok) return ok.error();
    for (std::size_t i = 0; i < members_.size(); ++i)
        if (auto ok = members_[i].device().write(to[i], std::as_bytes(std::span(sum))); !ok) return ok.error();
    return ring_sum_seconds(link_, ranks_, 8.0 * static_cast<double>(count));
}

Result<double> Group::all_gather(const std::vector<device::Address>& from, const std::vector<device::Address>& to,
                                 std::uint64_t count) {
    if (nccl_) return timed([&] { return nccl_->all_gather(from, to, count); }, "a gather from all devices");
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        std::vector<std::byte> part(4 * count);
        if (auto ok = members_[i].device().read(part, from[i]); !ok) return ok.error();
        all.insert(all.end(), part.begin(), part.end());
    }
    if (mpi_) {
        auto gathered = mpi_->gather(all);
        if (!gathered) return std::move(gathered).error();
        all = std::move(*gathered);
    }
    for (std::size_t i = 0; i < members_.size(); ++i)
        if (auto ok = members_[i].device().write(to[i], all); !ok) return ok.error();
    return ring_gather_seconds(link_, ranks_, 4.0 * static_cast<double>(count));
}

Result<double> Group::slowest(double seconds) {
    if (!mpi_) return seconds;
    auto all = mpi_->gather(std::as_bytes(std::span(&seconds, 1)));
    if (!all) return std::move(all).error();
    for (std::size_t i = 0; i < ranks_; ++i) {
        double other = 0;
        std::memcpy(&other, all->data() + 8 * i, 8);
        seconds = std::max(seconds, other);
    }
    return seconds;
}

Result<void> Group::meet() { return mpi_ ? mpi_->barrier() : Result<void>(); }

}  // namespace warpwright::lab

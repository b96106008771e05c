// Links between GPUs: bandwidth and latency of every pair, and a sum and a matrix product over all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/group.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/page/sentence_figures.hpp"
#include "values/contents.hpp"

namespace warpwright::lab {
namespace {

using record::Basis;

constexpr unsigned kGroups = 256, kGroup = 256;

/// Element i of the sum's input, and of both matrices: exact in a float, of either sign.
double element(std::uint64_t i) {
    i = (i + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
    return static_cast<double>(static_cast<std::int64_t>((i >> 40) & 0xFFFF) - 0x8000) / 65536.0;
}

struct Work {
    unsigned devices = 1;
    double kernels = NAN, exchange = NAN;
    bool right = false;
    double seconds() const { return kernels + exchange; }
};

class Links {
public:
    Links(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = page_of("links", {"000"});
        for (const auto& [name, values] : choices_.axes) {
            if (name != "NVLS")
                return Error{ErrorKind::usage,
                             "links has no axis '" + name + "'",
                             {},
                             "its axis: NVLS (1: NCCL may use NVLink multicast)"};
            multicast_ = !values.empty() && values.back() == "1";
        }
        if (vendor::Mpi::started()) {
            auto mpi = vendor::Mpi::open();
            if (!mpi) return std::move(mpi).error();
            mpi_ = std::move(*mpi);
        }
        const unsigned gpus = Group::machine_gpus(context_);
        const unsigned wanted = choices_.devices > 0 ? choices_.devices : gpus > 0 ? gpus : 4;
        if (wanted > 64) return Error{ErrorKind::usage, "at most 64 devices", {}, "--devices 4"};
        const unsigned count = gpus > 0 ? std::min(wanted, gpus) : wanted;
        if (count == 1 && !mpi_)
            page_.sections.push_back({message("links.one.heading"),
                                      {note_of(message("links.one.text", {{"device", context_.device.name()}}))}});
        if (!mpi_ || mpi_->rank() == 0)
            if (auto ok = matrices(count, gpus); !ok) return std::move(ok).error();
        if (auto ok = work(count); !ok) return std::move(ok).error();
        work_section();
        conclude();
        page_.repeat = {fmt::format("warpwright lab links{}",
                                    gpus > 0 ? "" : fmt::format(" --device emulated --devices {}", count)),
                        "mpirun -n 4 warpwright lab links --device emulated"};
        return std::move(page_);
    }

private:
    /// Every pair's bandwidth and latency, of the devices at hand or of modelled ones.
    Result<void> matrices(unsigned count, unsigned gpus) {
        if (count > 1) {
            auto peers = gpus > 0 ? device::make_cuda_peers(count)
                                  : Result<std::unique_ptr<device::Peers>>(device::make_modelled_peers(
                                        count, context_.model.name, link_of(context_.model, count)));
            if (!peers) return std::move(peers).error();
            if (auto ok = matrix(**peers, "", gpus > 0 ? "links.matrix.measured" : "links.matrix.modelled"); !ok)
                return ok.error();
        } else if (gpus > 0) {
            auto model = device::make_modelled_peers(4, context_.model.name, link_of(context_.model, 4));
            if (auto ok = matrix(*model, "model-", "links.matrix.instead"); !ok) return ok.error();
        }
        sheets();
        return {};
    }

    /// The sum and the product over one, two, four ... and all devices; over the processes of an mpirun once.
    Result<void> work(unsigned count) {
        std::vector<unsigned> sizes;
        if (mpi_)
            sizes = {mpi_->size()};
        else
            for (unsigned k = 1; k <= count; k = k < count && 2 * k > count ? count : 2 * k) {
                sizes.push_back(k);
                if (k == count) break;
            }
        for (unsigned k : sizes) {
            if (context_.cancelled()) break;
            auto group = mpi_ ? Group::over(context_, mpi_, multicast_) : Group::local(context_, k, multicast_);
            if (!group) {
                page_.problems.push_back(group.error().text());
                break;
            }
            exchange_ = (*group)->ranks() > 1 ? name_text((*group)->exchange()) : exchange_;
            basis_ = (*group)->basis();
            auto s = sum(**group);
            if (!s) return std::move(s).error();
            sums_.push_back(*s);
            auto p = product(**group);
            if (!p) return std::move(p).error();
            products_.push_back(*p);
            if (k == sizes.back() && (*group)->ranks() > 1)
                if (auto ok = by_size(**group); !ok) return ok.error();
        }
        return {};
    }

    std::chrono::milliseconds timeout() const {
        return context_.options.launch.timeout.count() > 0 ? context_.options.launch.timeout
                                                           : std::chrono::milliseconds(20'000);
    }

    Result<void> matrix(device::Peers& peers, const std::string& prefix, const char* says) {
        record::Section section{message("links.matrix.heading"),
                                {text_of(message(says, {{"devices", static_cast<std::int64_t>(peers.count())},
                                                        {"model", context_.model.title}}))}};
        const Basis basis = peers.measured() ? Basis::measured : Basis::predicted;
        const std::uint64_t large = peers.measured()
                                        ? (choices_.quick ? std::uint64_t{64} << 20 : std::uint64_t{256} << 20)
                                        : std::uint64_t{256} << 20;
        const double rate = context_.model_fits || !peers.measured() ? link_of(context_.model, peers.count()).rate : 0;
        double least = INFINITY, most = 0, most_both = 0;
        bool all_direct = true;
        for (const char* kind : {"one", "both", "latency"}) {
            const bool latency = std::string_view(kind) == "latency", both = std::string_view(kind) == "both";
            record::Table t;
            if (latency && !peers.measured() && link_of(context_.model, peers.count()).latency == 0)
                continue;  // the model has none
            t.id = prefix + kind;
            t.title = message(std::string("links.table.") + kind);
            t.columns.push_back({message("links.column.from")});
            for (unsigned b = 0; b < peers.count(); ++b)
                t.columns.push_back({peers.name(b), latency ? "s" : "B/s", basis, 3, true});
            for (unsigned a = 0; a < peers.count(); ++a) {
                std::vector<record::Scalar> row{peers.name(a)};
                for (unsigned b = 0; b < peers.count(); ++b) {
                    if (context_.cancelled()) return {};
                    device::PeerCopy copy{
                        a, b, latency ? 16 : large, both, peers.measured() ? (latency ? 100u : 4u) : 1u, timeout()};
                    std::vector<double> samples;
                    for (int i = 0; i < (peers.measured() ? 4 : 1); ++i) {
                        auto seconds = peers.copy(copy);
                        if (!seconds) return std::move(seconds).error();
                        if (i > 0 || !peers.measured()) samples.push_back(*seconds);
                    }
                    const double s = median_of(std::move(samples)),
                                 got = static_cast<double>(large) * (both ? 2 : 1) / s;
                    // A device is not linked to itself: a copy of a few bytes within it says nothing of a link.
                    row.push_back(latency && a == b ? record::Scalar{} : number(latency ? s : got));
                    if (a == b) continue;
                    all_direct = all_direct && peers.direct(a, b);
                    if (!latency && !both) least = std::min(least, got), most = std::max(most, got);
                    if (both) most_both = std::max(most_both, got);
                }
                t.rows.push_back(std::move(row));
            }
            t.caption = message(std::string("links.caption.") + kind);
            section.blocks.push_back(std::move(t));
        }
        page_.sections.push_back(std::move(section));
        if (!peers.measured() && !prefix.empty()) return {};
        const bool same = with_prefix(least, "B/s").text == with_prefix(most, "B/s").text;
        page_.conclusions.push_back(
            message(same                 ? "links.conclusion.same"
                    : most / least < 1.2 ? "links.conclusion.alike"
                                         : "links.conclusion.differ",
                    {{"least", with_prefix(least, "B/s")}, {"most", with_prefix(most, "B/s")}}));
        page_.conclusions.push_back(message("links.conclusion.both", {{"times", most_both / most}}));
        if (peers.measured() && rate > 0)
            page_.conclusions.push_back(
                message("links.conclusion.share", {{"share", 100 * most / rate}, {"rate", with_prefix(rate, "B/s")}}));
        if (!all_direct) page_.conclusions.push_back(message("links.conclusion.indirect"));
        return {};
    }

    /// The links of every device model: the text's P100 among them.
    void sheets() {
        record::Table t;
        t.id = "sheets";
        t.title = message("links.sheets.table");
        t.columns = {{message("links.sheets.device")},
                     {message("links.sheets.links"), "", Basis::quoted},
                     {message("links.sheets.link"), "B/s", Basis::quoted},
                     {message("links.sheets.all"), "B/s", Basis::computed},
                     {message("links.sheets.pair4"), "B/s", Basis::computed},
                     {message("links.sheets.pair8"), "B/s", Basis::computed},
                     {message("links.sheets.pcie"), "B/s", Basis::quoted}};
        for (const std::string& name : arch::list_models()) {
            auto model = arch::load_model(name);
            if (!model || model->links.nvlink_links == 0) continue;
            const auto& l = model->links;
            t.rows.push_back({model->title, static_cast<std::int64_t>(l.nvlink_links), l.nvlink_link,
                              l.nvlink_links * l.nvlink_link, number(link_of(*model, 4).rate),
                              number(link_of(*model, 8).rate), number(l.pcie)});
        }
        t.caption = message("links.sheets.caption");
        if (!t.rows.empty())
            page_.sections.push_back(
                {message("links.sheets.heading"), {text_of(message("links.sheets.text")), std::move(t)}});
    }

    /// Seconds of these launches on one member.
    Result<double> time(Workbench& m, const std::vector<device::Step>& steps) {
        double predicted = 0;
        for (const device::Step& s : steps) {
            auto ran = m.run(s);
            if (!ran) return std::move(ran).error();
            predicted += m.predicted_seconds(s, *ran);
        }
        if (!m.measured()) return predicted;
        device::TimeRequest request;
        request.samples = 5;
        request.ahead = true;
        request.graph = false;
        request.timeout = timeout();
        auto timer = m.device().need(&device::Device::timer);
        if (!timer) return std::move(timer).error();
        auto times = (*timer)->time(steps, request);
        if (!times) return std::move(times).error();
        return median_of(std::move(*times));
    }

    /// Elements of the sum: those asked for, or what fills the devices and keeps an emulated one quick.
    std::uint64_t elements_of_sum(const Group& g) const {
        if (!choices_.sizes.empty())
            return static_cast<std::uint64_t>(std::clamp<std::int64_t>(choices_.sizes[0][0], 1, 2147483647));
        return std::uint64_t{1} << (g.measured() ? 27 : choices_.quick ? 18 : 21);
    }

    /// What the sum of n elements is, added by the host.
    void add_on_host(std::uint64_t n) {
        if (elements_ == n) return;
        exact_ = magnitude_ = 0;
        for (std::uint64_t i = 0; i < n; ++i) exact_ += element(i), magnitude_ += std::abs(element(i));
        elements_ = n;
    }

    /// One member's own sum: where it is, where the whole is to be, and what it took.
    struct MemberSum {
        device::Address part, total;
        double seconds;
    };

    Result<MemberSum> member_sum(Workbench& m, std::uint64_t begin, std::uint64_t count) {
        std::vector<double> x(std::max<std::uint64_t>(count, 1));
        for (std::uint64_t i = 0; i < count; ++i) x[i] = element(begin + i);
        auto module = m.load("sum/sum.cu");
        if (!module) return std::move(module).error();
        auto in = m.allocate(8 * x.size()), sums = m.allocate(8 * kGroups), part = m.allocate(8), total = m.allocate(8);
        for (auto* a : {&in, &sums, &part, &total})
            if (!*a) return std::move(*a).error();
        if (auto ok = m.device().write(*in, std::as_bytes(std::span(x))); !ok) return ok.error();
        std::vector<device::Step> steps;
        for (auto& s :
             {m.step(*module, "sum_tree", {{kGroups, 1, 1}, {kGroup, 1, 1}},
                     {*sums, *in, static_cast<std::int32_t>(count)}),
              m.step(*module, "sum_last", {{1, 1, 1}, {kGroups, 1, 1}}, {*part, *sums, std::int32_t{kGroups}})}) {
            if (!s) return s.error();
            steps.push_back(*s);
        }
        auto seconds = time(m, steps);
        if (!seconds) return std::move(seconds).error();
        return MemberSum{*part, *total, *seconds};
    }

    Result<Work> sum(Group& g) {
        const std::uint64_t n = elements_of_sum(g);
        const std::uint64_t each = (n + g.ranks() - 1) / g.ranks();
        Work work{g.ranks(), 0, NAN, false};
        std::vector<device::Address> parts, totals;
        add_on_host(n);
        for (std::size_t k = 0; k < g.members().size(); ++k) {
            const std::uint64_t begin = std::min(n, (g.first() + k) * each), count = std::min(n, begin + each) - begin;
            auto member = member_sum(g.members()[k], begin, count);
            if (!member) return std::move(member).error();
            work.kernels = std::max(work.kernels, member->seconds);
            parts.push_back(member->part);
            totals.push_back(member->total);
        }
        auto slowest = g.slowest(work.kernels);
        if (!slowest) return std::move(slowest).error();
        work.kernels = *slowest;
        auto exchange = g.all_reduce(parts, totals, 1);
        if (!exchange) return std::move(exchange).error();
        work.exchange = *exchange;
        work.right = true;
        for (std::size_t k = 0; k < totals.size(); ++k) {
            double value = 0;
            if (auto ok = g.members()[k].device().read(std::as_writable_bytes(std::span(&value, 1)), totals[k]); !ok)
                return ok.error();
            if (std::abs(value - static_cast<double>(exact_)) <=
                static_cast<double>(n) * 0x1p-53 * static_cast<double>(magnitude_))
                continue;
            work.right = false;
            page_.problems.push_back(
                fmt::format("sum over {} devices: {} and not {}", g.ranks(), value, static_cast<double>(exact_)));
        }
        for (Workbench& m : g.members()) m.release_all();
        return work;
    }

    Result<Work> product(Group& g) {
        const std::uint64_t n = g.measured() ? 4096 : choices_.quick ? 256 : 512;
        const std::uint64_t rows = (n + g.ranks() - 1) / g.ranks();
        Work work{g.ranks(), 0, NAN, false};
        std::vector<device::Address> parts, wholes;
        std::vector<float> b(n * n);
        for (std::uint64_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(element(i + n * n));
        for (std::size_t k = 0; k < g.members().size(); ++k) {
            Workbench& m = g.members()[k];
            const std::uint64_t begin = std::min(n, (g.first() + k) * rows), count = std::min(n, begin + rows) - begin;
            std::vector<float> a(std::max<std::uint64_t>(1, count * n));
            for (std::uint64_t i = 0; i < count * n; ++i) a[i] = static_cast<float>(element(begin * n + i));
            auto module = m.load("links/rows.cu");
            if (!module) return std::move(module).error();
            auto at_a = m.allocate(4 * a.size()), at_b = m.allocate(4 * b.size()), part = m.allocate(4 * rows * n),
                 whole = m.allocate(4 * rows * n * g.ranks());
            for (auto* p : {&at_a, &at_b, &part, &whole})
                if (!*p) return std::move(*p).error();
            if (auto ok = m.device().write(*at_a, std::as_bytes(std::span(a))); !ok) return ok.error();
            if (auto ok = m.device().write(*at_b, std::as_bytes(std::span(b))); !ok) return ok.error();
            if (auto ok = m.device().fill(*part, 0, 4 * rows * n); !ok) return ok.error();
            const auto tiles = [](std::uint64_t v) {
                return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (v + 15) / 16));
            };
            auto step = m.step(*module, "rows_of_product", {{tiles(n), tiles(count), 1}, {16, 16, 1}},
                               {*at_a, *at_b, *part, static_cast<std::int32_t>(count), static_cast<std::int32_t>(n)});
            if (!step) return std::move(step).error();
            auto seconds = time(m, {*step});
            if (!seconds) return std::move(seconds).error();
            work.kernels = std::max(work.kernels, *seconds);
            parts.push_back(*part);
            wholes.push_back(*whole);
        }
        auto slowest = g.slowest(work.kernels);
        if (!slowest) return std::move(slowest).error();
        work.kernels = *slowest;
        auto exchange = g.all_gather(parts, wholes, rows * n);
        if (!exchange) return std::move(exchange).error();
        work.exchange = *exchange;
        // Elements here and there, of the last member's copy of the whole, against double.
        std::vector<float> c(rows * n * g.ranks());
        if (auto ok = g.members().back().device().read(std::as_writable_bytes(std::span(c)), wholes.back()); !ok)
            return ok.error();
        work.right = true;
        for (std::uint64_t i = 0; i < n * n && work.right; i += std::max<std::uint64_t>(1, n * n / 97)) {
            double sum = 0, magnitude = 0;
            for (std::uint64_t k = 0; k < n; ++k) {
                const double p = element(i / n * n + k) * element(n * n + k * n + i % n);
                sum += p;
                magnitude += std::abs(p);
            }
            if (std::abs(static_cast<double>(c[i]) - sum) <= static_cast<double>(n + 1) * 0x1p-24 * magnitude) continue;
            work.right = false;
            page_.problems.push_back(
                fmt::format("product over {} devices: element {} is {} and not {}", g.ranks(), i, c[i], sum));
        }
        matrix_size_ = n;
        for (Workbench& m : g.members()) m.release_all();
        return work;
    }

    /// Sums over all devices by size: what the links give to an exchange.
    Result<void> by_size(Group& g) {
        record::Plot plot;
        plot.id = "sum-by-size";
        plot.title = message("links.plot.title", {{"devices", static_cast<std::int64_t>(g.ranks())}});
        plot.x_label = message("links.plot.bytes");
        plot.y_label = message("links.plot.rate");
        plot.x_unit = "B", plot.y_unit = "B/s";
        plot.x_log = plot.y_log = true;
        record::Series series{exchange_, {}, {}, {}, basis_};
        const int last = g.measured() ? 26 : choices_.quick ? 18 : 22;
        std::vector<device::Address> from, to;
        for (Workbench& m : g.members()) {
            auto a = m.allocate(std::uint64_t{8} << (last - 3)), b = m.allocate(std::uint64_t{8} << (last - 3));
            if (!a) return a.error();
            if (!b) return b.error();
            if (auto ok = m.device().fill(*a, 0, std::uint64_t{8} << (last - 3)); !ok) return ok;
            from.push_back(*a);
            to.push_back(*b);
        }
        for (int e = 10; e <= last; e += 2) {
            const double bytes = std::ldexp(1, e);
            auto seconds = g.all_reduce(from, to, std::uint64_t{1} << (e - 3));
            if (!seconds) return seconds.error();
            if (!(*seconds > 0)) continue;
            series.x.push_back(bytes);
            // What each link carries: a ring sends 2 (N - 1) / N of the bytes over each.
            series.y.push_back(2.0 * (g.ranks() - 1) / g.ranks() * bytes / *seconds);
        }
        plot.series.push_back(std::move(series));
        plot.caption = message("links.plot.caption");
        if (!plot.series[0].x.empty()) plot_ = std::move(plot);
        return {};
    }

    void work_section() {
        if (sums_.empty()) return;
        record::Section section{message("links.work.heading"), {}};
        section.blocks.push_back(text_of(message(sums_.back().devices > 1 ? "links.work.text" : "links.work.alone",
                                                 {{"n", count_text(static_cast<std::uint64_t>(elements_))},
                                                  {"size", static_cast<std::int64_t>(matrix_size_)},
                                                  {"exchange", exchange_}})));
        for (const auto& [id, list] : {std::pair{"sum", &sums_}, std::pair{"product", &products_}}) {
            record::Table t;
            t.id = id;
            t.title = message(std::string("links.work.") + id);
            t.columns = {{message("links.column.devices")},
                         {message("links.column.kernels"), "s", basis_},
                         {message("links.column.exchange"), "s", basis_},
                         {message("links.column.together"), "s", basis_},
                         {message("links.column.speedup"), "", basis_},
                         {message("links.column.right")}};
            for (const Work& w : *list)
                t.rows.push_back({static_cast<std::int64_t>(w.devices), number(w.kernels), number(w.exchange),
                                  number(w.seconds()),
                                  number(list->front().devices == 1 ? list->front().seconds() / w.seconds() : NAN),
                                  message(w.right ? "links.right.yes" : "links.right.no")});
            section.blocks.push_back(std::move(t));
        }
        if (plot_) section.blocks.push_back(std::move(*plot_));
        page_.sections.push_back(std::move(section));
    }

    void conclude() {
        if (sums_.size() > 1 && products_.size() > 1) {
            const auto speedup = [](const std::vector<Work>& l) { return l.front().seconds() / l.back().seconds(); };
            page_.conclusions.push_back(message(
                "links.conclusion.work", {{"devices", static_cast<std::int64_t>(sums_.back().devices)},
                                          {"sum", speedup(sums_)},
                                          {"product", speedup(products_)},
                                          {"share", 100 * products_.back().exchange / products_.back().seconds()}}));
        }
        if (page_.conclusions.empty()) page_.conclusions.push_back(message("links.conclusion.one"));
        page_.recommendations.push_back(message("links.recommendation"));
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::shared_ptr<vendor::Mpi> mpi_;
    bool multicast_ = false;
    std::vector<Work> sums_, products_;
    std::uint64_t elements_ = 0, matrix_size_ = 0;
    long double exact_ = 0, magnitude_ = 0;
    Text exchange_;
    Basis basis_ = Basis::predicted;
    std::optional<record::Plot> plot_;
};

}  // namespace

namespace pages {
Result<record::Page> links(const Context& context, const Choices& choices) { return Links(context, choices).run(); }
}  // namespace pages

}  // namespace warpwright::lab

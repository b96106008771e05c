// Memory is sent in pieces, each only where it differs from what the others have. While a grid is shared one thread
// answers those who ask for blocks. A host from which nothing has come for a while, not even that it is there, is lost.
#include "device/hosts/other_hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "device/hosts/session.hpp"
#include "host/memory.hpp"
#include "support/content_hash.hpp"
#include "support/settings.hpp"

namespace warpwright::device {

namespace {

using Kind = HostMessage::Kind;
using Clock = std::chrono::steady_clock;

/// A number that no other grid of this machine's programs has: an answer that comes late is about no other one.
std::uint64_t fresh_number() {
    static std::atomic<std::uint32_t> last{0};
    return static_cast<std::uint64_t>(::getpid()) << 32 | ++last;
}

/// Memory goes and is compared in pieces of so many bytes.
constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;

class Others final : public engine::OtherHosts {
public:
    Others(std::unique_ptr<HostLink> link, unsigned hosts, const engine::EngineOptions& options,
           std::function<void(const std::string&)> tell)
        : link_(std::move(link)), options_(options), tell_(std::move(tell)) {
        for (unsigned h = 1; h <= hosts; ++h) present_.insert(h);
    }
    ~Others() override {
        stop_ = true;
        if (serving_.joinable()) serving_.join();
    }

    unsigned count() const override {
        const std::lock_guard lock(mutex_);
        return static_cast<unsigned>(present_.size());
    }
    double worth() const override { return worth_; }
    bool begin(const engine::SharedGrid& grid, const engine::DeviceMemory& memory) override;
    std::vector<engine::HostPart> end(const std::function<bool()>& stopped) override;
    void ran(const std::string& kernel, const std::string& why) override {
        (void)link_->send({0, Kind::said, WriteWords().add_text(kernel).add_text(why).take()});
    }

private:
    struct Part {
        engine::HostPart of;
        bool over = false;
        Clock::time_point heard;
    };
    void send_memory(const engine::DeviceMemory& memory);
    void send_piece(std::uint64_t at);
    void serve();
    void take(const HostMessage& m);
    void look_for_lost();
    void lose(unsigned host, const std::string& why);
    bool all_over() const;

    std::unique_ptr<HostLink> link_;
    const engine::EngineOptions options_;
    std::function<void(const std::string&)> tell_;
    const double worth_ = settings::number(Setting::hosts_from, 1);
    const std::chrono::milliseconds patience_{
        static_cast<std::int64_t>(1000 * settings::number(Setting::hosts_patience, 30))};

    mutable std::mutex mutex_;
    std::set<unsigned> present_;
    bool busy_ = false, begun_ = false;
    std::set<std::string> programs_;                         ///< that the others have, by key
    std::unordered_map<std::uint64_t, std::string> pieces_;  ///< what they have of the memory: its hash, by address
    std::uint64_t number_ = 0;                               ///< of the grid
    engine::NextBlocks next_;
    std::map<unsigned, Part> parts_;
    std::atomic<bool> stop_{false}, over_{false};
    std::thread serving_;
};

/// A piece, where it differs from what they have.
void Others::send_piece(std::uint64_t at) {
    const std::string bytes(reinterpret_cast<const char*>(at), kPiece);
    auto hash = content_hash(bytes);
    auto& known = pieces_[at];
    if (known == hash) return;
    known = std::move(hash);
    (void)link_->send({HostMessage::kAll, Kind::pages, WriteWords().add(at).add_text(bytes).take()});
}

void Others::send_memory(const engine::DeviceMemory& memory) {
    for (const auto& a : memory.live()) {
        const auto last = a.address + a.bytes + memory.tail(a.bytes);
        const auto first = memory.base() + (a.address - memory.base()) / kPiece * kPiece;
        const auto own = memory.in_file() ? std::nullopt : host::own_pages(first, last - first);
        // Untouched pages are zeros, which is what everybody begins with.
        std::vector<bool> wanted((last - first + kPiece - 1) / kPiece, !own);
        for (const auto& range : own.value_or(std::vector<host::MemoryRange>{}))
            for (auto k = (range.first - first) / kPiece; first + k * kPiece < std::min(range.last, last); ++k)
                wanted[k] = true;
        for (std::size_t k = 0; k < wanted.size(); ++k)
            if (const auto at = first + k * kPiece; wanted[k] || pieces_.contains(at)) send_piece(at);
    }
}

bool Others::begin(const engine::SharedGrid& grid, const engine::DeviceMemory& memory) {
    {
        const std::lock_guard lock(mutex_);
        if (busy_ || present_.empty()) return false;
        busy_ = true;
    }
    if (!std::exchange(begun_, true))
        (void)link_->send({HostMessage::kAll, Kind::begin, Session::of(options_, memory).words()});
    const auto& p = grid.program;
    if (programs_.insert(p.key).second)
        (void)link_->send({HostMessage::kAll, Kind::program,
                           WriteWords().add_text(p.key).add_text(p.module.name).add_text(p.text).take()});
    send_memory(memory);
    auto words = GridWords::of(grid, memory);
    words.number = number_ = fresh_number();
    next_ = grid.next;
    parts_.clear();
    for (const auto h : present_) {
        parts_[h].of.host = fmt::format("host {}", h);
        parts_[h].heard = Clock::now();
    }
    stop_ = over_ = false;
    (void)link_->send({HostMessage::kAll, Kind::grid, words.words()});
    serving_ = std::thread([this] { serve(); });
    return true;
}

void Others::serve() {
    constexpr std::chrono::milliseconds kLook{50};
    while (!stop_ && !all_over()) {
        if (auto m = link_->receive(kLook))
            take(*m);
        else if (link_->closed())
            while (!present_.empty()) lose(*present_.begin(), "the run's own process that carries messages has ended");
        look_for_lost();
    }
    over_ = true;
}

void Others::take(const HostMessage& m) {
    const auto at = parts_.find(m.host);
    if (at == parts_.end()) return;
    auto& part = at->second;
    part.heard = Clock::now();
    ReadWords r(m.body);
    if (m.kind == Kind::alive || part.over || r.get<std::uint64_t>() != number_) return;
    if (m.kind == Kind::next) {
        const auto range = next_();
        if (range) part.of.ranges.push_back(*range);
        WriteWords w;
        w.add(number_);
        if (range) w.add(*range);
        (void)link_->send({m.host, range ? Kind::range : Kind::none, w.take()});
    } else if (m.kind == Kind::changes) {
        while (!r.ended() && !r.cut()) {
            engine::Change c;
            c.address = r.get<std::uint64_t>();
            c.before = r.all<std::uint8_t>(), c.after = r.all<std::uint8_t>();
            if (!r.cut()) part.of.changes.push_back(std::move(c));
        }
    } else if (m.kind == Kind::counted) {
        if (r.get<bool>()) part.of.done = done_of(r.text());
        part.over = true;
    }
}

void Others::look_for_lost() {
    std::vector<unsigned> silent;
    for (const auto& [h, part] : parts_)
        if (!part.over && Clock::now() - part.heard > patience_) silent.push_back(h);
    for (const auto h : silent)
        lose(h, fmt::format("nothing has come from it for {:g} s", std::chrono::duration<double>(patience_).count()));
}

void Others::lose(unsigned host, const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (!present_.erase(host)) return;
    }
    if (const auto at = parts_.find(host); at != parts_.end()) at->second.over = true, at->second.of.done.reset();
    if (tell_) tell_(fmt::format("host {} is lost: {}; its blocks run here", host, why));
}

bool Others::all_over() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.second.over; });
}

std::vector<engine::HostPart> Others::end(const std::function<bool()>& stopped) {
    constexpr std::chrono::milliseconds kLook{20};
    while (!over_ && !stop_) {
        if (stopped()) stop_ = true;
        std::this_thread::sleep_for(kLook);
    }
    serving_.join();
    if (stop_) (void)link_->send({HostMessage::kAll, Kind::stop, WriteWords().add(number_).take()});
    std::vector<engine::HostPart> out;
    for (auto& [h, part] : parts_) out.push_back(std::move(part.of));
    parts_.clear();
    const std::lock_guard lock(mutex_);
    busy_ = false;
    return out;
}

}  // namespace

Result<std::shared_ptr<engine::OtherHosts>> reach_other_hosts(const std::string& path,
                                                              const engine::EngineOptions& options,
                                                              std::function<void(const std::string&)> tell) {
    constexpr std::chrono::seconds kAnswer{10};
    auto link = HostLink::connect(path);
    if (!link) return link.error();
    const auto first = (*link)->receive(kAnswer);
    if (!first || first->kind != Kind::alive)
        return Error{ErrorKind::no_device, "other hosts cannot be reached: nothing answers", {}, ""};
    ReadWords r(first->body);
    const auto hosts = r.get<std::uint32_t>();
    return std::shared_ptr<engine::OtherHosts>(
        std::make_shared<Others>(std::move(*link), hosts, options, std::move(tell)));
}

}  // namespace warpwright::device

// A sweep over several processes, which are threads here: the same records as of one, told once, by the first.
#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "../ladder/twice.hpp"
#include "arch/model.hpp"
#include "lab/sweep/mpi_sweep.hpp"
#include "vendor/mpi.hpp"

namespace warpwright::lab {
namespace mpi_sweep_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What the processes share.
struct World {
    explicit World(unsigned n) : size(n) {}
    unsigned size;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::pair<unsigned, unsigned>, std::deque<std::vector<std::byte>>> messages;  ///< from, to
    std::vector<std::vector<std::byte>> broadcasts;
    std::vector<std::size_t> seen = std::vector<std::size_t>(8, 0);
};

class FakeMpi final : public vendor::Mpi {
public:
    FakeMpi(std::shared_ptr<World> world, unsigned rank) : world_(std::move(world)), rank_(rank) {}
    unsigned rank() const override { return rank_; }
    unsigned size() const override { return world_->size; }
    std::string title() const override { return "threads"; }
    unsigned local_rank() const override { return rank_; }
    unsigned local_size() const override { return world_->size; }
    Result<void> broadcast(std::span<std::byte> bytes, unsigned from) override {
        std::unique_lock lock(world_->mutex);
        const std::size_t number = world_->seen[rank_]++;
        if (rank_ == from) {
            world_->broadcasts.emplace_back(bytes.begin(), bytes.end());
            world_->changed.notify_all();
            return {};
        }
        world_->changed.wait(lock, [&] { return world_->broadcasts.size() > number; });
        EXPECT_EQ(world_->broadcasts[number].size(), bytes.size());
        std::copy(world_->broadcasts[number].begin(), world_->broadcasts[number].end(), bytes.begin());
        return {};
    }
    Result<void> sum(std::span<double>) override { return {}; }
    Result<std::vector<std::byte>> gather(std::span<const std::byte>) override { return std::vector<std::byte>{}; }
    Result<void> barrier() override { return {}; }
    Result<void> send(std::span<const std::byte> bytes, unsigned to) override {
        std::lock_guard lock(world_->mutex);
        world_->messages[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
        return {};
    }
    Result<std::optional<std::vector<std::byte>>> receive(unsigned from) override {
        std::lock_guard lock(world_->mutex);
        auto& queue = world_->messages[{from, rank_}];
        if (queue.empty()) return std::optional<std::vector<std::byte>>();
        auto out = std::optional(std::move(queue.front()));
        queue.pop_front();
        return out;
    }
    Result<bool> sent() override { return true; }
    void abandon(unsigned) override {}

private:
    std::shared_ptr<World> world_;
    unsigned rank_;
};

using ladder::test::Doubler;

const std::string kLadder = ladder::test::twice(ladder::test::kDoublerRungs + R"toml(
[[rung]]
name = "wide"
source = "twice.ptx"
entry = "right"
axes = { W = [1, 2, 3, 4] }
)toml");

struct Log final : Observer {
    void failed(const Error& e) override { errors.push_back(e.text()); }
    void finished(const record::Record& r) override { records.push_back(r.name()); }
    std::optional<record::Record> stored(const record::Record& wanted) override {
        for (const record::Record& r : kept)
            if (r.rung == wanted.rung && r.axes == wanted.axes && r.device == wanted.device) return r;
        return std::nullopt;
    }
    void ended(std::optional<ErrorKind> f, bool c) override { failure = f, cancelled = c, ++ends; }
    std::vector<std::string> errors, records;
    std::vector<record::Record> kept;
    std::optional<ErrorKind> failure;
    bool cancelled = false;
    unsigned ends = 0;
};

class SpreadTest : public testing::Test {
protected:
    Result<Plan> plan(const std::vector<std::string>& rungs, const std::vector<Size>& sizes) {
        return make_plan(*ladder::read_ladder(folder.string()), rungs, {}, sizes);
    }
    Context context(device::Device& device, Observer& observer, const std::atomic<bool>& cancel) {
        Context c{device, model, true, std::make_shared<Target>()};
        c.observer = &observer;
        c.cancel = &cancel;
        c.options.no_time = true;
        return c;
    }
    /// `ranks` threads, each with a device of its own; the first one's outcome.
    Result<Spread::Outcome> run(unsigned ranks, const std::vector<std::string>& rungs,
                                const std::vector<Size>& sizes = {}) {
        auto world = std::make_shared<World>(ranks);
        logs = std::vector<Log>(ranks);
        devices = std::vector<Doubler>(ranks);
        for (unsigned r = 0; r < ranks; ++r)
            if (after) devices[r].after = [this, r] { after(r); };
        std::vector<std::jthread> others;
        std::vector<std::optional<Result<Spread::Outcome>>> outcomes(ranks);
        const auto work = [&](unsigned r) {
            Spread spread(std::make_shared<FakeMpi>(world, r));
            auto p = plan(rungs, sizes);
            const auto errors = spread.agree({}, "fake", &*p);
            EXPECT_THAT(errors, IsEmpty());
            outcomes[r] = spread.run(context(devices[r], logs[r], cancel), std::move(*p));
        };
        for (unsigned r = 1; r < ranks; ++r) others.emplace_back(work, r);
        work(0);
        others.clear();
        for (unsigned r = 1; r < ranks; ++r) {
            EXPECT_TRUE(outcomes[r]->ok());
            EXPECT_THAT(logs[r].errors, IsEmpty()) << "one tells";
            EXPECT_THAT(logs[r].records, IsEmpty());
        }
        return std::move(*outcomes[0]);
    }
    ladder::test::TwiceFolder folder{kLadder};
    arch::DeviceModel model = *arch::load_model("h200");
    std::vector<Log> logs;
    std::vector<Doubler> devices;
    std::function<void(unsigned)> after;
    std::atomic<bool> cancel = false;
};

std::vector<std::string> names(const record::RecordSet& set) {
    std::vector<std::string> out;
    for (const record::Record& r : set.records) {
        out.push_back(r.rung);
        for (const record::Axis& axis : r.axes) out.back() += " " + axis.text();
        out.back() += r.error ? " error" : r.verified == true ? " right" : " wrong";
    }
    return out;
}

TEST_F(SpreadTest, the_records_are_those_of_one_process) {
    for (const auto& sizes : std::vector<std::vector<Size>>{{}, {{8}, {16}, {24}}}) {
        auto alone = run(1, {"right", "wrong", "wide"}, sizes);
        ASSERT_TRUE(alone.ok()) << alone.error().text();
        for (const unsigned ranks : {2u, 3u, 7u}) {
            auto spread = run(ranks, {"right", "wrong", "wide"}, sizes);
            ASSERT_TRUE(spread.ok()) << spread.error().text();
            EXPECT_EQ(names(spread->set), names(alone->set)) << ranks;
            for (std::size_t i = 0; i < spread->set.records.size(); ++i)
                EXPECT_EQ(spread->set.records[i].counts, alone->set.records[i].counts);
            EXPECT_EQ(spread->failure, ErrorKind::fault) << "the wrong result";
            EXPECT_FALSE(spread->cancelled);
            EXPECT_EQ(spread->set.incomplete, "");
            EXPECT_EQ(logs[0].records.size(), spread->set.records.size()) << "each was told, whoever ran it";
            EXPECT_EQ(logs[0].ends, 1u);
            std::size_t calls = 0, busy = 0;
            for (const Doubler& d : devices) calls += d.calls.size(), busy += !d.calls.empty();
            EXPECT_EQ(calls, spread->set.records.size());
            EXPECT_EQ(busy, std::min<std::size_t>(
                                ranks, sizes.empty() || ranks > 3 ? 6 * std::max<std::size_t>(1, sizes.size()) : 3));
        }
    }
}

TEST_F(SpreadTest, an_error_is_told_once_with_its_rank_and_the_rest_goes_on) {
    auto out = run(2, {"right", "faulty", "wide"});
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(out->set.records.size(), 6u);
    ASSERT_EQ(logs[0].errors.size(), 1u);
    // Steps of one cost go round: the second is the second process'.
    EXPECT_THAT(logs[0].errors[0], HasSubstr("rank 1, rung 'faulty': a fault"));
    EXPECT_EQ(out->failure, ErrorKind::fault);
    EXPECT_THAT(names(out->set), Contains("faulty 8 error"));
}

TEST_F(SpreadTest, what_is_stored_is_run_by_nobody) {
    auto first = run(2, {"right", "wide"});
    ASSERT_TRUE(first.ok());
    const std::vector<record::Record> kept{first->set.records[0], first->set.records[3]};
    // The log of the first process is made anew by run(): the records are there from its start on.
    auto world = std::make_shared<World>(2);
    Log log, silent;
    log.kept = kept;
    Doubler a, b;
    std::optional<Result<Spread::Outcome>> outcome;
    {
        std::jthread other([&] {
            Spread spread(std::make_shared<FakeMpi>(world, 1));
            auto p = plan({"right", "wide"}, {});
            (void)spread.agree({}, "fake", &*p);
            EXPECT_TRUE(spread.run(context(b, silent, cancel), std::move(*p)).ok());
        });
        Spread spread(std::make_shared<FakeMpi>(world, 0));
        auto p = plan({"right", "wide"}, {});
        (void)spread.agree({}, "fake", &*p);
        outcome = spread.run(context(a, log, cancel), std::move(*p));
    }
    ASSERT_TRUE(outcome->ok());
    EXPECT_EQ(names((*outcome)->set), names(first->set));
    EXPECT_EQ(a.calls.size() + b.calls.size(), 3u);
    EXPECT_FALSE(a.calls.empty());
    EXPECT_FALSE(b.calls.empty());
}

TEST_F(SpreadTest, stopped_all_stop_and_what_is_done_is_kept) {
    after = [&](unsigned rank) {
        if (rank == 0) cancel = true;
    };
    auto out = run(2, {"right", "wide"}, {{8}, {16}, {24}, {32}});
    ASSERT_TRUE(out.ok());
    EXPECT_TRUE(out->cancelled);
    EXPECT_LT(out->set.records.size(), 20u);
    EXPECT_GE(out->set.records.size(), 1u);
    EXPECT_THAT(out->set.incomplete, HasSubstr("of 20 steps"));
}

TEST_F(SpreadTest, a_problem_that_cannot_be_made_anywhere_is_the_error) {
    auto none = run(2, {"right", "wide"}, {{5000}});
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(none.error().text(), HasSubstr("5000"));
    auto some = run(2, {"right", "wide"}, {{5000}, {8}});
    ASSERT_TRUE(some.ok());
    EXPECT_EQ(some->set.records.size(), 10u);
    EXPECT_EQ(logs[0].errors.size(), 1u);
}

TEST_F(SpreadTest, all_go_on_only_if_all_are_ready) {
    const auto agree = [&](std::vector<Result<void>> ready, const std::vector<std::string>& rungs_of_last = {"right"},
                           const char* device_of_last = "cuda:1") {
        auto world = std::make_shared<World>(static_cast<unsigned>(ready.size()));
        std::vector<std::vector<Error>> errors(ready.size());
        std::vector<std::jthread> threads;
        for (unsigned r = 0; r < ready.size(); ++r)
            threads.emplace_back([&, r] {
                Spread spread(std::make_shared<FakeMpi>(world, r));
                auto p = plan(r + 1 == ready.size() ? rungs_of_last : std::vector<std::string>{"right"}, {});
                errors[r] =
                    spread.agree(ready[r], r + 1 == ready.size() ? device_of_last : "cuda:0", ready[r] ? &*p : nullptr);
            });
        threads.clear();
        for (std::size_t r = 1; r < ready.size(); ++r) EXPECT_EQ(errors[r].empty(), errors[0].empty());
        std::vector<std::string> out;
        for (const Error& e : errors[0]) out.push_back(e.text());
        return out;
    };
    const Error wrong{ErrorKind::usage, "no such rung", {}, ""}, missing{ErrorKind::no_device, "no driver", {}, ""};
    EXPECT_THAT(agree({Result<void>{}, {}, {}}), IsEmpty());
    EXPECT_THAT(agree({wrong, wrong, wrong}), ElementsAre("error: no such rung")) << "that is the command's";
    EXPECT_THAT(agree({Result<void>{}, missing, {}}), ElementsAre("error: rank 1: no driver"));
    EXPECT_THAT(agree({Result<void>{}, missing, missing}), ElementsAre("error: ranks 1, 2: no driver"));
    EXPECT_THAT(agree({wrong, missing}), ElementsAre("error: rank 0: no such rung", "error: rank 1: no driver"));
    EXPECT_THAT(agree({Result<void>{}, {}}, {"wide"}),
                ElementsAre(HasSubstr("rank 1: its ladder's file is another one")));
    EXPECT_THAT(agree({Result<void>{}, {}}, {"right"}, "emulated"),
                ElementsAre(HasSubstr("rank 1: its device is emulated, and that of rank 0 cuda:0")));
}

TEST_F(SpreadTest, problems_stay_whole_where_there_are_enough_of_them) {
    auto p = plan({"right", "wide"}, {{8}, {16}, {24}, {900}});
    ASSERT_TRUE(p.ok());
    const auto owners = share_out(*p, 2, {});
    for (std::size_t i = 0; i < p->steps.size(); ++i) EXPECT_EQ(owners[i], owners[p->steps[i].problem * 5]);
    // The large one alone outweighs the others together.
    EXPECT_EQ(owners[19], 0u);
    EXPECT_EQ(owners[0], 1u);
    EXPECT_EQ(owners[5], 1u);
    // More processes than problems: single steps.
    auto one = plan({"wide"}, {});
    EXPECT_THAT(share_out(*one, 2, {}), ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(share_out(*one, 2, {true, true, false, false}), ElementsAre(0, 0, 0, 1))
        << "what is taken weighs nothing";
}

}  // namespace mpi_sweep_test
}  // namespace warpwright::lab

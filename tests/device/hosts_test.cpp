// Blocks of a grid on another host, which is a child of this process: a way between them that loses nothing, or that
// falls silent. What is counted and computed is what one host gives.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "device/hosts/link.hpp"
#include "device/hosts/worker.hpp"
#include "machine/trace.hpp"
#include "support.hpp"

namespace hosts_test {

using namespace device_tests;
using testing::HasSubstr;
using warpwright::device::HostLink;
using warpwright::device::HostMessage;

/// A child that runs blocks, and the thread that carries messages to it.
class TwoHosts {
public:
    explicit TwoHosts(const char* patience) {
        ::setenv("WARPWRIGHT_HOSTS_FROM", "0", 1);
        ::setenv("WARPWRIGHT_HOSTS_PATIENCE", patience, 1);
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::close(ends[0]);
            work(ends[1]);
        }
        ::close(ends[1]);
        // (A socket's name is short, and a test's folder is not.)
        path_ = "/tmp/warpwright-hosts-" + std::to_string(::getpid());
        listening_ = warpwright::device::listen_at(path_);
        EXPECT_GE(listening_, 0);
        carrying_ = std::thread([this, there = ends[0]] { carry(there); });
    }
    ~TwoHosts() {
        over_ = true;
        carrying_.join();
        ::close(listening_);
        ::unlink(path_.c_str());
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    std::unique_ptr<warpwright::device::Device> device() {
        warpwright::device::EmulatedOptions options;
        options.threads = 1;
        options.memory = std::uint64_t{1} << 26;
        options.hosts = path_;
        options.tell = [this](const std::string& text) { told += text + "\n"; };
        auto made = warpwright::device::make_emulated(options);
        EXPECT_TRUE(made.ok());
        return std::move(*made);
    }
    void stop() { ::kill(child_, SIGSTOP); }
    unsigned gave() const { return gave_; }
    unsigned ranges() const { return ranges_; }

    std::string told, kernels;
    std::map<std::string, std::string> whole;  ///< why, by kernel
    std::set<std::uint64_t> numbers;           ///< of grids

private:
    [[noreturn]] static void work(int descriptor) {
        HostLink link(descriptor);
        warpwright::device::HostEnds ends;
        ends.take = [&] {
            for (;;) {
                if (auto m = link.receive(std::chrono::seconds(1))) return *m;
                if (link.closed()) return HostMessage{0, HostMessage::Kind::over, ""};
            }
        };
        ends.give = [&](HostMessage m) { (void)link.send(m); };
        ::_exit(warpwright::device::serve_blocks(ends, 1, "") ? 0 : 1);
    }
    void carry(int descriptor) {
        constexpr std::chrono::milliseconds kLook{0};
        HostLink there(descriptor);
        std::unique_ptr<HostLink> here;
        while (!over_) {
            if (here && here->closed()) here.reset();
            if (!here) {
                pollfd one{listening_, POLLIN, 0};
                if (::poll(&one, 1, 10) <= 0) continue;
                here = std::make_unique<HostLink>(::accept(listening_, nullptr, nullptr));
                std::uint32_t others = 1;
                (void)here->send({0, HostMessage::Kind::alive, warpwright::device::WriteWords().add(others).take()});
            }
            auto m = here->receive(kLook);
            if (m && m->kind == HostMessage::Kind::said) note(*m);
            if (m && m->kind != HostMessage::Kind::said) there.post(*m);
            ranges_ += m && m->kind == HostMessage::Kind::range;
            if (m && m->kind == HostMessage::Kind::grid)
                numbers.insert(warpwright::device::ReadWords(m->body).get<std::uint64_t>());
            while (there.flush()) {
            }
            bool moved = m.has_value();
            while (auto back = there.receive(kLook)) {
                gave_ += back->kind == HostMessage::Kind::counted;
                back->host = 1, moved = true;
                (void)here->send(*back);
            }
            if (!moved) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    void note(const HostMessage& m) {
        warpwright::device::ReadWords r(m.body);
        const auto kernel = r.text();
        whole[kernel] = r.text();
    }

    std::string path_;
    pid_t child_ = 0;
    int listening_ = -1;
    std::atomic<bool> over_{false};
    std::atomic<unsigned> gave_{0}, ranges_{0};
    std::thread carrying_;
};

/// out[i] = in[i] + 1, and hits[in[i] % 8] += 1 without looking; a loop makes it last.
const std::string kText = module("u64 out, u64 in, u64 hits", index_into("in") + R"(
ld.global.u32 %r5, [%rd2]; mov.u32 %r6, 0;
L: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3000; @%p1 bra L;
add.u32 %r7, %r5, 1; ld.param.u64 %rd3, [out]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd3, %rd3, %rd4; st.global.u32 [%rd3], %r7;
and.b32 %r8, %r5, 7; ld.param.u64 %rd5, [hits]; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd5, %rd5, %rd6;
red.global.add.u32 [%rd5], 1;)");

struct Outcome {
    std::vector<std::uint32_t> out, hits;
    Counts counts;
    warpwright::record::Touched touched;
    std::vector<std::uint64_t> work;  ///< of each block, for the model of time
};

Outcome run(warpwright::device::Device& device, const std::string& text, unsigned blocks) {
    Outcome o;
    const unsigned n = blocks * 64;
    std::vector<std::uint32_t> in(n);
    for (unsigned i = 0; i < n; ++i) in[i] = i * i + 3;
    std::vector<std::uint32_t> zeros(std::max(n, 8u));
    const auto give = [&](const std::vector<std::uint32_t>& v, std::size_t count) {
        const auto at = device.allocate(count * 4).value();
        EXPECT_TRUE(device.write(at, std::as_bytes(std::span(v.data(), count))).ok());
        return at;
    };
    const auto out = give(zeros, n), from = give(in, n), hits = give(zeros, 8);
    auto loaded = device.load("test.ptx", text);
    EXPECT_TRUE(loaded.ok());
    LaunchConfig config;
    config.grid = {blocks, 1, 1}, config.block = {64, 1, 1};
    LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    options.trace.multiprocessors = 8, options.trace.blocks = 4;
    auto r = device.launch(**loaded, "k", config, parameters(out, from, hits), options);
    EXPECT_TRUE(r.ok()) << r.error().text();
    if (!r) return o;
    o.counts = r->counts->total, o.touched = r->touched;
    EXPECT_NE(r->trace, nullptr);
    if (r->trace)
        for (const auto& w : r->trace->work) o.work.push_back(w.all);
    o.out.resize(n), o.hits.resize(8);
    EXPECT_TRUE(device.read(std::as_writable_bytes(std::span(o.out)), out).ok());
    EXPECT_TRUE(device.read(std::as_writable_bytes(std::span(o.hits)), hits).ok());
    return o;
}

void expect_equal(const Outcome& a, const Outcome& b) {
    EXPECT_EQ(a.out, b.out);
    EXPECT_EQ(a.hits, b.hits);
    EXPECT_EQ(a.counts, b.counts);
    EXPECT_EQ(a.touched.read, b.touched.read);
    EXPECT_EQ(a.touched.written, b.touched.written);
    EXPECT_FALSE(a.work.empty());
    EXPECT_EQ(a.work, b.work);
}

constexpr unsigned kBlocks = 3000;

TEST(Hosts, TwoGiveWhatOneGives) {
    TwoHosts hosts("30");
    const auto device = hosts.device();
    Gpu one;
    const auto alone = run(*one.device, kText, kBlocks);
    // The second time the other one has the code; it may still come when a grid of a moment is over.
    unsigned times = 0;
    for (; times < 2 || (hosts.ranges() == 0 && times < 40); ++times) expect_equal(run(*device, kText, kBlocks), alone);
    EXPECT_EQ(hosts.gave(), times);
    EXPECT_GE(hosts.ranges(), 1u);
    EXPECT_EQ(hosts.told, "");
}

TEST(Hosts, TwoDevicesOneAfterTheOther) {
    TwoHosts hosts("30");
    const auto first = run(*hosts.device(), kText, 300);
    expect_equal(run(*hosts.device(), kText, 300), first);
    EXPECT_EQ(hosts.gave(), 2u);
    EXPECT_EQ(hosts.numbers.size(), 2u) << "what came late of the first one's grid would be taken for the second's";
    EXPECT_EQ(hosts.told, "");
}

TEST(Hosts, WhoCannotHaveTheMemoryAtItsAddressesDoesNothing) {
    TwoHosts hosts("30");
    Gpu one;  // has the place that the other process finds free
    const auto device = hosts.device();
    expect_equal(run(*device, kText, 300), run(*one.device, kText, 300));
    EXPECT_EQ(hosts.ranges(), 0u);
    EXPECT_EQ(hosts.gave(), 1u) << "it has said so";
    EXPECT_EQ(hosts.told, "");
}

TEST(Hosts, WhatDependsOnTheOrderOfBlocksRunsOnOne) {
    TwoHosts hosts("30");
    const auto device = hosts.device();
    auto text = kText;
    text.replace(text.find("red.global.add.u32 [%rd5], 1"), 28,
                 "atom.global.add.u32 %r9, [%rd5], 1; st.global.u32 [%rd3], %r9");
    Gpu one;
    expect_equal(run(*device, text, 200), run(*one.device, text, 200));
    EXPECT_EQ(hosts.gave(), 0u);
}

TEST(Hosts, ASilentOneIsLostAndItsBlocksRunHere) {
    TwoHosts hosts("0.3");
    const auto device = hosts.device();
    Gpu one;
    const auto alone = run(*one.device, kText, kBlocks);
    hosts.stop();
    expect_equal(run(*device, kText, kBlocks), alone);
    EXPECT_THAT(hosts.told, HasSubstr("host 1 is lost: nothing has come from it for 0.3 s; its blocks run here"));
    expect_equal(run(*device, kText, kBlocks), alone);
}

}  // namespace hosts_test

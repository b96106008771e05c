// One message after the other. While a grid's blocks run, only messages about it are taken; any other one means that
// the first host has gone on without this one.
#include "device/hosts/worker.hpp"

#include <map>

#include "device/hosts/mirror.hpp"
#include "device/hosts/session.hpp"

namespace warpwright::device {

namespace {

using Kind = HostMessage::Kind;

class Worker {
public:
    Worker(const HostEnds& ends, unsigned threads, const std::string& cache_directory)
        : ends_(ends), threads_(threads), cache_directory_(cache_directory) {}
    Result<void> serve();

private:
    HostMessage message();
    Result<void> begin(const std::string& words);
    void load(const std::string& words);
    void run(const std::string& words);
    std::optional<engine::BlockRange> ask(std::uint64_t grid);
    Result<engine::Program*> program_of(const GridWords& grid);
    Result<engine::BlocksDone> blocks(const GridWords& grid);
    void give(std::uint64_t grid, const std::vector<engine::Allocation>& memory);

    const HostEnds& ends_;
    unsigned threads_;
    std::string cache_directory_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<Mirror> mirror_;
    struct Text {
        std::string name, ptx;
    };
    std::map<std::string, Text> texts_;  ///< by key
    std::map<std::pair<std::string, std::map<std::string, std::uint64_t>>, std::shared_ptr<engine::Program>> programs_;
    std::optional<HostMessage> back_;  ///< was taken too early
    bool unwanted_ = false;            ///< what this grid's blocks did
};

HostMessage Worker::message() {
    if (!back_) return ends_.take();
    auto m = std::move(*back_);
    back_.reset();
    return m;
}

/// A device that cannot be made here is no reason to end the run: its grids run elsewhere.
Result<void> Worker::serve() {
    Result<void> begun;
    for (auto m = message(); m.kind != Kind::over; m = message()) {
        if (m.kind == Kind::begin) {
            begun = begin(m.body);
            if (!begun) mirror_.reset(), engine_.reset();
        } else if (m.kind == Kind::pages && mirror_) {
            ReadWords r(m.body);
            const auto at = r.get<std::uint64_t>();
            mirror_->put(at, r.all<char>());
        } else if (m.kind == Kind::program) {
            load(m.body);
        } else if (m.kind == Kind::grid && engine_) {
            run(m.body);
        } else if (m.kind == Kind::grid) {
            const auto number = ReadWords(m.body).get<std::uint64_t>();
            ends_.give({0, Kind::counted, WriteWords().add(number).add(false).add_text({}).take()});
        }
    }
    return begun;
}

Result<void> Worker::begin(const std::string& words) {
    const auto session = Session::from(words);
    programs_.clear(), mirror_.reset(), engine_.reset(), texts_.clear();
    auto options = session.options(threads_);
    options.cache_directory = cache_directory_;
    auto made = engine::Engine::create(options);
    if (!made) return made.error();
    engine_ = std::move(*made);
    if (engine_->memory().base() != session.base)
        return Error{ErrorKind::limit, "the device's memory has no place here at the first host's addresses", {}, ""};
    auto mirror = Mirror::over(engine_->memory());
    if (!mirror) return mirror.error();
    mirror_ = std::move(*mirror);
    return {};
}

void Worker::load(const std::string& words) {
    ReadWords r(words);
    const auto key = r.text();
    auto& text = texts_[key];
    text.name = r.text(), text.ptx = r.text();
}

Result<engine::Program*> Worker::program_of(const GridWords& grid) {
    auto& program = programs_[{grid.program, grid.variables}];
    if (program) return program.get();
    const auto& text = texts_[grid.program];
    // Its variables are there with all other memory: as another device's, that are not written again.
    auto loaded = engine_->load(text.name, text.ptx, grid.variables, engine::Owner{0});
    if (!loaded) return loaded.error();
    program = std::move(*loaded);
    return program.get();
}

/// The blocks that come next; none: there are no more, or nobody wants them.
std::optional<engine::BlockRange> Worker::ask(std::uint64_t grid) {
    ends_.give({0, Kind::next, WriteWords().add(grid).take()});
    auto m = message();
    ReadWords r(m.body);
    const bool about = m.kind == Kind::range || m.kind == Kind::none || m.kind == Kind::stop;
    if (about && r.get<std::uint64_t>() == grid && m.kind != Kind::stop) {
        if (m.kind == Kind::none) return std::nullopt;
        return r.get<engine::BlockRange>();
    }
    unwanted_ = true;
    if (!about) back_ = std::move(m);
    return std::nullopt;
}

Result<engine::BlocksDone> Worker::blocks(const GridWords& grid) {
    auto program = program_of(grid);
    if (!program) return program.error();
    const auto& functions = (*program)->module.functions;
    ptx::SymbolId kernel = 0;
    while (kernel < functions.size() && !(functions[kernel].entry && functions[kernel].name == grid.kernel)) ++kernel;
    if (kernel == functions.size()) return Error{ErrorKind::internal, "no kernel '" + grid.kernel + "'", {}, ""};
    engine::LaunchRequest request;
    request.config = grid.config, request.explicit_cluster = grid.explicit_cluster;
    request.parameters = grid.arguments;
    auto& o = request.options;
    o.counters = grid.counters, o.per_line = grid.per_line, o.timeout = std::chrono::milliseconds(grid.timeout);
    o.trace = grid.trace, o.graph = grid.graph, o.device = grid.device;
    return engine_->run_blocks(**program, kernel, request, grid.parameters, [&] { return ask(grid.number); });
}

void Worker::give(std::uint64_t grid, const std::vector<engine::Allocation>& memory) {
    constexpr std::size_t kMessage = std::size_t{1} << 20;
    WriteWords list;
    list.add(grid);
    const auto send = [&] { ends_.give({0, Kind::changes, list.take()}); };
    mirror_->changes(memory, [&](const engine::Change& c) {
        list.add(c.address).add_all(c.before.data(), c.before.size()).add_all(c.after.data(), c.after.size());
        if (list.size() < kMessage) return;
        send();
        list = {};
        list.add(grid);
    });
    send();
}

void Worker::run(const std::string& words) {
    const auto grid = GridWords::from(words);
    engine_->memory().mirror(grid.memory);
    unwanted_ = false;
    auto done = blocks(grid);
    if (!unwanted_) {
        if (done) give(grid.number, grid.memory);
        WriteWords w;
        w.add(grid.number).add(done.ok()).add_text(done ? words_of(*done) : std::string());
        ends_.give({0, Kind::counted, w.take()});
    }
    mirror_->forget();
}

}  // namespace

Result<void> serve_blocks(const HostEnds& ends, unsigned threads, const std::string& cache_directory) {
    return Worker(ends, threads, cache_directory).serve();
}

}  // namespace warpwright::device

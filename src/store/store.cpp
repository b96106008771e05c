// Two tables in SQLite: runs, and their records as JSON. A write-ahead log lets several programs write; a file that is
// damaged is put aside under another name and begun anew, because results are worth less than the work that waits to be
// stored.
#include "store/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "store/own_database.hpp"
#include "support/read_file.hpp"
#include "support/user_folders.hpp"

namespace warpwright::store {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;  ///< of the tables; PRAGMA user_version

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    date TEXT NOT NULL, command TEXT NOT NULL, label TEXT NOT NULL,
    device TEXT NOT NULL, model TEXT NOT NULL, environment TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS records (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    position INTEGER NOT NULL, experiment TEXT NOT NULL, rung TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (run, position)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_experiment ON records(experiment, run);
)";

Error failed(const std::string& file, const std::string& what, const std::string& hint = {}) {
    return Error{ErrorKind::input, what, Location{file, 0, 0}, hint};
}

bool damaged(int code) { return code == SQLITE_CORRUPT || code == SQLITE_NOTADB; }

Error failed(const std::string& file, const SQLite::Exception& e) {
    const int code = e.getErrorCode();
    std::string hint;
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        hint = "is the disk full? --db names another file, --no-db keeps nothing";
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM)
        hint = "--db names another file, --no-db keeps nothing";
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) hint = "another program holds it";
    if (code == SQLITE_INTERRUPT)
        return Error{ErrorKind::limit, "the database of results takes longer to read than it may", Location{file, 0, 0},
                     "--db names another file"};
    if (damaged(code)) hint = "move the file away: a new one is begun";
    return failed(file, std::string("the database of results: ") + e.what(), hint);
}

std::string now() {
    char text[32];
    const std::time_t t = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&t, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// An unused name beside the file.
std::string free_name(const std::string& file) {
    std::error_code ec;
    for (int n = 1;; ++n) {
        std::string name = fmt::format("{}.damaged-{}", file, n);
        if (!fs::exists(name, ec)) return name;
    }
}

bool busy(int code) { return code == SQLITE_BUSY || code == SQLITE_LOCKED; }

/// Waits while another program writes: in growing steps, with a message after a while, and with a limit.
class Patience {
public:
    Patience(std::string file, Waiting tell, WorkLimit& work)
        : file_(std::move(file)), tell_(std::move(tell)), work_(work) {}

    void begin() { since_ = Clock::now(), told_ = false, piece_ = std::chrono::milliseconds(1); }

    /// False when it has waited too long.
    bool wait() {
        const auto waited = Clock::now() - since_;
        if (waited > kLongest) return false;
        if (waited > kFelt && !told_ && tell_)
            told_ = true, tell_("waiting for another program that writes to " + file_);
        const auto before = Clock::now();
        std::this_thread::sleep_for(piece_);
        work_.waited(Clock::now() - before);
        piece_ = std::min(2 * piece_, std::chrono::milliseconds(50));
        return true;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kLongest{120}, kFelt{1};
    std::string file_;
    Waiting tell_;
    WorkLimit& work_;  ///< which does not count it
    Clock::time_point since_ = Clock::now();
    bool told_ = false;
    std::chrono::milliseconds piece_{1};
};

/// Whether all pages are to be read before the database is used. It takes as long as reading the file, so a large one
/// (hundreds of runs) is read only after a program that did not end properly, which leaves its log; what else is wrong
/// with it, SQLite says where it meets it.
bool to_be_checked(const std::string& file) {
    constexpr std::uintmax_t kSoon = 8u << 20;
    std::error_code ec;
    if (const auto size = fs::file_size(file, ec); ec || size <= kSoon) return true;
    const auto log = fs::file_size(file + "-wal", ec);
    return !ec && log > 0;
}

/// `file`: of own_database().
std::unique_ptr<SQLite::Database> connect(const std::string& file, Patience& patience, WorkLimit& work) {
    const bool checked = to_be_checked(file);
    auto db = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 0, files_of(file));
    restrict(db->getHandle());
    work.watch(db->getHandle());
    sqlite3_busy_handler(
        db->getHandle(), [](void* of, int) { return static_cast<Patience*>(of)->wait() ? 1 : 0; }, &patience);
    // A write-ahead log: readers and a writer do not wait for each other, and committed data survives a kill.
    if (SQLite::Statement mode(*db, "PRAGMA journal_mode");
        mode.executeStep() && mode.getColumn(0).getString() != "wal") {
        mode.reset();
        db->exec("PRAGMA journal_mode=WAL");
    }
    db->exec("PRAGMA foreign_keys=ON");
    db->exec("PRAGMA temp_store=MEMORY");
    if (!checked) return db;
    SQLite::Statement check(*db, "PRAGMA quick_check(1)");
    if (check.executeStep() && check.getColumn(0).getString() != "ok")
        throw SQLite::Exception("damaged: " + check.getColumn(0).getString(), SQLITE_CORRUPT);
    return db;
}

/// Makes the tables, unless they exist. Those of a later version are not changed; returns their version.
int make_tables(SQLite::Database& db) {
    const int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version >= kVersion) return version;
    // The lock for writing is taken at once: SQLite cannot wait for one that is requested after reading.
    SQLite::Transaction change(db, SQLite::TransactionBehavior::IMMEDIATE);
    db.exec(kTables);
    db.exec(fmt::format("PRAGMA user_version = {}", kVersion));
    change.commit();
    return kVersion;
}

Run read_run(SQLite::Statement& q) {
    Run r;
    r.id = q.getColumn(0).getInt64();
    r.date = q.getColumn(1).getString();
    r.command = q.getColumn(2).getString();
    r.label = q.getColumn(3).getString();
    r.device = q.getColumn(4).getString();
    r.model = q.getColumn(5).getString();
    r.complete = q.getColumn(6).getInt() != 0;
    r.records = static_cast<std::uint64_t>(q.getColumn(7).getInt64());
    const std::string names = q.getColumn(8).getString();
    for (std::size_t from = 0; from < names.size();) {
        const std::size_t to = std::min(names.find('\n', from), names.size());
        r.experiments.push_back(names.substr(from, to - from));
        from = to + 1;
    }
    return r;
}

constexpr const char* kRunColumns =
    "SELECT id, date, command, label, device, model, complete, (SELECT count(*) FROM records WHERE run = id), "
    "(SELECT coalesce(group_concat(experiment, char(10)), '') FROM (SELECT DISTINCT experiment FROM records WHERE run "
    "= id)) "
    "FROM runs ";

}  // namespace

std::string default_file() {
    const std::string data = user_data_folder();
    return data.empty() ? data : data + "/results.db";
}

struct Store::State {
    State(const std::string& name, std::string own_name, Waiting tell, double seconds)
        : file(name), path(std::move(own_name)), work(seconds), patience(name, std::move(tell), work) {}

    std::string file;  ///< by the user's name for it
    std::string path;  ///< without links
    std::optional<std::string> set_aside;
    WorkLimit work;
    Patience patience;
    std::unique_ptr<SQLite::Database> db;

    /// Runs a whole transaction, again if another program was in the way at a place where SQLite does not wait. Every
    /// exception becomes an Error here.
    template <class F>
    auto patiently(F task) -> decltype(task()) {
        patience.begin();
        work.begin();
        for (;;) {
            try {
                return task();
            } catch (const SQLite::Exception& e) {
                if (busy(e.getErrorCode()) && patience.wait()) continue;
                return failed(file, e);
            } catch (const std::exception& e) {
                return failed(file, std::string("the database of results: ") + e.what());
            }
        }
    }
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::file() const { return state_->file; }
const std::optional<std::string>& Store::set_aside() const { return state_->set_aside; }

namespace {

/// Shared by the processes that open the database, held alone by the one that replaces a damaged file: no other opens
/// the file, its log or the new file meanwhile, and only one of several that find it damaged replaces it. It is held on
/// a file of its own, which stays: other programs lock a folder for reasons of theirs, and SQLite locks the database.
class ReplacementLock {
public:
    explicit ReplacementLock(const std::string& database)
        : descriptor_(::open((database + "-lock").c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                             S_IRUSR | S_IWUSR)) {}
    bool share(Patience& patience) { return lock(LOCK_SH, patience); }
    bool alone(Patience& patience) { return lock(LOCK_EX, patience); }
    ~ReplacementLock() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    ReplacementLock(const ReplacementLock&) = delete;
    ReplacementLock& operator=(const ReplacementLock&) = delete;

private:
    int descriptor_;

    /// False where another program has it for longer than anyone waits. (Where no file can be made, or the file system
    /// has no locks, there is none.)
    bool lock(int how, Patience& patience) {
        patience.begin();
        while (descriptor_ >= 0 && ::flock(descriptor_, how | LOCK_NB) != 0) {
            if (errno == EINTR) continue;
            if (errno != EWOULDBLOCK) return true;
            if (!patience.wait()) return false;
        }
        return true;
    }
};

/// Renames a damaged file and its log; returns the new name.
Result<std::string> put_aside(const std::string& file) {
    const std::string aside = free_name(file);
    std::error_code ec;
    fs::rename(file, aside, ec);
    if (ec) return failed(file, "is damaged and cannot be set aside: " + ec.message());
    // The log belongs to the damaged file: a new database must not find it.
    for (const char* tail : {"-wal", "-shm"})
        if (fs::exists(file + tail, ec)) fs::rename(file + tail, aside + tail, ec);
    return aside;
}

}  // namespace

Result<Store> Store::open(const std::string& file, Waiting tell, double seconds) {
    if (file.empty())
        return failed("results", "there is no home folder to keep results in",
                      "--db names a file, --no-db keeps nothing");
    std::error_code ec;
    if (const auto kind = fs::status(file, ec).type();
        kind != fs::file_type::not_found && kind != fs::file_type::regular && kind != fs::file_type::none)
        return failed(file, "is not a regular file", "--db names another file");
    ec.clear();
    if (const fs::path folder = fs::path(file).parent_path(); !folder.empty()) fs::create_directories(folder, ec);
    if (ec)
        return failed(file, "its folder cannot be made: " + ec.message(),
                      "--db names another file, --no-db keeps nothing");
    auto own = own_database(file);
    if (!own) return std::move(own).error();
    auto state = std::make_unique<State>(file, std::move(*own), std::move(tell), seconds);
    ReplacementLock lock(state->path);
    const auto held = [&] { return failed(file, "another program replaces it, or opens it", "end that program"); };
    if (!lock.share(state->patience)) return held();
    // Damaged, and still damaged when no other process can have replaced it: then a new one is made.
    for (int attempt = 0;; ++attempt) {
        if (auto ok = own_database_files(file, state->path); !ok) return std::move(ok).error();
        bool broken = false;
        const Result<int> version = state->patiently([&]() -> Result<int> {
            try {
                state->db = connect(state->path, state->patience, state->work);
                const int made = make_tables(*state->db);
                if (made <= kVersion)
                    if (const auto odd = foreign_schema(state->db->getHandle()))
                        return failed(file, "is no database of results: " + *odd + " is in it",
                                      "results of others come as JSON (`warpwright report FILE`)");
                return made;
            } catch (const SQLite::Exception& e) {
                state->db.reset();
                broken = damaged(e.getErrorCode());
                throw;
            }
        });
        if (version && *version > kVersion)
            return failed(file,
                          fmt::format("was written by a later Warpwright (its tables are of version {})", *version),
                          "--db names another file");
        if (version) return Store(std::move(state));
        if (attempt == 2 || !broken) return version.error();
        if (attempt == 0) {
            if (!lock.alone(state->patience)) return held();
            continue;
        }
        // A link may lead anywhere, to a file that was never a database.
        if (fs::is_symlink(file, ec))
            return failed(file,
                          "leads to a file that is damaged, or no database: a file behind a link is not set aside",
                          "--db names another file");
        auto aside = put_aside(file);
        if (!aside) return std::move(aside).error();
        state->set_aside = std::move(*aside);
    }
}

Result<std::int64_t> Store::begin(const std::string& command, const std::string& label,
                                  const record::Environment& environment) {
    return state_->patiently([&]() -> Result<std::int64_t> {
        SQLite::Statement q(
            *state_->db,
            "INSERT INTO runs (date, command, label, device, model, environment) VALUES (?, ?, ?, ?, ?, ?)");
        q.bind(1, now());
        q.bind(2, command);
        q.bind(3, label);
        q.bind(4, environment.device);
        q.bind(5, environment.model);
        q.bind(6, record::to_json(environment));
        q.exec();
        return static_cast<std::int64_t>(state_->db->getLastInsertRowid());
    });
}

namespace {

void insert(SQLite::Database& db, std::int64_t run, const record::Record& record, const std::string& text) {
    SQLite::Statement q(db,
                        "INSERT INTO records (run, position, experiment, rung, record) VALUES "
                        "(?1, (SELECT coalesce(max(position) + 1, 0) FROM records WHERE run = ?1), ?2, ?3, ?4)");
    q.bind(1, run);
    q.bind(2, record.experiment);
    q.bind(3, record.name());
    q.bind(4, text);
    q.exec();
}

}  // namespace

Result<void> Store::add(std::int64_t run, const record::Record& record) {
    return state_->patiently([&]() -> Result<void> {
        insert(*state_->db, run, record, record::to_json(record));
        return {};
    });
}

Result<void> Store::settle(std::int64_t run, const record::RecordSet& set, bool complete) {
    return settle_all(run, RunData{set}, complete);
}

Result<void> Store::settle_all(std::int64_t run, const RunData& data, bool complete) {
    const record::RecordSet& set = data.set;
    return state_->patiently([&]() -> Result<void> {
        SQLite::Transaction change(*state_->db, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement clear(*state_->db, "DELETE FROM records WHERE run = ?");
        clear.bind(1, run);
        clear.exec();
        for (std::size_t k = 0; k < set.records.size(); ++k)
            insert(*state_->db, run, set.records[k], record_text(data, k));
        SQLite::Statement end(*state_->db,
                              "UPDATE runs SET environment = ?, device = ?, model = ?, complete = ? WHERE id = ?");
        end.bind(1, record::to_json(set.environment));
        end.bind(2, set.environment.device);
        end.bind(3, set.environment.model);
        end.bind(4, complete ? 1 : 0);
        end.bind(5, run);
        end.exec();
        change.commit();
        return {};
    });
}

Result<std::vector<Run>> Store::runs(const std::string& experiment, std::uint64_t limit) const {
    return state_->patiently([&]() -> Result<std::vector<Run>> {
        SQLite::Statement q(*state_->db,
                            std::string(kRunColumns) +
                                "WHERE ?1 = '' OR EXISTS (SELECT 1 FROM records WHERE run = id AND experiment = ?1) "
                                "ORDER BY id DESC LIMIT ?2");
        q.bind(1, experiment);
        q.bind(2, limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
        std::vector<Run> out;
        while (q.executeStep()) out.push_back(read_run(q));
        return out;
    });
}

Result<Run> Store::find(const std::string& name, const std::string& experiment) const {
    auto all = runs(experiment);
    if (!all) return std::move(all).error();
    std::int64_t number = 0;
    const auto whole = [&](std::string_view text) {
        auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        return !text.empty() && problem == std::errc{} && end == text.data() + text.size();
    };
    if (name == "last" && !all->empty()) return all->front();
    if (name.starts_with("last~") && whole(std::string_view(name).substr(5)) && number >= 0 &&
        static_cast<std::uint64_t>(number) < all->size())
        return (*all)[static_cast<std::size_t>(number)];
    for (const Run& run : *all)
        if (!run.label.empty() && run.label == name) return run;
    if (whole(name))
        for (const Run& run : *all)
            if (run.id == number) return run;
    const std::string of = experiment.empty() ? "" : " of '" + experiment + "'";
    return Error{ErrorKind::usage, "there is no stored run '" + name + "'" + of, Location{state_->file, 0, 0},
                 all->empty() ? "nothing is stored yet"
                              : fmt::format("{} runs are stored; `warpwright history` lists them", all->size())};
}

Result<record::RecordSet> Store::load(std::int64_t run) const {
    auto all = load_all(run);
    if (!all) return std::move(all).error();
    return std::move(all->set);
}

Result<RunData> Store::load_all(std::int64_t run) const {
    return state_->patiently([&]() -> Result<RunData> {
        RunData out;
        SQLite::Statement e(*state_->db, "SELECT environment FROM runs WHERE id = ?");
        e.bind(1, run);
        if (!e.executeStep()) return failed(state_->file, fmt::format("there is no run {}", run));
        std::string text = fmt::format("{{\"schema\": {}, \"environment\": {}, \"records\": [", record::kSchema,
                                       e.getColumn(0).getString());
        SQLite::Statement q(*state_->db, "SELECT record FROM records WHERE run = ? ORDER BY position");
        q.bind(1, run);
        for (bool first = true; q.executeStep(); first = false) {
            const std::string one = q.getColumn(0).getString();
            take_of_program(one, out);
            text += (first ? "" : ",\n") + one;
            if (text.size() > file_limit::records)
                return failed(state_->file, fmt::format("run {} is larger than 1 GiB", run));
        }
        auto set = record::from_json(text + "]}", fmt::format("{}, run {}", state_->file, run));
        if (!set) return std::move(set).error();
        out.set = std::move(*set);
        return out;
    });
}

Result<void> Store::remove(std::int64_t run) {
    return state_->patiently([&]() -> Result<void> {
        SQLite::Statement q(*state_->db, "DELETE FROM runs WHERE id = ?");
        q.bind(1, run);
        if (q.exec() == 0) return failed(state_->file, fmt::format("there is no run {}", run));
        return {};
    });
}

}  // namespace warpwright::store

// SQLite gets a file system layer that opens and deletes only known names, so that a prepared journal reaches no other
// file. A schema with anything but our own tables and index is refused, and limits and a handler bound the work.
#include "store/own_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

#include "support/own_file.hpp"
#include "support/read_file.hpp"

namespace warpwright::store {
namespace {

namespace fs = std::filesystem;

/// Of the names of the database itself and of the files beside it.
constexpr std::array<std::string_view, 4> kTails{"", "-journal", "-wal", "-shm"};
constexpr int kMostCellBytes = 64 << 20;

Error problem(const std::string& file, std::string what, std::string hint = "--db names another file") {
    return Error{ErrorKind::input, std::move(what), Location{file, 0, 0}, std::move(hint)};
}

/// Regular, this user's and of a size that is read in a moment, if it exists.
Result<void> own_and_regular(const std::string& file) {
    struct stat info{};
    if (::lstat(file.c_str(), &info) != 0) return {};
    if (auto wrong = not_own(file)) return std::move(*wrong);
    if (!S_ISREG(info.st_mode)) return problem(file, "is not a regular file");
    if (static_cast<std::uint64_t>(info.st_size) > file_limit::program)
        return problem(file, "is larger than 4 GiB, the most that is taken of such a file");
    return {};
}

/// Of a file that is no link itself only the folder is looked up: another process may set the file aside meanwhile.
fs::path without_links(const std::string& file, std::error_code& ec) {
    const fs::path whole = fs::absolute(file, ec);
    if (ec) return whole;
    if (fs::is_symlink(fs::symlink_status(whole, ec)) || !whole.has_filename()) return fs::weakly_canonical(whole, ec);
    ec.clear();
    return fs::weakly_canonical(whole.parent_path(), ec) / whole.filename();
}

/// The databases of this process, by their names without links.
struct Known {
    std::mutex mutex;
    std::set<std::string, std::less<>> files;

    bool has(const char* path) {
        std::string_view name = path;
        const std::lock_guard lock(mutex);
        for (const std::string_view tail : kTails)
            if (name.ends_with(tail) && files.contains(name.substr(0, name.size() - tail.size()))) return true;
        return false;
    }
};
Known& known() {
    static auto* all = new Known;
    return *all;
}

sqlite3_vfs* system_files() { return ::sqlite3_vfs_find(nullptr); }

int open_sibling(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
    file->pMethods = nullptr;
    if (name && ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0 || !known().has(name))) return SQLITE_CANTOPEN;
    auto* base = system_files();
    return base->xOpen(base, name, file, flags, given);
}

int delete_sibling(sqlite3_vfs*, const char* name, int sync) {
    if (!known().has(name)) return SQLITE_IOERR_DELETE;
    auto* base = system_files();
    return base->xDelete(base, name, sync);
}

/// Another file is not there: a journal that names one is no journal then.
int look_at_sibling(sqlite3_vfs*, const char* name, int flags, int* yes) {
    *yes = 0;
    if (!known().has(name)) return SQLITE_OK;
    auto* base = system_files();
    return base->xAccess(base, name, flags, yes);
}

const char* registered() {
    static const char* name = [] {
        static sqlite3_vfs own = *system_files();
        own.zName = "warpwright-store";
        own.pNext = nullptr;
        own.xOpen = open_sibling;
        own.xDelete = delete_sibling;
        own.xAccess = look_at_sibling;
        return ::sqlite3_vfs_register(&own, 0) == SQLITE_OK ? own.zName : nullptr;
    }();
    return name;
}

}  // namespace

Result<std::string> own_database(const std::string& file) {
    std::error_code ec;
    const fs::path whole = without_links(file, ec);
    if (ec) return problem(file, "cannot be found: " + ec.message());
    if (auto wrong = not_own(whole.parent_path().string())) return std::move(*wrong);
    return whole.string();
}

Result<void> own_database_files(const std::string& file, const std::string& name) {
    for (const std::string_view tail : kTails)
        if (auto ok = own_and_regular(name + std::string(tail)); !ok) {
            Error error = std::move(ok).error();
            if (error.where.file == name) error.where.file = file;  // the user's name for it
            return error;
        }
    return {};
}

const char* files_of(const std::string& file) {
    auto& all = known();
    {
        const std::lock_guard lock(all.mutex);
        all.files.insert(file);
    }
    return registered();
}

void restrict(sqlite3* database) {
    constexpr std::pair<int, int> switches[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                                {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                                {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                                {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                                {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
    for (const auto& [what, on] : switches) (void)::sqlite3_db_config(database, what, on, nullptr);
    constexpr std::pair<int, int> limits[] = {
        {SQLITE_LIMIT_LENGTH, kMostCellBytes}, {SQLITE_LIMIT_SQL_LENGTH, 1 << 16}, {SQLITE_LIMIT_COLUMN, 100},
        {SQLITE_LIMIT_EXPR_DEPTH, 50},         {SQLITE_LIMIT_COMPOUND_SELECT, 10}, {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},       {SQLITE_LIMIT_WORKER_THREADS, 0},   {SQLITE_LIMIT_VDBE_OP, 100000}};
    for (const auto& [what, most] : limits) (void)::sqlite3_limit(database, what, most);
}

std::optional<std::string> foreign_schema(sqlite3* database) {
    const auto text = [](sqlite3_stmt* row, int column) {
        const auto* value = reinterpret_cast<const char*>(::sqlite3_column_text(row, column));
        return std::string(value ? value : "");
    };
    const auto each = [&](const char* words, const auto& look) -> std::optional<std::string> {
        sqlite3_stmt* rows = nullptr;
        std::optional<std::string> found;
        int code = ::sqlite3_prepare_v2(database, words, -1, &rows, nullptr);
        while (code == SQLITE_OK || code == SQLITE_ROW) {
            code = ::sqlite3_step(rows);
            if (code == SQLITE_ROW && (found = look(rows))) break;
        }
        ::sqlite3_finalize(rows);
        if (!found && code != SQLITE_DONE) throw SQLite::Exception(database, code);
        return found;
    };
    auto odd = each("SELECT type, name FROM sqlite_schema", [&](sqlite3_stmt* row) -> std::optional<std::string> {
        const std::string type = text(row, 0), name = text(row, 1);
        const bool table = type == "table" && (name == "runs" || name == "records");
        const bool index = type == "index" && name == "records_experiment";
        if (table || index || ((type == "table" || type == "index") && name.starts_with("sqlite_")))
            return std::nullopt;
        return "the " + type + " '" + name + "'";
    });
    for (const char* table : {"PRAGMA table_xinfo(runs)", "PRAGMA table_xinfo(records)"})
        if (!odd)
            odd = each(table, [&](sqlite3_stmt* row) -> std::optional<std::string> {
                constexpr int kName = 1, kHidden = 6;
                if (::sqlite3_column_int(row, kHidden) == 0) return std::nullopt;
                return "the computed column '" + text(row, kName) + "'";
            });
    return odd;
}

WorkLimit::WorkLimit(double seconds) : seconds_(seconds) { begin(); }

void WorkLimit::begin() {
    using Clock = std::chrono::steady_clock;
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
}

void WorkLimit::watch(sqlite3* database) {
    constexpr int kSteps = 10000;  // of SQLite's machine between two looks at the clock
    ::sqlite3_progress_handler(
        database, kSteps,
        [](void* of) { return std::chrono::steady_clock::now() > static_cast<WorkLimit*>(of)->end_ ? 1 : 0; }, this);
}

}  // namespace warpwright::store

// What a database file may do to us. SQLite trusts the files beside a database and the schema in it: a journal may name
// any file to be removed, a view or a trigger may compute for ever. A store is opened only if it is this user's own,
// SQLite reaches no file but the database and those that belong to it, and its work has limits.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/result.hpp"

struct sqlite3;

namespace warpwright::store {

/// The database's name without links, after a look at its folder: it belongs to this user and nobody else can write to
/// it. Errors, at the file: input.
Result<std::string> own_database(const std::string& file);

/// Whether the database and the files that SQLite keeps beside it are this user's too: each that exists belongs to this
/// user, nobody else can write to it, and it is a regular file of less than 4 GiB. `name`: of own_database(file).
/// Errors, at the file: input.
Result<void> own_database_files(const std::string& file, const std::string& name);

/// SQLite's name for the files of this database alone (a VFS): the database, its journal, its log, and temporary files
/// without a name. `file`: of own_database().
const char* files_of(const std::string& file);

/// Limits of lengths, no views, no triggers, no functions by the schema's words.
void restrict(sqlite3* database);

/// What no store of ours has in its schema: views, triggers, other tables, computed columns. Nothing: it is one of
/// ours. SQLite's exceptions pass through.
std::optional<std::string> foreign_schema(sqlite3* database);

/// The time that SQLite may work in one call of ours, without the time that it waits for other programs.
class WorkLimit {
public:
    explicit WorkLimit(double seconds);
    WorkLimit(const WorkLimit&) = delete;
    WorkLimit& operator=(const WorkLimit&) = delete;
    /// From now on the database's work counts.
    void watch(sqlite3* database);
    void begin();
    void waited(std::chrono::steady_clock::duration time) { end_ += time; }
    double seconds() const { return seconds_; }

private:
    double seconds_;
    std::chrono::steady_clock::time_point end_;
};

}  // namespace warpwright::store

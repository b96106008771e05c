// Any bytes as a database of results, and what follows the mark as the journal beside it: an error, or a store whose
// runs can be listed and read. What is damaged is set aside, and a new store begun, which then takes a run.
// Run: ww_fuzz_store tests/fuzz/corpus/store
#include <filesystem>
#include <fstream>

#include "fuzz_target.hpp"
#include "store/store.hpp"
#include "support/temporary_folder.hpp"

using namespace warpwright;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "//----journal\n";

/// Of one process; emptied for each input. (The temporary folder itself is locked, which a damaged store waits for.)
const std::string& folder() {
    static const TemporaryFolder all("fuzz-store");
    static const std::string inner = all.path() + "/data";
    static const bool made = fs::create_directory(inner);
    if (!made) fuzz::complain("there is no temporary folder");
    return inner;
}

void write(const std::string& name, std::string_view bytes) {
    std::ofstream(folder() + "/" + name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

FUZZ_TARGET(store) {
    for (const auto& e : fs::directory_iterator(folder()))
        if (e.path().filename().string().starts_with("results")) fs::remove_all(e.path());
    const auto mark = text.find(kMark);
    write("results.db", text.substr(0, mark));
    if (mark != std::string_view::npos) write("results.db-journal", text.substr(mark + kMark.size()));
    constexpr double kSeconds = 5;
    auto opened = store::Store::open(folder() + "/results.db", {}, kSeconds);
    if (!opened) return fuzz::check(opened.error());
    auto runs = opened->runs();
    if (!runs) return fuzz::check(runs.error());
    for (const auto& run : *runs)
        if (auto read = opened->load_all(run.id); !read) fuzz::check(read.error());
    if (auto last = opened->find("last~1"); !last) fuzz::check(last.error());
    if (auto begun = opened->begin("fuzz", "", {}); !begun) {
        fuzz::check(begun.error());
    } else {
        auto gone = opened->remove(*begun);
        if (!gone) fuzz::check(gone.error());
    }
}

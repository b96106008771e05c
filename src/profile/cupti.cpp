// Candidates are tried in order, and one that lacks a required function is passed over with a reason. The error lists
// all reasons, because several versions may be installed.
#include "profile/cupti.hpp"
#include "support/settings.hpp"

namespace warpwright::cupti {

int release_of(std::uint32_t version) {
    if (version >= 130000) return static_cast<int>(version / 10000 * 1000 + version / 100 % 100 * 10);
    // Up to CUDA 12 the number was a plain counter.
    static constexpr struct {
        std::uint32_t version;
        int release;
    } known[] = {{28, 12090}, {27, 12090}, {26, 12080}, {25, 12070}, {24, 12060}, {23, 12050},
                 {22, 12040}, {21, 12030}, {20, 12020}, {19, 12000}, {18, 11080}, {17, 11070},
                 {16, 11050}, {15, 11020}, {14, 11010}, {13, 11000}};
    for (const auto& k : known)
        if (version >= k.version) return k.release;
    return 10000;
}

std::string Library::title() const {
    const int r = release_of(version);
    return "CUPTI " + std::to_string(r / 1000) + "." + std::to_string(r % 1000 / 10);
}

std::string Library::text(Code code) const {
    const char* words = nullptr;
    if (table.result_text && table.result_text(code, &words) == code::success && words) return words;
    return "error " + std::to_string(code);
}

Result<Library> open_cupti(int driver_version, const LibrarySearch& search) {
    const LibraryName name{"libcupti", "cuda_cupti", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}};
    std::string passed;
    for (const std::string& file : library_candidates(search, name)) {
        auto library = SharedLibrary::open(file);
        if (!library) {
            if (search.own) passed = library.error().what;
            continue;
        }
        Library out;
        out.path = library->path();
        std::string missing;
#define WARPWRIGHT_CUPTI_LOAD(member, symbol, ...) \
    if (!library->get(out.table.member, symbol) && missing.empty()) missing = symbol;
        WARPWRIGHT_CUPTI_ENTRY_POINTS(WARPWRIGHT_CUPTI_LOAD)
#undef WARPWRIGHT_CUPTI_LOAD
#define WARPWRIGHT_CUPTI_LOAD(member, symbol, ...) library->get(out.table.member, symbol);
        WARPWRIGHT_CUPTI_OPTIONAL_ENTRY_POINTS(WARPWRIGHT_CUPTI_LOAD)
#undef WARPWRIGHT_CUPTI_LOAD
        if (!missing.empty()) {
            passed = out.path + " is too old: it lacks " + missing;
            continue;
        }
        out.table.version(&out.version);
        if (driver_version && release_of(out.version) / 1000 > driver_version / 1000) {
            passed = out.path + " (" + out.title() + ") is newer than the driver";
            continue;
        }
        new SharedLibrary(*library);  // kept: callbacks come until the process has ended
        return out;
    }
    Error error{ErrorKind::no_device,
                "",
                {},
                "pip install nvidia-cuda-cupti, or set " + std::string(settings::variable(Setting::cupti)) +
                    " to the library or its folder"};
    error.what =
        passed.empty()
            ? "CUPTI was not found: no libcupti.so in NVIDIA's Python wheels, CUDA toolkits or the loader's folders"
            : "CUPTI does not start: " + passed;
    return error;
}

Result<Library> open_cupti(int driver_version) {
    auto search = LibrarySearch::of_machine(Setting::cupti);
    // Toolkits keep it in a separate folder as well.
    const auto toolkits = search.toolkits;
    for (const auto& t : toolkits) search.toolkits.push_back(t + "/extras/CUPTI");
    return open_cupti(driver_version, search);
}

}  // namespace warpwright::cupti

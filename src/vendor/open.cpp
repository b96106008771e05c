// Tries the candidates of a library in turn: it must open, have all functions, and start. The error says why the last
// one was passed over, and what to install.
#include "vendor/open.hpp"
#include "support/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::vendor {

Result<SharedLibrary> open_library(const Wanted& wanted, const LibrarySearch& search,
                                   const std::function<std::string(const SharedLibrary&)>& load,
                                   const std::function<std::string()>& start) {
    std::string passed;
    for (const std::string& file : library_candidates(search, wanted.name)) {
        auto library = SharedLibrary::open(file);
        if (!library) {
            if (search.own) passed = library.error().what;
            continue;
        }
        if (std::string missing = load(*library); !missing.empty()) {
            passed = fmt::format("{} is too old: it lacks {}", library->path(), missing);
            continue;
        }
        if (std::string why = start(); !why.empty()) {
            passed = fmt::format("{}: {}", library->path(), why);
            continue;
        }
        return std::move(*library);
    }
    Error error{ErrorKind::no_device, "", {}, ""};
    error.what = passed.empty() ? fmt::format(
                                      "{} was not found: no {}.so in NVIDIA's Python wheels, CUDA toolkits or the "
                                      "loader's folders",
                                      wanted.title, wanted.name.file)
                                : fmt::format("{} does not start: {}", wanted.title, passed);
    error.hint = fmt::format("pip install {}, or set {} to the library or its folder", wanted.wheel,
                             settings::variable(wanted.setting));
    return error;
}

std::string version_words(std::uint64_t v) {
    // cuBLAS 12.8.4 is 120804, 13.1.0 is 130100.
    return fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100);
}

ColumnMajor ColumnMajor::of(const Product& p) {
    const auto stride = [](std::int64_t elements) { return std::max<std::int64_t>(elements, 1); };
    ColumnMajor out;
    out.rows = p.n;
    out.columns = p.m;
    out.inner = p.k;
    // A row-major matrix is the transpose of a column-major one with the same strides.
    out.first_transposed = p.b_transposed;
    out.first_stride = stride(p.b_transposed ? p.k : p.n);
    out.second_transposed = p.a_transposed;
    out.second_stride = stride(p.a_transposed ? p.m : p.k);
    out.result_stride = stride(p.n);
    return out;
}

}  // namespace warpwright::vendor

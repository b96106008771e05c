// A profile, a set of records and a list by hand are told apart by their keys and become the same list of phases. The
// experiment itself then does not depend on where the times come from.
#include "lab/experiments/phases.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "arch/occupancy.hpp"
#include "ladder/pack.hpp"
#include "predict/bound.hpp"
#include "profile/profile.hpp"
#include "support/demangle.hpp"

namespace warpwright::lab {
namespace {

Error wrong(const std::string& file, std::string what, std::string hint = "") {
    return Error{ErrorKind::input, std::move(what), {file, 0, 0}, std::move(hint)};
}

Program of_profile(const profile::Profile& p, const arch::DeviceModel& model) {
    Program out;
    out.title = p.program.empty() ? "program" : p.program.front();
    out.basis = record::Basis::predicted;
    for (const auto& k : p.kernels) {
        Phase phase{demangle(k.name), k.times.total, 1, "", false, std::nullopt, std::nullopt, ""};
        if (k.counted > 0) {
            phase.counts = k.counts;
            predict::Work work;
            work.counts = k.average_counts(), work.touched = k.average_touched();
            work.grid = k.grid, work.block = k.block;
            work.registers = k.registers, work.shared = k.static_shared + k.dynamic_shared;
            phase.binds = predict::bound(work, model).binds;
            phase.occupancy = arch::occupancy(model, work.registers, work.shared, k.block.count()).fraction;
        }
        out.phases.push_back(std::move(phase));
    }
    for (const auto& c : p.copies)
        out.phases.push_back({c.name, c.times.total, 0, "", true, std::nullopt, std::nullopt, ""});
    return out;
}

Program of_records(const record::RecordSet& set) {
    Program out;
    out.title = set.records.empty() ? "" : set.records.front().experiment;
    for (const record::Record& r : set.records) {
        const bool measured = r.time.has_value();
        if (!measured && !r.bound) continue;
        if (!measured) out.basis = record::Basis::predicted;
        Phase phase{r.name(),
                    measured      ? r.time->median_s
                    : r.predicted ? r.predicted->seconds
                                  : r.bound->seconds,
                    1,
                    r.experiment,
                    false,
                    r.counts,
                    std::nullopt,
                    r.bound ? r.bound->binds : ""};
        if (r.occupancy) phase.occupancy = r.occupancy->fraction;
        out.phases.push_back(std::move(phase));
    }
    return out;
}

Result<Program> by_hand(const nlohmann::json& j, const std::string& file) {
    Program out;
    if (j.contains("program") && j["program"].is_string()) out.title = j["program"].get<std::string>();
    if (!j["phases"].is_array()) return wrong(file, "'phases' is not a list");
    for (std::size_t i = 0; i < j["phases"].size(); ++i) {
        const auto& p = j["phases"][i];
        const std::string where = "phases[" + std::to_string(i) + "]";
        if (!p.is_object() || !p.contains("name") || !p["name"].is_string()) return wrong(file, where + " has no name");
        Phase phase;
        phase.name = p["name"].get<std::string>();
        if (!p.contains("seconds") || !p["seconds"].is_number() || !(p["seconds"].get<double>() >= 0) ||
            !std::isfinite(p["seconds"].get<double>()))
            return wrong(file, where + ".seconds is not a time", "a number from 0 on");
        phase.seconds = p["seconds"].get<double>();
        if (p.contains("parallel")) {
            const auto& v = p["parallel"];
            phase.parallel = v.is_boolean() ? (v.get<bool>() ? 1 : 0) : v.is_number() ? v.get<double>() : -1;
            if (!(phase.parallel >= 0 && phase.parallel <= 1))
                return wrong(file, where + ".parallel is not a share", "true, false, or a number from 0 to 1");
        }
        if (p.contains("kind") && p["kind"].is_string()) phase.kind = p["kind"].get<std::string>();
        if (p.contains("copy") && p["copy"].is_boolean()) phase.copy = p["copy"].get<bool>();
        out.phases.push_back(std::move(phase));
    }
    return out;
}

}  // namespace

Result<Program> read_program(const std::string& text, const std::string& file, const arch::DeviceModel& model) {
    const auto j = nlohmann::json::parse(text, nullptr, false);
    if (j.is_discarded() || !j.is_object())
        return wrong(file, "is not JSON of a profile",
                     "`warpwright run --json FILE`, or phases by hand (docs/whole-program.md)");
    Result<Program> out = Program{};
    if (j.contains("phases")) {
        out = by_hand(j, file);
    } else if (j.contains("records")) {
        auto set = record::from_json(text, file);
        if (!set) return std::move(set).error();
        out = of_records(*set);
    } else {
        auto p = profile::from_json(text, file);
        if (!p) return std::move(p).error();
        out = of_profile(*p, model);
    }
    if (!out) return out;
    double all = 0;
    for (const Phase& p : out->phases) all += p.seconds;
    if (!(all > 0)) return wrong(file, "there is no time in it", "each phase has its seconds");
    if (out->title.empty()) out->title = file;
    return out;
}

Program program_of_text() {
    Program out{"matrix", record::Basis::quoted, {}};
    out.phases = {{"MatrixMulKernel", 13.146e-3, 1, "matrix product", false, {}, {}, ""},
                  {"SharedMatrixMulKernel", 4.5129e-3, 1, "matrix product", false, {}, {}, ""},
                  {"[CUDA memcpy HtoD]", 2.6503e-3, 0, "", true, {}, {}, ""},
                  {"[CUDA memcpy DtoH]", 1.9560e-3, 0, "", true, {}, {}, ""}};
    return out;
}

double amdahl(double share, double times) {
    const double left = 1 - share + (std::isinf(times) ? 0 : share / times);
    return left > 0 ? 1 / left : INFINITY;
}

std::string library_for(const Phase& phase) {
    if (phase.copy) return "";
    constexpr struct {
        const char* word;
        const char* library;
    } kKnown[] = {{"sparse", "cuSPARSE"},
                  {"spmv", "cuSPARSE"},
                  {"fft", "cuFFT"},
                  {"fourier", "cuFFT"},
                  {"random", "cuRAND"},
                  {"rng", "cuRAND"},
                  {"solve", "cuSOLVER"},
                  {"cholesky", "cuSOLVER"},
                  {"eigen", "cuSOLVER"},
                  {"svd", "cuSOLVER"},
                  {"conv", "cuDNN"},
                  {"softmax", "cuDNN"},
                  {"allreduce", "NCCL"},
                  {"all_reduce", "NCCL"},
                  {"allgather", "NCCL"},
                  {"gemm", "cuBLAS"},
                  {"matmul", "cuBLAS"},
                  {"matrixmul", "cuBLAS"},
                  {"matrix product", "cuBLAS"},
                  {"multiply", "cuBLAS"},
                  {"matvec", "cuBLAS"},
                  {"axpy", "cuBLAS"},
                  {"dot", "cuBLAS"},
                  {"transpose", "cuBLAS"},
                  {"sort", "CUB, Thrust"},
                  {"scan", "CUB, Thrust"},
                  {"prefix", "CUB, Thrust"},
                  {"reduce", "CUB, Thrust"},
                  {"sum", "CUB, Thrust"},
                  {"histogram", "CUB, Thrust"},
                  {"image", "NPP"},
                  {"resize", "NPP"},
                  {"filter", "NPP"},
                  {"blur", "NPP"},
                  {"picture", "NPP"}};
    std::string text = phase.kind + " " + phase.name;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& k : kKnown)
        if (text.find(k.word) != std::string::npos) return k.library;
    return "";
}

}  // namespace warpwright::lab

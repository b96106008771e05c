// The Gaussian process by Cholesky factors, its two parameters by the likelihood over a small grid: spaces have
// hundreds of points at most, so nothing finer pays.
#include "tune/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace warpwright::tune {

namespace {

/// Matern 5/2: twice differentiable but no smoother, because times over tile sizes have kinks.
double likeness(const std::vector<double>& a, const std::vector<double>& b, double length) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    const double d = std::sqrt(5 * sum) / length;
    return (1 + d + d * d / 3) * std::exp(-d);
}

}  // namespace

void Surrogate::fit(std::vector<std::vector<double>> rows, const std::vector<double>& values) {
    rows_ = std::move(rows);
    const double n = static_cast<double>(values.size());
    mean_ = n > 0 ? std::accumulate(values.begin(), values.end(), 0.0) / n : 0;
    double squares = 0;
    for (double v : values) squares += (v - mean_) * (v - mean_);
    spread_ = n > 1 && squares > 0 ? std::sqrt(squares / n) : 1;
    centred_.clear();
    for (double v : values) centred_.push_back((v - mean_) / spread_);

    double best = 0, best_length = 0, best_noise = 0;
    for (double length : {0.25, 0.5, 1.0, 2.0, 4.0})
        for (double noise : {1e-6, 1e-3, 1e-1}) {
            double likelihood = 0;
            if (!solve(length, noise, likelihood)) continue;
            if (best_length == 0 || likelihood > best) best = likelihood, best_length = length, best_noise = noise;
        }
    double ignored = 0;
    (void)solve(best_length > 0 ? best_length : 1.0, best_length > 0 ? best_noise : 1.0, ignored);
}

/// Factors K + noise and keeps the weights; returns the log-likelihood of the values. False if K has no factor.
bool Surrogate::solve(double length, double noise, double& likelihood) {
    const std::size_t n = rows_.size();
    length_ = length;
    factor_.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = likeness(rows_[i], rows_[j], length) + (i == j ? noise : 0);
            for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
            if (i == j && !(sum > 1e-12)) return false;
            factor_[i * n + j] = i == j ? std::sqrt(sum) : sum / factor_[j * n + j];
        }
    }
    std::vector<double> half(n);
    for (std::size_t i = 0; i < n; ++i) {
        double sum = centred_[i];
        for (std::size_t k = 0; k < i; ++k) sum -= factor_[i * n + k] * half[k];
        half[i] = sum / factor_[i * n + i];
    }
    weights_ = half;
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) weights_[i] -= factor_[k * n + i] * weights_[k];
        weights_[i] /= factor_[i * n + i];
    }
    likelihood = -0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    for (std::size_t i = 0; i < n; ++i) likelihood -= 0.5 * half[i] * half[i] + std::log(factor_[i * n + i]);
    return true;
}

Surrogate::Guess Surrogate::guess(const std::vector<double>& row) const {
    const std::size_t n = rows_.size();
    double mean = 0, explained = 0;
    std::vector<double> half(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double k = likeness(row, rows_[i], length_);
        mean += k * weights_[i];
        double sum = k;
        for (std::size_t j = 0; j < i; ++j) sum -= factor_[i * n + j] * half[j];
        half[i] = sum / factor_[i * n + i];
        explained += half[i] * half[i];
    }
    return {mean_ + spread_ * mean, spread_ * std::sqrt(std::max(0.0, 1 - explained))};
}

double Surrogate::expected_improvement(const Guess& g, double best) {
    if (!(g.deviation > 0)) return std::max(0.0, best - g.mean);
    const double z = (best - g.mean) / g.deviation;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    return (best - g.mean) * 0.5 * std::erfc(-z / std::numbers::sqrt2) + g.deviation * density;
}

}  // namespace warpwright::tune

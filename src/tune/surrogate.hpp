// A model of the times, fitted to the candidates tried so far: a Gaussian process over the points' features. C.
// Rasmussen, C. Williams, "Gaussian Processes for Machine Learning", MIT Press, 2006, chapters 2 and 5.
#pragma once

#include <cstddef>
#include <vector>

namespace warpwright::tune {

class Surrogate {
public:
    /// Fits values at some rows, which are both kept, with the length scale and the noise under which the values are
    /// likeliest.
    void fit(std::vector<std::vector<double>> rows, const std::vector<double>& values);

    struct Guess {
        double mean = 0, deviation = 0;
    };
    Guess guess(const std::vector<double>& row) const;

    /// The expected gain of a value with this guess over `best`; values above it count as no gain.
    static double expected_improvement(const Guess& guess, double best);

private:
    bool solve(double length, double noise, double& likelihood);

    std::vector<std::vector<double>> rows_;
    std::vector<double> centred_;           ///< values, mean 0 and deviation 1
    std::vector<double> factor_, weights_;  ///< lower Cholesky factor, row by row; K^-1 y
    double length_ = 1, mean_ = 0, spread_ = 1;
};

}  // namespace warpwright::tune

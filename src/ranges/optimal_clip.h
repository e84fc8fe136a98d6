// How far a uniform quantizer should reach for data of a known distribution.
#pragma once

namespace preon {

/// Half of the interval that `codes` codes should cover about the mean, in standard deviations: the smallest mean
/// square error for clip a, where steps are 2a / codes wide,
///
///   E(a) = 2 ∫ (x - a)² p(x) dx over x > a  +  a² / (3 codes²).
///
/// Gaussian: 2 (φ(a) - a Q(a)) = a / (3 codes²). Laplace, with a in units of b = σ / sqrt(2): exp(-a) = a / (3 codes²).
///
///   codes      8     16     32     64    128    256   65536
///   Gaussian  2.15   2.56   2.94   3.29   3.62   3.92   5.94
///   Laplace   2.76   3.56   4.39   5.24   6.11   7.00  14.33
///
/// Source: R. Banner, Y. Nahshan, D. Soudry: "Post training 4-bit quantization of convolutional networks for
/// rapid-deployment" (ACIQ), NeurIPS 2019, eq. 8 to 12.
double OptimalGaussianClip(double codes);
double OptimalLaplaceClip(double codes);

}  // namespace preon

#include <algorithm>
#include <cmath>

#include "eval/metrics/mean_metric.h"
#include "eval/metrics/metrics.h"

namespace preon {
namespace {

constexpr double kMostDb = 200;

double DbOfRatio(double ratio) { return std::clamp(10 * std::log10(std::max(ratio, 1e-30)), -kMostDb, kMostDb); }

// The peak is that of the picture: 255 where values go beyond 1.5, else 1.
double Psnr(std::span<const double> wanted, std::span<const double> got) {
  double squares = 0, largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    squares += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    largest = std::max(largest, wanted[i]);
  }
  const double peak = largest > 1.5 ? 255 : 1;
  return DbOfRatio(peak * peak * static_cast<double>(wanted.size()) / std::max(squares, 1e-30));
}

// Source: Le Roux, Wisdom, Erdogan, Hershey 2019, "SDR - half-baked or well done?", equation 3.
double SiSdr(std::span<const double> wanted, std::span<const double> got) {
  double dot = 0, energy = 0, noise = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    dot += wanted[i] * got[i];
    energy += wanted[i] * wanted[i];
  }
  const double scale = energy > 0 ? dot / energy : 0;
  for (size_t i = 0; i < wanted.size(); ++i) noise += std::pow(got[i] - scale * wanted[i], 2);
  return DbOfRatio(scale * scale * energy / std::max(noise, 1e-30));
}

class SignalMetric final : public Metric {
 public:
  using ScoreSample = double (*)(std::span<const double>, std::span<const double>);
  SignalMetric(std::string_view name, std::string_view summary, ScoreSample score)
      : name_(name), summary_(summary), score_(score) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  MetricUnit unit() const override { return MetricUnit::kDecibel; }
  std::unique_ptr<MetricRun> Begin() const override {
    return std::make_unique<MeanRun>([this](const Batch& batch, const std::vector<NamedTensor>& outputs) {
      return ScoreAgainstExpected(name_, batch, outputs, score_);
    });
  }

 private:
  const std::string_view name_, summary_;
  const ScoreSample score_;
};

}  // namespace

std::unique_ptr<Metric> MakePsnrMetric() {
  return std::make_unique<SignalMetric>(
      "psnr", "peak signal to noise of pictures against --reference, mean in dB; values from 0 to 1 or to 255", Psnr);
}

std::unique_ptr<Metric> MakeSiSdrMetric() {
  return std::make_unique<SignalMetric>("sisdr", "scale-invariant signal to distortion against --reference, mean in dB",
                                        SiSdr);
}

}  // namespace preon

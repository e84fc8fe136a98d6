#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "report/analyze_samples.h"

namespace preon {
namespace {

constexpr size_t kShown = 10;  // of long lists

std::string SampleText(const SampleAnalysis& samples, size_t sample) {
  return StrCat(samples.samples[sample].index, " ", Printable(samples.samples[sample].name));
}

void AddMore(TextWriter& out, size_t total) {
  if (total > kShown) out.Add("  and %zu more: --json has all\n", total - kShown);
}

void AddDrivers(TextWriter& out, const SampleAnalysis& samples) {
  out.Add("\nsamples that set the extremes (k samples that share an extreme count 1/k each)\n");
  out.Add("%10s %18s  %s\n", "extremes", "shrinks without", "sample");
  for (size_t index = 0; index < std::min(kShown, samples.drivers.size()); ++index) {
    const SampleShare& share = samples.drivers[index];
    out.Add("%10.4g %10zu tensors  %s\n", share.extremes, share.shrinks, SampleText(samples, share.sample).c_str());
  }
  AddMore(out, samples.drivers.size());
}

std::string DriverText(const SampleAnalysis& samples, const std::optional<Driver>& driver) {
  if (!driver) return "-";
  const std::string sample = SampleText(samples, driver->sample);
  return driver->reached_by == 1 ? sample : StrCat(sample, " (and ", driver->reached_by - 1, " more)");
}

void AddTensorDrivers(TextWriter& out, const Analysis& analysis) {
  const SampleAnalysis& samples = *analysis.samples;
  out.Add("\n%-30s %5s %7s %10s %10s  %s\n", "tensor", "layer", "needed", "extreme", "without", "sample that sets it");
  for (const size_t index : analysis.by_outliers) {
    const TensorAnalysis& tensor = analysis.tensors[index];
    const TensorSamples& of_tensor = samples.tensors[index];
    std::string name = Printable(tensor.name), layer = StrCat(index), needed = StrCat(of_tensor.needed);
    for (const auto& [end, driver] :
         {std::pair(tensor.values.min, of_tensor.drivers.min), std::pair(tensor.values.max, of_tensor.drivers.max)}) {
      if (!driver) continue;
      out.Add("%-30s %5s %7s %10.4g %10.4g  %s\n", name.c_str(), layer.c_str(), needed.c_str(), end, driver->without,
              DriverText(samples, driver).c_str());
      name = layer = needed = "";
    }
  }
  out.Add("(needed: samples whose range is expected to come within the tolerance)\n");
}

void AddConvergence(TextWriter& out, const SampleAnalysis& samples, size_t tensors) {
  const Convergence& convergence = samples.convergence;
  out.Add("\nsamples    ");
  for (const size_t size : convergence.sizes) out.Add(" %7zu", size);
  out.Add("\n  median   ");
  for (const auto& shares : convergence.shares) out.Add(" %5.1f %%", 100 * shares.median);
  out.Add("\n  least    ");
  for (const auto& shares : convergence.shares) out.Add(" %5.1f %%", 100 * shares.least);
  out.Add("\n(expected share of the range that this number of random samples reaches)\n");
  if (samples.samples.size() < 2) {
    out.Add("too few samples to estimate whether more samples would help\n");
    return;
  }
  out.Add(
      "more samples would %s: the last doubling widened the median tensor's range by %.2g %%,\n"
      "  and %zu of %zu tensors by more than %g %%; half of the tensors need %zu samples to stay below that\n",
      convergence.more_samples_help ? "help" : "not help", 100 * convergence.last_growth, convergence.growing, tensors,
      100 * samples.tolerance, convergence.needed);
}

void AddCover(TextWriter& out, const SampleAnalysis& samples) {
  const std::vector<size_t>& cover = samples.cover.samples;
  out.Add("\n%zu of %zu samples reach all %zu extremes within %g %% (--cover FILE lists them for --only)\n",
          cover.size(), samples.samples.size(), samples.cover.extremes, 100 * samples.tolerance);
  for (size_t index = 0; index < std::min(kShown, cover.size()); ++index)
    out.Add("  %s\n", SampleText(samples, cover[index]).c_str());
  AddMore(out, cover.size());
}

void AddGroups(TextWriter& out, const SampleAnalysis& samples, size_t tensors) {
  out.Add("\n%-24s %8s %20s %32s %14s\n", "group", "samples", "gaps without it", "gaps if only this group is used",
          "least covered");
  for (const GroupSummary& group : samples.groups)
    out.Add("%-24s %8zu %7zu of %zu tensors %19zu of %zu tensors %14.3f\n", Printable(group.name).c_str(),
            group.samples, group.missed, tensors, group.missing, tensors, group.least_covered);
}

/// The group that the others cover least.
size_t LeastCovered(const TensorSamples& tensor) {
  const auto worst = [](const GroupView& view) { return view.by_others.worst(); };
  return static_cast<size_t>(std::ranges::min_element(tensor.groups, {}, worst) - tensor.groups.begin());
}

void AddGroupTensors(TextWriter& out, const Analysis& analysis) {
  const SampleAnalysis& samples = *analysis.samples;
  out.Add("\n  %-30s %5s %-16s %10s %10s %8s %8s %8s %8s\n", "", "", "", "", "", "covered", "by others", "outliers",
          "");
  out.Add("  %-30s %5s %-16s %10s %10s %8s %8s %8s %8s\n", "tensor", "layer", "least covered", "min", "max", "min",
          "max", "in it", "in all");
  std::vector<size_t> order;
  for (size_t index = 0; index < samples.tensors.size(); ++index) order.push_back(index);
  const auto covered = [&](size_t index) {
    const TensorSamples& tensor = samples.tensors[index];
    return tensor.groups[LeastCovered(tensor)].by_others.worst();
  };
  std::ranges::stable_sort(order, {}, covered);
  for (const size_t index : order) {
    const size_t group = LeastCovered(samples.tensors[index]);
    const GroupView& view = samples.tensors[index].groups[group];
    out.Add("%c %-30s %5zu %-16s %10.4g %10.4g %8s %8s %8s %8s\n", view.by_others.is_gap() ? '*' : ' ',
            Printable(analysis.tensors[index].name).c_str(), index, Printable(samples.groups[group].name).c_str(),
            view.extent.min, view.extent.max, FigureText(view.by_others.min, "%.3f").c_str(),
            FigureText(view.by_others.max, "%.3f").c_str(), FigureText(view.outlier_ratio, "%.2f").c_str(),
            FigureText(analysis.tensors[index].values.outlier_ratio, "%.2f").c_str());
  }
}

}  // namespace

void AddSamples(TextWriter& out, const Analysis& analysis) {
  if (analysis.tensors.empty()) return;
  if (!analysis.samples) {
    out.Add(
        "\nsamples: no statistics of single samples; with calibrate --per-sample, analyze shows which samples set the\n"
        "  extremes, whether more samples would help, which few are enough, and how groups differ\n");
    return;
  }
  AddTensorDrivers(out, analysis);
  AddDrivers(out, *analysis.samples);
  AddConvergence(out, *analysis.samples, analysis.tensors.size());
  AddCover(out, *analysis.samples);
  if (analysis.samples->groups.empty()) return;
  AddGroups(out, *analysis.samples, analysis.tensors.size());
  AddGroupTensors(out, analysis);
}

}  // namespace preon

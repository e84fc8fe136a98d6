#include "report/analyze_samples.h"
#include "report/json_object.h"

namespace preon {
namespace {

using Json = JsonObject;

Json SampleJson(const SampleAnalysis& samples, size_t sample) {
  return {{"sample", samples.samples[sample].index}, {"name", samples.samples[sample].name}};
}

Json DriverJson(const SampleAnalysis& samples, const std::optional<Driver>& driver) {
  if (!driver) return nullptr;
  Json json = SampleJson(samples, driver->sample);
  json["reached_by"] = driver->reached_by;
  json["without"] = driver->without;
  return json;
}

Json CoverageJson(const Coverage& coverage) {
  return {{"min", NumberOrNull(coverage.min)}, {"max", NumberOrNull(coverage.max)}};
}

Json ConvergenceJson(const Convergence& convergence) {
  Json median = Json::array(), least = Json::array();
  for (const Convergence::Shares& shares : convergence.shares) {
    median.push_back(shares.median);
    least.push_back(shares.least);
  }
  return {{"samples", convergence.sizes},
          {"median_share", median},
          {"least_share", least},
          {"needed", convergence.needed},
          {"growing_tensors", convergence.growing},
          {"last_growth", convergence.last_growth},
          {"more_samples_help", convergence.more_samples_help}};
}

}  // namespace

JsonObject SamplesJson(const Analysis& analysis) {
  if (!analysis.samples) return nullptr;
  const SampleAnalysis& samples = *analysis.samples;
  Json drivers = Json::array(), cover = Json::array();
  for (const SampleShare& share : samples.drivers) {
    Json& json = drivers.emplace_back(SampleJson(samples, share.sample));
    json["extremes"] = share.extremes;
    json["shrinks"] = share.shrinks;
  }
  for (const size_t sample : samples.cover.samples) cover.push_back(SampleJson(samples, sample));
  Json json = {{"tolerance", samples.tolerance},
               {"drivers", drivers},
               {"convergence", ConvergenceJson(samples.convergence)},
               {"cover", {{"extremes", samples.cover.extremes}, {"samples", cover}}}};
  if (samples.groups.empty()) return json;
  Json& groups = json["groups"] = Json::object();
  for (const GroupSummary& group : samples.groups) {
    groups[group.name] = {{"samples", group.samples},
                          {"missed_without", group.missed},
                          {"missing_alone", group.missing},
                          {"least_covered", group.least_covered}};
  }
  return json;
}

JsonObject TensorSamplesJson(const Analysis& analysis, size_t index) {
  const SampleAnalysis& samples = *analysis.samples;
  const TensorSamples& tensor = samples.tensors[index];
  Json json = {{"min", DriverJson(samples, tensor.drivers.min)},
               {"max", DriverJson(samples, tensor.drivers.max)},
               {"shares", tensor.shares},
               {"needed", tensor.needed}};
  if (samples.groups.empty()) return json;
  Json& groups = json["groups"] = Json::object();
  for (size_t group = 0; group < tensor.groups.size(); ++group) {
    const GroupView& view = tensor.groups[group];
    groups[samples.groups[group].name] = {{"min", view.extent.min},
                                          {"max", view.extent.max},
                                          {"covered_by_others", CoverageJson(view.by_others)},
                                          {"covers_all", CoverageJson(view.of_all)},
                                          {"outlier_ratio", NumberOrNull(view.outlier_ratio)}};
  }
  return json;
}

}  // namespace preon

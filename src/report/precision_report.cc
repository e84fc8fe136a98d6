#include "report/precision_report.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace preon {
namespace {

// Infinite where no model could be made: JSON has no such number.
JsonObject DistanceJson(double distance) { return std::isfinite(distance) ? JsonObject(distance) : JsonObject(); }

// Why a candidate that could not change stays as it is; "" where another reason decides.
std::string WhyItStays(const PrecisionCandidate& candidate) {
  if (!candidate.enabled) return "the cache file has it disabled";
  return std::isfinite(candidate.score()) ? "" : candidate.why_not;
}

// Those that changed, each with what it does alone.
void AddCandidates(TextWriter& out, const std::vector<PrecisionCandidate>& candidates,
                   const std::vector<std::string>& forms, const std::string& metric) {
  constexpr size_t kMostListedLayers = 10;
  size_t changed = 0;
  for (const PrecisionCandidate& candidate : candidates) {
    if (candidate.changed && changed++ < kMostListedLayers)
      out.Add("  %-11s %s: %s, %s %.6g alone\n", "", candidate.name.c_str(), forms[candidate.form].c_str(),
              metric.c_str(), candidate.score());
    if (const std::string why = WhyItStays(candidate); !why.empty())
      out.Add("  %-11s %s stays: %s\n", "", candidate.name.c_str(), why.c_str());
  }
  if (changed > kMostListedLayers) out.Add("  %-11s and %zu more (--json has all)\n", "", changed - kMostListedLayers);
}

}  // namespace

void AddPrecision(TextWriter& out, const PrecisionResult& precision) {
  if (!precision.why_not.empty()) {
    out.Add("  precision   nothing changed: %s\n", precision.why_not.c_str());
    return;
  }
  const auto chosen = std::ranges::find(precision.points, true, &PrecisionPoint::chosen);
  const std::string types = JoinNames(precision.forms);
  out.Add("  precision   %zu of %s changed to %s; %lld models run\n", chosen->changed,
          CountText(static_cast<int64_t>(precision.candidates.size()), "candidate").c_str(), types.c_str(),
          static_cast<long long>(precision.trials));
  const bool missed = precision.threshold && *precision.threshold != 0 && chosen->distance > *precision.threshold;
  if (precision.interrupted)
    out.Add("  %-11s interrupted: the best of the models that had been run\n", "");
  else if (missed)
    out.Add("  %-11s the threshold of %g is out of reach\n", "", *precision.threshold);
  if (precision.cache.stale) out.Add("  %-11s the cache file was of another search: all scored again\n", "");
  if (precision.cache.scores > 0)
    out.Add("  %-11s %s of the cache file\n", "", CountText(precision.cache.scores, "score").c_str());
  out.Add("  %-11s %9s  %6s  %12s\n", "", "changed", "work", precision.metric.c_str());
  for (const PrecisionPoint& point : precision.points) {
    if (!point.on_front && !point.chosen) continue;
    out.Add("  %-11s %9zu  %4.0f %%  %12.6g%s\n", "", point.changed, 100 * point.share, point.distance,
            point.chosen ? "  chosen" : "");
  }
  AddCandidates(out, precision.candidates, precision.forms, precision.metric);
}

JsonObject PrecisionJson(const PrecisionResult& precision) {
  JsonObject json = {{"metric", precision.metric},
                     {"output", precision.output},
                     {"forms", precision.forms},
                     {"threshold", NumberOrNull(precision.threshold)},
                     {"object", precision.raises ? "quality" : "speed"},
                     {"interrupted", precision.interrupted},
                     {"cached", precision.cache.scores},
                     {"stale_cache", precision.cache.stale},
                     {"trials", precision.trials}};
  if (!precision.why_not.empty()) json["why_not"] = precision.why_not;
  json["candidates"] = JsonObject::array();
  for (const PrecisionCandidate& candidate : precision.candidates) {
    JsonObject scores = JsonObject::array();
    for (const double score : candidate.scores) scores.push_back(DistanceJson(score));
    JsonObject entry = {
        {"name", candidate.name},      {"nodes", candidate.nodes}, {"score", DistanceJson(candidate.score())},
        {"scores", std::move(scores)}, {"form", candidate.form},   {"changed", candidate.changed}};
    if (const std::string why = WhyItStays(candidate); !why.empty()) entry["why_not"] = why;
    json["candidates"].push_back(std::move(entry));
  }
  json["points"] = JsonObject::array();
  for (const PrecisionPoint& point : precision.points)
    json["points"].push_back({{"changed", point.changed},
                              {"distance", DistanceJson(point.distance)},
                              {"share", point.share},
                              {"on_front", point.on_front},
                              {"chosen", point.chosen}});
  return json;
}

}  // namespace preon

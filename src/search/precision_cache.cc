#include "search/precision_cache.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "base/version.h"
#include "config/json_text.h"

namespace preon {
namespace {

using Json = nlohmann::json;

std::string DescriptionOf(const TensorOverride& wanted) {
  return StrCat(wanted.type ? wanted.type->name() : "", ",", wanted.symmetric ? (*wanted.symmetric ? "1" : "0") : "",
                ",", wanted.scale_type ? ScaleTypeName(*wanted.scale_type) : "", ",", wanted.method.value_or(""), ",",
                wanted.per_channel.value_or(false) ? "channel" : "");
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + ",";
  return text;
}

double ScoreOf(const Json& score) {
  return score.is_number() ? score.get<double>() : std::numeric_limits<double>::infinity();
}

Json ScoreJson(double score) { return std::isfinite(score) ? Json(score) : Json(); }

// Nothing where the entry does not describe the candidate.
bool Fill(const Json& entry, size_t forms, PrecisionCandidate& candidate) {
  const Json scores = entry.value("all_config_scores", Json::array());
  if (!scores.is_array() || scores.size() != forms) return false;
  std::vector<double> read;
  for (const Json& score : scores) read.push_back(ScoreOf(score));
  candidate.SetScores(std::move(read));
  candidate.enabled = entry.value("enabled", Json(true)) != Json(false);
  return true;
}

}  // namespace

std::string PrecisionKey(const PlannedModel& prepared, const std::vector<PrecisionCandidate>& candidates,
                         const PrecisionOptions& options) {
  std::vector<std::string> lines;
  for (const auto& node : prepared.model.graph.nodes())
    lines.push_back(StrCat(node->name, "|", node->op_type, "|", Joined(node->inputs()), "|", Joined(node->outputs())));
  std::ranges::sort(lines);
  for (const auto& [tensor, plan] : prepared.plan.activations)
    lines.push_back(StrCat(tensor, ":", DataTypeName(plan.format.type), plan.block ? "block" : ""));
  for (const auto& [tensor, plan] : prepared.plan.weights)
    lines.push_back(StrCat(tensor, ":", DataTypeName(plan.format.type), plan.block ? "block" : ""));
  for (const PrecisionCandidate& candidate : candidates)
    lines.push_back(StrCat(candidate.name, ":", Joined(candidate.nodes)));
  for (const auto& form : options.forms) {
    for (const LayerOverride& layer : form) {
      std::string line = Joined(layer.selectors.patterns);
      for (const auto* role : {&layer.input, &layer.weight, &layer.bias, &layer.output})
        line += *role ? StrCat(";", DescriptionOf(**role)) : ";";
      lines.push_back(std::move(line));
    }
    lines.emplace_back("form");
  }
  lines.push_back(StrCat(options.metric.distance.name(), options.metric.output));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return Sha256Hex(text);
}

Result<PrecisionCache> LoadPrecisionScores(const std::string& path, const std::string& key, size_t forms,
                                           std::vector<PrecisionCandidate>& candidates) {
  PrecisionCache cache;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return cache;
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Result<Json> json = ParseJson(text);
  if (!json.ok()) return std::move(json).status().WithContext(path);
  const Json results = json->is_object() ? json->value("results", Json()) : Json();
  if (!results.is_array()) return Error(ErrorId::kBadConfig, path, ": wanted a file of scores with \"results\"");
  cache.stale = json->value("cache_key", Json()) != Json(key);
  if (cache.stale) return cache;
  for (const Json& entry : results) {
    const Json name = entry.is_object() ? entry.value("name", Json()) : Json();
    const auto candidate = std::ranges::find_if(candidates, [&](const auto& each) { return name == each.name; });
    if (candidate != candidates.end() && Fill(entry, forms, *candidate)) ++cache.scores;
  }
  return cache;
}

Status SavePrecisionScores(const std::string& path, const std::string& key,
                           const std::vector<PrecisionCandidate>& candidates) {
  Json results = Json::array();
  for (const PrecisionCandidate& candidate : candidates) {
    if (candidate.scores.empty()) continue;
    Json scores = Json::array();
    for (const double score : candidate.scores) scores.push_back(ScoreJson(score));
    results.push_back({{"name", candidate.name},
                       {"candidate_nodes", candidate.nodes},
                       {"score", ScoreJson(candidate.score())},
                       {"all_config_scores", std::move(scores)},
                       {"best_config_index", candidate.form},
                       {"enabled", candidate.enabled}});
  }
  const Json json = {{"version", kVersion}, {"cache_key", key}, {"results", std::move(results)}};
  return WriteFileAtomically(path, json.dump(2) + "\n");
}

}  // namespace preon

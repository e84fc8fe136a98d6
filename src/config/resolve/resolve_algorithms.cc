#include "config/resolve/resolve_algorithms.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "base/spelling.h"
#include "config/ignored_options.h"
#include "config/keys/keys.h"

namespace preon {
namespace {

using Warnings = std::vector<std::string>;

// Where it was asked for without effect.
Status CheckUnused(std::string_view algorithm, bool by_config, std::string_view with, Warnings* warnings) {
  if (!by_config) return Error(ErrorId::kConflictingOptions, "--algorithm ", algorithm, ": has no effect with ", with);
  warnings->push_back(StrCat("algo_config: algorithm ", algorithm, " has no effect with ", with));
  return Status::Ok();
}

// The algorithm's own values, under those by Quark's keys.
AlgorithmValues ValuesFor(const Algorithm& algorithm, const AlgorithmOptions& options) {
  AlgorithmValues::Texts values;
  if (const auto asked = options.asked.find(std::string(algorithm.name())); asked != options.asked.end())
    values = asked->second.values;
  for (const AlgorithmOption& option : algorithm.options()) {
    const auto key = options.keys.find(std::string(option.key));
    if (!option.key.empty() && key != options.keys.end()) values[std::string(option.name)] = key->second;
  }
  return {algorithm.options(), std::move(values)};
}

bool IsSame(std::string_view json, const std::string& text) {
  if (json.size() >= 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
  return ToLower(std::string(json)) == ToLower(text);
}

// Options that only steer Quark's machinery, where they are not what Quark has by default.
void WarnOfIgnored(const Algorithm& algorithm, const AlgorithmValues& values, Warnings* warnings) {
  for (const AlgorithmOption& option : algorithm.options()) {
    const auto set = values.set().find(option.name);
    if (option.ignored.empty() || set == values.set().end() || IsSame(option.fallback, set->second)) continue;
    warnings->push_back(StrCat(algorithm.name(), ": ", option.parameter.empty() ? option.name : option.parameter,
                               ": has no effect: ", option.ignored));
  }
}

// As --algorithm takes it.
std::string Described(const Algorithm& algorithm, const AlgorithmValues& values) {
  std::string text(algorithm.name());
  for (const auto& [option, value] : values.set())
    text += StrCat(text.find(':') == std::string::npos ? ":" : ",", option, "=", value);
  return text;
}

// Keys of algorithms that do not act.
Status CheckUnusedKeys(const std::map<std::string, std::string>& keys, const SettingOrigins& given,
                       const std::vector<const Algorithm*>& chosen, const AlgorithmRegistry& algorithms,
                       Warnings* warnings) {
  for (const auto& [key, value] : keys) {
    const auto has = [&](const Algorithm* algorithm) {
      return std::ranges::find(algorithm->options(), key, &AlgorithmOption::key) != algorithm->options().end();
    };
    if (std::ranges::any_of(chosen, has)) continue;
    std::vector<std::string> owners;
    for (const auto& algorithm : algorithms.entries()) {
      if (has(algorithm.get())) owners.emplace_back(algorithm->name());
    }
    if (owners.empty() || IsDefault(key, value)) continue;
    const std::string key_or_table = key.substr(0, key.find('.'));
    SettingOrigins origins = given;
    if (origins.hints.contains(key_or_table)) origins.hints.insert(key);
    PREON_RETURN_IF_ERROR(ReportIgnored(origins, key, StrCat("without --algorithm ", JoinNames(owners)), warnings));
  }
  return Status::Ok();
}

constexpr std::string_view kOptimAlgorithm = "FastFinetune.OptimAlgorithm";

// Of AdaRound and AdaQuant, whose options have the same names, the one that the key says acts in place of the one that
// is asked for.
Result<AlgorithmOptions> WithOptimAlgorithm(AlgorithmOptions given, const SettingOrigins& origins, Warnings* warnings) {
  const auto key = given.keys.find(std::string(kOptimAlgorithm));
  if (key == given.keys.end()) return given;
  const std::string wanted = ToLower(key->second), other = wanted == "adaround" ? "adaquant" : "adaround";
  const auto is_asked = [&](const std::string& name) {
    const auto found = given.asked.find(name);
    return found != given.asked.end() && !found->second.by_default;
  };
  if (is_asked(wanted)) return given;
  if (!is_asked(other)) {
    if (IsDefault(kOptimAlgorithm, wanted)) return given;
    SettingOrigins of_table = origins;
    if (origins.hints.contains("FastFinetune")) of_table.hints.emplace(kOptimAlgorithm);
    PREON_RETURN_IF_ERROR(
        ReportIgnored(of_table, kOptimAlgorithm, "without --algorithm adaround or adaquant", warnings));
    return given;
  }
  if (!given.asked.at(other).by_config)
    return Error(ErrorId::kConflictingOptions, kOptimAlgorithm, "=", wanted, " and --algorithm ", other,
                 ": got both, wanted one");
  warnings->push_back(StrCat(kOptimAlgorithm, ": ", wanted, " acts in place of ", other, " of algo_config"));
  given.asked[wanted] = std::move(given.asked.at(other));
  given.asked.erase(other);
  return given;
}

}  // namespace

void ChosenAlgorithms::TakeOffered() {
  for (const Algorithm* algorithm : std::exchange(offered, {}) | std::views::reverse) {
    list.insert(list.begin(), algorithm);
    taken.insert(taken.begin(), algorithm);
    rewriting = StrCat(algorithm->name(), rewriting.empty() ? "" : ";", rewriting);
  }
}

AlgorithmOptions WithEffort(AlgorithmOptions given, Effort effort, const Target& target, const PlanOptions& plan,
                            const AlgorithmRegistry& algorithms) {
  const bool of_bytes = (target.FollowsRuntime() || target.NeedsBetterCodes()) && target.TakesImprovements(plan);
  // Grids that the user has chosen for weights alone stay as they are, codes as well.
  const bool has_own_grids = !target.QuantizesActivations() &&
                             plan.weight_rule.method.value_or(WeightMethod::kMinMse) != WeightMethod::kMinMse;
  const bool fits = target.FitsCodes(plan.Types(), plan.weight) && !has_own_grids;
  const bool improves = (of_bytes || fits) && plan.compat == Compat::kOff;
  const bool fits_codes = effort == Effort::kHigh || (effort == Effort::kDefault && improves);
  std::set<AlgorithmPhase> taken;
  for (const auto& algorithm : algorithms.entries()) {
    if (given.asked.contains(std::string(algorithm->name()))) taken.insert(algorithm->phase());
  }
  for (const auto& algorithm : algorithms.entries()) {
    if (!algorithm->in_effort() || taken.contains(algorithm->phase()) || !algorithm->AppliesTo(target, plan)) continue;
    const bool rewrites = algorithm->phase() == AlgorithmPhase::kFloatModel;
    if (rewrites ? !improves : !fits_codes) continue;
    AskedAlgorithm& asked = given.asked[std::string(algorithm->name())];
    asked.by_config = true;
    asked.by_default = rewrites || effort == Effort::kDefault;
    if (!rewrites && asked.by_default) asked.values.emplace("cost", "1");
  }
  return given;
}

AlgorithmOptions WithoutAlgorithms(const AlgorithmRegistry& algorithms) {
  AlgorithmOptions none;
  for (const auto& algorithm : algorithms.entries()) none.disabled.emplace(algorithm->name());
  return none;
}

Result<ChosenAlgorithms> ChooseAlgorithms(const Target& target, const PlanOptions& plan,
                                          const AlgorithmOptions& options, const SettingOrigins& origins,
                                          const AlgorithmRegistry& algorithms, Warnings* warnings) {
  PREON_ASSIGN_OR_RETURN(const AlgorithmOptions given, WithOptimAlgorithm(options, origins, warnings));
  ChosenAlgorithms chosen;
  for (const auto& algorithm : algorithms.entries()) {
    const std::string name(algorithm->name());
    const auto asked = given.asked.find(name);
    if (!algorithm->on_by_default() && asked == given.asked.end()) continue;
    const bool is_asked = asked != given.asked.end() && !asked->second.by_default;
    if (given.disabled.contains(name) || !algorithm->AppliesTo(target, plan)) {
      // Quark's numbers are those without algorithms that improve a plan.
      const std::string with = given.disabled.contains(name) ? StrCat("--disable-algorithm ", name)
                               : plan.compat != Compat::kOff ? StrCat("--compat ", CompatName(plan.compat))
                               : !algorithm->SuitsWeights(plan.weight)
                                   ? StrCat("weights of type ", plan.weight.name(), ", which have no common scale")
                                   : StrCat("--target ", target.name());
      if (is_asked) PREON_RETURN_IF_ERROR(CheckUnused(name, asked->second.by_config, with, warnings));
      continue;
    }
    if (asked != given.asked.end() && asked->second.by_default && algorithm->phase() == AlgorithmPhase::kFloatModel) {
      chosen.offered.push_back(algorithm.get());
      continue;
    }
    const AlgorithmValues values = ValuesFor(*algorithm, given);
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<Algorithm> configured, algorithm->Configured(values));
    WarnOfIgnored(*algorithm, values, warnings);
    const bool is_told = !values.set().empty() && (asked == given.asked.end() || !asked->second.by_default);
    if (is_asked || is_told) chosen.asked.push_back(Described(*algorithm, values));
    if (algorithm->phase() == AlgorithmPhase::kFloatModel)
      chosen.rewriting += StrCat(chosen.rewriting.empty() ? "" : ";", Described(*algorithm, values));
    chosen.list.push_back(configured == nullptr ? algorithm.get() : configured.get());
    if (configured != nullptr) chosen.configured.push_back(std::move(configured));
  }
  PREON_RETURN_IF_ERROR(CheckUnusedKeys(given.keys, origins, chosen.list, algorithms, warnings));
  return chosen;
}

}  // namespace preon

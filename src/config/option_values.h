// Inside api/: from an option's text to its field. Errors: kBadOptionValue and those of the parsers, without the
// option's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"

namespace preon {

Status BadValue(const std::string& got, std::string_view wanted);
/// Also "1k", "2M", "3G".
Status SetCount(int64_t& field, const std::string& value, int64_t least);
/// Bytes, or a share of the float model: 3MB, 30%.
Status SetSizeLimit(std::optional<Requirement>& field, const std::string& value);
Status SetRequirements(std::vector<Requirement>& field, const std::string& value);
/// 0 to 100, as a share.
Status SetPercent(std::optional<double>& field, const std::string& value);
Status SetFlag(bool& field, const std::string& value, bool inverted = false);
/// Puts `name` among what is switched off, or takes it out.
Status SetDisabled(std::set<std::string>& disabled, std::string_view name, const std::string& value);
/// "NAME=VALUE" with both sides present.
Result<std::pair<std::string, std::string>> SplitPair(const std::string& value, std::string_view wanted);
/// "I/N" with I from 1 to N; the index from 0.
Status SetPart(int64_t& index_field, int64_t& count_field, const std::string& value);

Status SetType(TensorType& field, const std::string& value);
Status SetWeightType(std::optional<TensorType>& field, const std::string& value);
Status SetBFloat16(BFloat16Options& field, const std::string& value);
/// "KEY=VALUE".
Status SetAttribute(BlockAttributes& field, const std::string& value);
Status SetFloat16(std::optional<Float16>& field, const std::string& value);
Status SetBlockSize(PlanOptions& plan, const std::string& value);
Status SetFloatWeights(PlanOptions& plan, const std::string& value);
Status SetSeed(uint64_t& field, const std::string& value);
Status SetAccuracyLevel(PlanOptions& plan, const std::string& value);
/// qdq, qoperator, or extended of target quark.
Status SetFormat(Options& options, const std::string& value);
/// These two also remember that they were set (GivenTypes).
Status SetActivation(Options& options, const std::string& value);
Status SetScaleType(Options& options, const std::string& value);
/// "90", "90s", "5m", "2h"; above 0.
Status SetDuration(std::optional<double>& field, const std::string& value);
Status SetSeconds(std::optional<double>& field, const std::string& value);
Status SetEffort(Effort& field, const std::string& value);
Status SetMemory(MemoryUse& field, const std::string& value);
/// "NAME=1x3x8x8".
Result<std::pair<std::string, Shape>> ParseShapeOf(const std::string& value);
Status SetRandomShape(Options& options, const std::string& value);
Status SetRandomRange(Options& options, const std::string& value);
/// The task of a worker process, made where there is none.
WorkerTask& TaskOf(WorkerOptions& workers);
Status SetWorkerPart(WorkerOptions& workers, const std::string& value);

/// The parsed value, or why it is none.
template <typename Field, typename Value>
Status SetTo(Field& field, Result<Value> value) {
  if (!value.ok()) return std::move(value).status();
  field = *std::move(value);
  return Status::Ok();
}

}  // namespace preon

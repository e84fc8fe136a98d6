#include "config/option_values.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace preon {
namespace {

// What the name stands for. Errors: kBadOptionValue with the names.
template <typename T>
Result<T> OneOf(const std::string& name, std::initializer_list<std::pair<const char*, T>> choices) {
  std::string names;
  size_t left = choices.size();
  for (const auto& [known, choice] : choices) {
    if (name == known) return choice;
    names += StrCat(names.empty() ? "" : left == 1 ? " or " : ", ", known);
    --left;
  }
  return BadValue(name, names);
}

}  // namespace

Status BadValue(const std::string& got, std::string_view wanted) {
  return Error(ErrorId::kBadOptionValue, "got '", got, "', wanted ", wanted);
}

Status SetCount(int64_t& field, const std::string& value, int64_t least) {
  PREON_ASSIGN_OR_RETURN(const int64_t count, ParseCount(value));
  if (count < least) return BadValue(value, StrCat("a number of at least ", least));
  field = count;
  return Status::Ok();
}

Status SetSeconds(std::optional<double>& field, const std::string& value) {
  constexpr double kMostSeconds = 3600;
  field = ParseNumber<double>(value);
  if (field && *field >= 0 && *field <= kMostSeconds) return Status::Ok();
  return BadValue(value, StrCat("seconds from 0 to ", kMostSeconds));
}

Status SetDuration(std::optional<double>& field, const std::string& value) {
  const bool has_unit = !value.empty() && (value.ends_with('s') || value.ends_with('m') || value.ends_with('h'));
  const double unit = value.ends_with('m') ? 60 : value.ends_with('h') ? 3600 : 1;
  const auto number = ParseNumber<double>(std::string_view(value).substr(0, value.size() - (has_unit ? 1 : 0)));
  if (!number || !(*number > 0 && *number <= 1e9)) return BadValue(value, "a time such as 90s, 5m or 2h");
  field = *number * unit;
  return Status::Ok();
}

Status SetRequirements(std::vector<Requirement>& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(field, ParseRequirements(value));
  return Status::Ok();
}

Status SetSizeLimit(std::optional<Requirement>& field, const std::string& value) {
  const Result<std::vector<Requirement>> limits = ParseRequirements("size<=" + value);
  if (!limits.ok() || limits->size() != 1 || !(limits->front().limit > 0))
    return BadValue(value, "bytes or a share of the float model, for example 3MB or 30%");
  field = limits->front();
  return Status::Ok();
}

Status SetPercent(std::optional<double>& field, const std::string& value) {
  const std::optional<double> percent = ParseNumber<double>(value);
  if (!percent || !(*percent >= 0 && *percent <= 100)) return BadValue(value, "a number from 0 to 100");
  field = *percent / 100;
  return Status::Ok();
}

Status SetFlag(bool& field, const std::string& value, bool inverted) {
  if (value != "true" && value != "false") return BadValue(value, "true or false");
  field = (value == "true") != inverted;
  return Status::Ok();
}

Status SetDisabled(std::set<std::string>& disabled, std::string_view name, const std::string& value) {
  bool off = false;
  PREON_RETURN_IF_ERROR(SetFlag(off, value));
  off ? void(disabled.emplace(name)) : void(disabled.erase(std::string(name)));
  return Status::Ok();
}

Status SetType(TensorType& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(field, ParseTensorType(value));
  return Status::Ok();
}

Status SetWeightType(std::optional<TensorType>& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(field, ParseWeightType(value));
  return Status::Ok();
}

Status SetBFloat16(BFloat16Options& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const auto member,
                         OneOf<bool BFloat16Options::*>(value, {{"casts", &BFloat16Options::casts},
                                                                {"clip", &BFloat16Options::clip},
                                                                {"vaiml", &BFloat16Options::vaiml}}));
  field.*member = true;
  return Status::Ok();
}

Status SetFloat16(std::optional<Float16>& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(
      field,
      OneOf<Float16>(value, {{"keep-io", Float16::kKeepIo}, {"convert", Float16::kConvert}, {"off", Float16::kOff}}));
  return Status::Ok();
}

// "NAME=VALUE" with both sides present.
Result<std::pair<std::string, std::string>> SplitPair(const std::string& value, std::string_view wanted) {
  const size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) return BadValue(value, wanted);
  return std::pair(value.substr(0, equals), value.substr(equals + 1));
}

Status SetAttribute(BlockAttributes& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(value, "KEY=VALUE"));
  field[pair.first] = pair.second;
  return Status::Ok();
}

// "I/N" with I from 1 to N; `index` from 0.
Status SetPart(int64_t& index_field, int64_t& count_field, const std::string& value) {
  int64_t index = 0, count = 0;
  const char* end = value.data() + value.size();
  const auto [slash, error] = std::from_chars(value.data(), end, index);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [rest, count_error] = std::from_chars(slash + 1, end, count);
    if (count_error == std::errc() && rest == end && index >= 1 && index <= count) {
      index_field = index - 1;
      count_field = count;
      return Status::Ok();
    }
  }
  return BadValue(value, "I/N with I from 1 to N");
}

Status SetBlockSize(PlanOptions& plan, const std::string& value) {
  int64_t size = 0;
  PREON_RETURN_IF_ERROR(SetCount(size, value, 1));
  plan.block_size = size;
  return Status::Ok();
}

Status SetFloatWeights(PlanOptions& plan, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(const FloatStorage storage, ParseFloatStorage(value));
  plan.exclude.weights = FloatWeights{.smallest = storage, .excluded_too = true, .why = "asked for by --float-weights"};
  return Status::Ok();
}

Status SetSeed(uint64_t& field, const std::string& value) {
  int64_t seed = 0;
  PREON_RETURN_IF_ERROR(SetCount(seed, value, 0));
  field = static_cast<uint64_t>(seed);
  return Status::Ok();
}

Status SetActivation(Options& options, const std::string& value) {
  options.given_types.activation = true;
  return SetType(options.plan.activation, value);
}

Status SetScaleType(Options& options, const std::string& value) {
  options.given_types.scale_type = true;
  PREON_ASSIGN_OR_RETURN(options.plan.scale_type, ParseScaleType(value));
  return Status::Ok();
}

Status SetFormat(Options& options, const std::string& value) {
  const std::string name = ToLower(value);
  if (name != "qdq" && name != "qoperator" && name != "extended") return BadValue(value, "qdq, qoperator or extended");
  options.write.format.reset();
  options.plan.op_list.format.reset();
  if (name == "extended")
    options.plan.op_list.format = QuarkFormat::kExtended;
  else
    options.write.format = name == "qdq" ? QuantFormat::kQdq : QuantFormat::kQOperator;
  return Status::Ok();
}

Status SetAccuracyLevel(PlanOptions& plan, const std::string& value) {
  constexpr int64_t kLast = 4;
  int64_t level = 0;
  PREON_RETURN_IF_ERROR(SetCount(level, value, 0));
  if (level > kLast) return BadValue(value, "0 to 4");
  plan.blocks.accuracy_level = static_cast<int>(level);
  return Status::Ok();
}

Status SetEffort(Effort& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(
      field, OneOf<Effort>(value, {{"fast", Effort::kFast}, {"default", Effort::kDefault}, {"high", Effort::kHigh}}));
  return Status::Ok();
}

Status SetMemory(MemoryUse& field, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(
      field, OneOf<MemoryUse>(
                 value, {{"low", MemoryUse::kLow}, {"balanced", MemoryUse::kBalanced}, {"fast", MemoryUse::kFast}}));
  return Status::Ok();
}

Result<std::pair<std::string, Shape>> ParseShapeOf(const std::string& value) {
  constexpr std::string_view kWanted = "NAME=1x3x8x8";
  PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(value, kWanted));
  Shape shape;
  for (const std::string& size : Split(pair.second, 'x')) {
    const std::optional<int64_t> number = ParseNumber<int64_t>(size);
    if (!number) return BadValue(value, kWanted);
    shape.push_back(*number);
  }
  return std::pair(pair.first, std::move(shape));
}

Status SetRandomShape(Options& options, const std::string& value) {
  PREON_ASSIGN_OR_RETURN(auto pair, ParseShapeOf(value));
  if (std::ranges::any_of(pair.second, [](int64_t size) { return size < kDynamicDim; }))
    return BadValue(value, "NAME=1x3x64x64; -1 leaves a size open, others are at least 0");
  options.data.random.values.shapes.insert_or_assign(std::move(pair.first), std::move(pair.second));
  return Status::Ok();
}

Status SetRandomRange(Options& options, const std::string& value) {
  constexpr std::string_view kWanted = "NAME=LOW:HIGH with finite LOW <= HIGH";
  PREON_ASSIGN_OR_RETURN(const auto pair, SplitPair(value, kWanted));
  const size_t colon = pair.second.find(':');
  if (colon == std::string::npos) return BadValue(value, kWanted);
  const std::optional<double> low = ParseNumber<double>(std::string_view(pair.second).substr(0, colon));
  const std::optional<double> high = ParseNumber<double>(std::string_view(pair.second).substr(colon + 1));
  if (!low || !high || !(*low <= *high) || !std::isfinite(*high - *low)) return BadValue(value, kWanted);
  options.data.random.values.ranges[pair.first] = {*low, *high};
  return Status::Ok();
}

WorkerTask& TaskOf(WorkerOptions& workers) {
  std::optional<WorkerTask>& task = workers.task;
  return task ? *task : task.emplace();
}

Status SetWorkerPart(WorkerOptions& workers, const std::string& value) {
  WorkerTask& task = TaskOf(workers);
  return SetPart(task.part, task.parts, value);
}

}  // namespace preon

#include "quantize/params/plan_params.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/compat/compat_weights.h"
#include "formats/weight_calibration.h"
#include "quantize/params/product_pairs.h"

namespace preon {
namespace {

// Half more costs 3.5 dB of rounding error, where there are 80 dB and more; a value of an unseen sample that is cut off
// costs far more.
constexpr float kHeadroom = 1.5;

bool HasManyCodes(const IntFormat& format) {
  return !format.floating() && format.q_max() - format.q_min() >= int64_t{1} << 14;
}

// Methods that choose a power of two themselves have rounded it up: that is room already.
bool IsPowerOfTwo(const Range& range, const IntFormat& format) {
  const Result<QuantParams> params = ComputeQuantParams(range, format);
  return params.ok() && IsScaleOf(params->scale, ScaleType::kPowerOfTwo);
}

}  // namespace

Status PlanParams::Compute() {
  for (const auto& [tensor, activation] : plan_.activations)
    PREON_RETURN_IF_ERROR(ComputeWithOwner(tensor, activation));
  Align();
  return Status::Ok();
}

// Owners first: those of second pairs may share a scale themselves.
Status PlanParams::ComputeWithOwner(const std::string& tensor, const ActivationPlan& activation) {
  if (activations_.contains(tensor)) return Status::Ok();
  if (activation.shares.empty()) return ComputeOne(tensor, activation);
  ActivationParams shared{.format = activation.format};
  if (const auto table = plan_.weights.find(activation.shares); table != plan_.weights.end()) {
    shared = {.format = table->second.format, .owner = table->first};
    if (table->second.block) {
      shared.block = &*table->second.block;
    } else {
      PREON_ASSIGN_OR_RETURN(const std::vector<QuantParams> params, OfWeight(table->first, table->second));
      shared.params = params.at(0);
    }
  } else {
    PREON_RETURN_IF_ERROR(ComputeWithOwner(activation.shares, plan_.activations.at(activation.shares)));
    shared = activations_.at(activation.shares);
  }
  if (const std::optional<size_t> second = activation.shares_converted; second && *second < shared.converts.size())
    shared = {.format = shared.converts[*second].format,
              .params = shared.converted[*second],
              .owner = OwnerOfConverted(activation.shares, plan_.activations.at(activation.shares), *second)};
  PREON_RETURN_IF_ERROR(ComputeConverted(tensor, activation, shared));
  activations_[tensor] = shared;
  return Status::Ok();
}

Status PlanParams::ComputeOne(const std::string& tensor, const ActivationPlan& activation) {
  ActivationParams& made = activations_[tensor];
  made = {.format = activation.format, .owner = activation.added.empty() ? tensor : tensor + kAddedSuffix};
  if (activation.block) {
    made.block = &*activation.block;
    return ComputeConverted(tensor, activation, made);
  }
  if (activation.params) {
    made.params = *activation.params;
  } else {
    PREON_ASSIGN_OR_RETURN(const Range range, RangeOf(tensor, activation, activation.format));
    PREON_ASSIGN_OR_RETURN(made.params, maker_.Make(tensor, range, activation.format, activation.scale_type));
  }
  return ComputeConverted(tensor, activation, made);
}

Status PlanParams::ComputeConverted(const std::string& tensor, const ActivationPlan& activation,
                                    ActivationParams& made) {
  made.converts = activation.converts;
  made.converted.clear();
  for (const ConvertPlan& convert : activation.converts) {
    QuantParams& params = made.converted.emplace_back();
    if (convert.params) params = *convert.params;
    if (convert.params || convert.block) continue;
    Range range;
    if (!convert.range.complete()) {
      PREON_ASSIGN_OR_RETURN(range, RangeOf(tensor, activation, convert.format));
    }
    if (convert.range) range = convert.range.Over(range);
    PREON_ASSIGN_OR_RETURN(params, maker_.Make(tensor, range, convert.format, convert.scale_type));
  }
  return Status::Ok();
}

Result<Range> PlanParams::RangeOf(const std::string& tensor, const ActivationPlan& activation,
                                  const IntFormat& format) const {
  if (activation.source == RangeSource::kFixed) return activation.fixed;
  const auto found = ranges_.find(tensor);
  if (found == ranges_.end()) {
    return Error(ErrorId::kRangeMissing, tensor, ": no range; wanted one from calibration data that reach it");
  }
  Range range = found->second;
  if (plan_.improves_ranges && HasManyCodes(format) && !IsPowerOfTwo(range, format)) {
    range = {kHeadroom * range.min, kHeadroom * range.max};
  }
  return activation.bounds ? activation.bounds.Over(range) : range;
}

const ActivationParams* PlanParams::Find(const std::string& tensor) const {
  const auto found = activations_.find(tensor);
  return found == activations_.end() || found->second.block != nullptr ? nullptr : &found->second;
}

QuantParams PlanParams::SeenBy(const std::string& node, const std::string& tensor) const {
  const ActivationParams& found = activations_.at(tensor);
  for (size_t index = 0; index < found.converts.size(); ++index) {
    const std::set<std::string>& nodes = found.converts[index].nodes;
    if (nodes.empty() || nodes.contains(node)) return found.converted[index];
  }
  return found.params;
}

Result<std::vector<Range>> PlanParams::RangesOfWeight(const std::string& weight, const WeightPlan& plan) const {
  if (plan.range) {
    PREON_ASSIGN_OR_RETURN(const Range range, plan.range.OverExtremes(*graph_.Initializer(weight)));
    return std::vector<Range>{range};
  }
  if (!plan.channel_ranges.empty()) return plan.channel_ranges;
  Tensor values = *graph_.Initializer(weight);
  int axis = plan.axis;
  if (plan.block_size > 0) {
    PREON_ASSIGN_OR_RETURN(values, RowsOfBlocks(values, std::exchange(axis, 0), plan.block_size));
  }
  if (plan_.compat != Compat::kOff) return WeightRanges(values, axis);
  return CalibrateWeight(values, axis, plan.format, plan.scale_type, plan.rule);
}

Result<std::vector<QuantParams>> PlanParams::OfWeight(const std::string& weight, const WeightPlan& plan) {
  const auto bounds = bounds_.find(weight);
  return bounds == bounds_.end() ? Unbounded(weight, plan) : WithinBounds(weight, plan, bounds->second);
}

bool PlanParams::IsSettled(const std::string& constant) const {
  const auto bounds = bounds_.find(constant);
  return bounds != bounds_.end() && bounds->second.lowest == bounds->second.highest;
}

std::optional<int> PlanParams::UsedPosition(const std::string& constant) const {
  const auto used = used_.find(constant);
  return used == used_.end() ? std::nullopt : std::optional(used->second);
}

Result<std::vector<QuantParams>> PlanParams::WithinBounds(const std::string& weight, const WeightPlan& plan,
                                                          PositionBounds bounds) {
  std::vector<QuantParams> params = {QuantParams{1, 0}};
  int position = bounds.lowest;
  if (bounds.lowest != bounds.highest) {
    PREON_ASSIGN_OR_RETURN(params, Unbounded(weight, plan));
    const auto wanted = static_cast<int>(std::lround(-std::log2(double{params.at(0).scale})));
    position = std::clamp(wanted, bounds.lowest, bounds.highest);
  }
  params.at(0).scale = std::ldexp(1.0f, -position);
  used_[weight] = position;
  return params;
}

Result<std::vector<QuantParams>> PlanParams::Unbounded(const std::string& weight, const WeightPlan& plan) {
  if (plan.params) return std::vector<QuantParams>{*plan.params};
  if (!plan.channel_params.empty()) return plan.channel_params;
  const WeightMethod method = plan.rule.method.value_or(WeightMethod::kMinMax);
  if (plan_.compat != Compat::kOff && plan.channel_ranges.empty() && plan.block_size == 0 && !plan_.min_real_range) {
    compat::WeightOptions options{.scale_type = plan.scale_type,
                                  .method = method,
                                  .search = plan.rule.search.value_or(WeightSearch::kPercentile),
                                  .tool = plan_.compat};
    if (plan.range) {
      PREON_ASSIGN_OR_RETURN(options.range, plan.range.OverExtremes(*graph_.Initializer(weight)));
    }
    return compat::WeightParams(*graph_.Initializer(weight), plan.axis, plan.format, options);
  }
  Result<std::vector<Range>> ranges = RangesOfWeight(weight, plan);
  if (!ranges.ok()) return std::move(ranges).status().WithContext(weight);
  std::vector<QuantParams> params;
  for (const Range& range : *ranges) {
    PREON_ASSIGN_OR_RETURN(params.emplace_back(), maker_.Make(weight, range, plan.format, plan.scale_type));
  }
  if (plan.fits_pairs) FitProductPairs(graph_, plan, *graph_.Initializer(weight), params);
  return params;
}

float PlanParams::ScaleBeforeAlignment(const std::string& tensor) const {
  const auto unaligned = unaligned_.find(tensor);
  return unaligned != unaligned_.end() ? unaligned->second : activations_.at(tensor).params.scale;
}

void PlanParams::Align() {
  bool changed = true;
  for (int64_t round = 0; round < plan_.align_rounds && changed; ++round) {
    changed = false;
    for (const auto& [tensor, from] : plan_.aligned) {
      const ActivationParams source = activations_.at(from);
      const std::string owner = activations_.at(tensor).owner;
      for (auto& [name, activation] : activations_) {
        if (activation.owner != owner || activation.block != nullptr || activation.format.type != source.format.type)
          continue;
        changed = changed || activation.params != source.params;
        unaligned_.emplace(name, activation.params.scale);
        activation.params = source.params;
      }
    }
  }
}

}  // namespace preon

#include "handover/rounding_errors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "formats/int_format.h"
#include "runtime/observed_session.h"

namespace preon {
namespace {

constexpr int64_t kRuns = 8;
constexpr int64_t kElements = 16384;  // of a tensor and run, evenly spread

// Some elements of each tensor in one run.
class ElementPicker final : public TensorObserver {
 public:
  explicit ElementPicker(size_t tensors) : picked_(tensors) {}

  void Observe(size_t index, const ObservedValue& value, const ParallelFor& /*parallel_for*/) override {
    picked_[index] = SomeElements(value, kElements);
  }
  const std::vector<std::vector<float>>& picked() const { return picked_; }

 private:
  std::vector<std::vector<float>> picked_;
};

// The tensor of the quantized model that has the rounded values of `name`.
std::string RoundedIn(const Graph& quantized, const std::string& name) {
  for (const Use& use : quantized.Uses(name)) {
    if (!QuantizesTensor(*use.node) || use.input != 0) continue;
    for (const Use& reader : quantized.Uses(use.node->output()))
      if (DequantizesTensor(*reader.node) && reader.input == 0) return reader.node->output();
  }
  return "";
}

void AddRun(const std::vector<float>& exact, const std::vector<float>& got, const QuantParams& params,
            const IntFormat& format, RoundingError& error) {
  for (size_t i = 0; i < std::min(exact.size(), got.size()); ++i) {
    const double value = exact[i], noise = got[i] - value;
    if (!std::isfinite(value) || !std::isfinite(noise)) continue;
    const int64_t code = EncodeValue(exact[i], params, format);
    const double own = params.scale * static_cast<double>(code - params.zero_point) - value;
    error.signal += value * value;
    error.own += own * own;
    error.noise += noise * noise;
  }
}

nlohmann::ordered_json DbOver(double signal, double noise) {
  if (!(signal > 0) || !(noise > 0)) return nullptr;
  return std::round(1000 * 10 * std::log10(signal / noise)) / 1000;
}

}  // namespace

Result<std::vector<RoundingError>> MeasureActivations(const Model& quantized, const TrainingForm& form,
                                                      DataSource& source, const RunContext& context) {
  std::vector<RoundingError> errors;
  std::vector<const RoundedTensor*> tensors;
  std::vector<std::string> exact_names, rounded_names;
  for (const RoundedTensor& tensor : form.tensors) {
    const std::string rounded = RoundedIn(quantized.graph, tensor.name);
    if (tensor.constant || tensor.codes.params.size() != 1 || rounded.empty() ||
        !form.float_model.graph.HasTensor(tensor.name))
      continue;
    errors.push_back({.name = tensor.name});
    tensors.push_back(&tensor);
    exact_names.push_back(tensor.name);
    rounded_names.push_back(rounded);
  }
  if (tensors.empty()) return errors;
  ElementPicker exact(tensors.size()), got(tensors.size());
  const ObservedSessionOptions as_written{.session = {.threads = context.ThreadCount()}, .optimize = false};
  PREON_ASSIGN_OR_RETURN(ObservedSession float_session,
                         ObservedSession::Open(form.float_model, exact_names, &exact, as_written, context));
  PREON_ASSIGN_OR_RETURN(ObservedSession session,
                         ObservedSession::Open(quantized, rounded_names, &got, as_written, context));
  for (int64_t run = 0; run < kRuns; ++run) {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source.Next());
    if (!batch) break;
    PREON_RETURN_IF_ERROR(float_session.Run(batch->feeds, context).status());
    PREON_RETURN_IF_ERROR(session.Run(batch->feeds, context).status());
    for (size_t i = 0; i < tensors.size(); ++i) {
      const StoredCodes& codes = tensors[i]->codes;
      AddRun(exact.picked()[i], got.picked()[i], codes.params[0], {.type = codes.type}, errors[i]);
    }
  }
  return errors;
}

std::string SensitivityText(std::vector<RoundingError> errors) {
  const auto share = [](const RoundingError& error) { return error.signal > 0 ? error.own / error.signal : 0; };
  std::ranges::stable_sort(errors, std::greater(), share);
  nlohmann::ordered_json json = {{"tensors", nlohmann::ordered_json::array()}};
  for (const RoundingError& error : errors)
    json["tensors"].push_back({{"name", error.name},
                               {"constant", error.constant},
                               {"own_db", DbOver(error.signal, error.own)},
                               {"inherited_db", DbOver(error.signal, std::max(0.0, error.noise - error.own))}});
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace preon

// ConstantWriter: codes of weights and biases, by our rules or, with QuantPlan::compat, by another tool's.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/qdq_writer.h"
#include "quantize/write/type_writer.h"
#include "quantize/write/write_hook.h"

namespace preon {

class ConstantWriter {
 public:
  ConstantWriter(Graph& graph, const QuantPlan& plan, const WriteHooks& hooks, PlanParams& params, QdqWriter& qdq,
                 TypeWriter& types)
      : graph_(graph), plan_(plan), hooks_(hooks), params_(params), qdq_(qdq), types_(types) {}

  /// Weights first: their scales may grow to keep a bias inside int32. Errors: kRangeInvalid, kQuantizeFailed.
  Status Write();
  /// The scales that a weight gets: its own, larger where a bias of int32 codes needs it.
  Result<std::vector<QuantParams>> ParamsOf(const std::string& weight, const WeightPlan& plan);
  /// Weights whose scales did.
  const std::set<std::string>& enlarged() const { return enlarged_; }
  /// Weights with given scales whose codes are nearer to 0 than the values ask for, so that pairs of products fit.
  const std::set<std::string>& reduced() const { return reduced_; }

 private:
  Status RoundToCodesBefore();
  Status WriteBlockWeight(const std::string& weight, const WeightPlan& plan,
                          const std::vector<const BiasPlan*>& biases);
  Status WriteWeight(const std::string& weight, const WeightPlan& plan, const std::vector<const BiasPlan*>& biases);
  std::vector<QuantParams> Protected(std::vector<QuantParams> params, const BiasPlan& bias,
                                     const IntFormat& format) const;
  Status WriteBias(const BiasPlan& bias, const std::vector<QuantParams>& weight_params, const Tensor* error = nullptr);
  std::vector<float> BiasValues(const BiasPlan& bias, size_t scales) const;
  Result<EncodedTensor> Rounded(const WeightToRound& weight);
  bool IsShifted(const BiasPlan& bias) const;
  std::vector<float> ShiftedBias(const BiasPlan& bias, std::vector<float> values, const Tensor& error) const;
  Result<EncodedBias> Encoded(const BiasPlan& bias, std::vector<float> values,
                              const std::vector<QuantParams>& weight_params);

  Graph& graph_;
  const QuantPlan& plan_;
  const WriteHooks& hooks_;
  PlanParams& params_;
  QdqWriter& qdq_;
  TypeWriter& types_;
  std::set<std::string> enlarged_, reduced_;
};

}  // namespace preon

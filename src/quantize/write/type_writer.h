// Writes the nodes and constants that give a tensor its type, in the form that the plan asks for.
#pragma once

#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/qdq_writer.h"

namespace preon {

class TypeWriter {
 public:
  TypeWriter(Graph& graph, QdqWriter& qdq, const QuantPlan& plan) : graph_(graph), qdq_(qdq), plan_(plan) {}

  /// The type of codes, with scales and zero points; `shared` is where several tensors have the same constants.
  struct Codes {
    DataType type;
    std::vector<QuantParams> params;
    int axis = -1;
    const ParamNames* shared = nullptr;
  };

  /// y = x as codes and back. Errors: those of the form.
  Status WriteCodes(const RoundTripNames& names, const Codes& codes);
  /// y = x in blocks. Errors: those of the form.
  Status WriteBlocks(const RoundTripNames& names, const BlockPlan& block);

  /// Bfloat16: the values without denormals, which its hardware has not, and without what would overflow. Others
  /// as they are.
  static Tensor Representable(const Tensor& values, DataType type);

  /// A constant of codes, for the plan's nodes. Errors: kNotYetSupported where nothing of the standard decodes them.
  Status WriteWeight(const std::string& weight, const WeightPlan& plan, const EncodedTensor& encoded);
  /// What a constant in blocks is read as. Errors: kRangeNotFinite for NaN and infinity.
  Result<Tensor> RoundedToBlocks(const std::string& weight, const Tensor& values, const WeightPlan& plan) const;
  /// A constant in blocks. Errors: kRangeNotFinite for NaN and infinity, those of the form.
  Status WriteBlockWeight(const std::string& weight, const WeightPlan& plan);

 private:
  /// Whose arithmetic blocks have.
  BlockSpec SpecOf(const BlockPlan& block) const;
  void Fold(const std::string& weight, const WeightPlan& plan, Tensor values);

  Graph& graph_;
  QdqWriter& qdq_;
  const QuantPlan& plan_;
};

}  // namespace preon

// PairWriter: the pairs of a plan's activations: one for all readers, one each, or a second one of another type.
#pragma once

#include <set>
#include <string>

#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/qdq_writer.h"
#include "quantize/write/type_writer.h"

namespace preon {

class PairWriter {
 public:
  PairWriter(Graph& graph, QdqWriter& qdq, TypeWriter& types) : graph_(graph), qdq_(qdq), types_(types) {}

  /// @param readers  who reads the pair; null: everyone. With `named` the tensor's name is that of the result.
  Status Write(const std::string& tensor, const ActivationPlan& plan, const ActivationParams& params, bool named,
               const std::set<const Node*>* readers);

 private:
  Status WriteOne(const RoundTripNames& names, const ActivationParams& params);
  Status WriteDedicated(const std::string& tensor, const ActivationPlan& plan, const ActivationParams& params);
  Status WriteConverted(const std::string& tensor, const ActivationPlan& plan, const ActivationParams& params,
                        bool named);
  RoundTripNames NamesOf(const std::string& tensor, const ActivationPlan& plan, size_t index) const;
  std::string AddedOutput(const std::string& added, const BlockPlan* block) const;
  ParamNames ConstantsOf(const std::string& tensor, const ActivationPlan& plan, const QuantParams& values,
                         size_t index);

  Graph& graph_;
  QdqWriter& qdq_;
  TypeWriter& types_;
};

}  // namespace preon

#include "algorithms/finetune_options.h"

namespace preon {

ReconstructionScope FinetuneScope(const AlgorithmValues& values) {
  ReconstructionScope scope{.samples = values.Integer("data-size"),
                            .selective = values.Flag("selective-update"),
                            .parallel = values.Flag("parallel")};
  const std::vector<std::string> types = values.TextList("target-op-type");
  scope.op_types = {types.begin(), types.end()};
  if (values.set().contains("output-index")) scope.output = values.Integer("output-index");
  if (values.set().contains("cost")) scope.most_cost = values.Number("cost");
  return scope;
}

}  // namespace preon

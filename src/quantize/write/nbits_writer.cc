#include "quantize/write/nbits_writer.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "base/file.h"
#include "base/parallel.h"
#include "formats/quark_operators.h"

namespace preon {
namespace {

constexpr int64_t kSmallestBlock = 16;

// Names of the constants, and what the operator has to know of them.
struct Encoded {
  std::string codes, scales, zero_points;
  int64_t rows, columns, block_size;
};

class NBitsWriter {
 public:
  NBitsWriter(Model& model, const NBitsPlan& plan, const WriteHooks& hooks, int threads)
      : graph_(model.graph), plan_(plan), hooks_(hooks), parallel_for_(OnThreads(static_cast<size_t>(threads))) {}

  Status Replace(Node* node) {
    const bool gemm = node->Is("Gemm");
    const bool transposed = gemm && node->Int("transB", 0) != 0;
    PREON_ASSIGN_OR_RETURN(const Encoded* encoded, Encode(*node, transposed));
    std::vector<std::string> inputs = {node->input(0), encoded->codes, encoded->scales};
    const bool bias = gemm && !node->input(2).empty();
    if (!encoded->zero_points.empty() || bias) inputs.push_back(encoded->zero_points);
    if (bias) inputs.insert(inputs.end(), {"", node->input(2)});
    Node* made = graph_.AddNode("MatMulNBits", std::move(inputs), node->outputs(), plan_.NameInResult(node->name),
                                std::string(kContribDomain), node);
    made->origins = node->origins;
    made->home = node->home;
    made->attributes = {{"K", encoded->rows},
                        {"N", encoded->columns},
                        {"bits", int64_t{plan_.options.bits}},
                        {"block_size", encoded->block_size}};
    if (plan_.accuracy_level) made->attributes["accuracy_level"] = int64_t{*plan_.accuracy_level};
    graph_.RemoveNode(node);
    return Status::Ok();
  }

 private:
  std::span<const float> ImportanceFor(const Node& node) const {
    for (const auto& hook : hooks_)
      if (const std::span<const float> importance = hook->ImportanceOfInputs(node.name); !importance.empty())
        return importance;
    return {};
  }

  Result<const Encoded*> Encode(const Node& node, bool transposed) {
    const std::string& weight = node.input(1);
    const auto known = encoded_.find({weight, transposed});
    if (known != encoded_.end()) return &known->second;
    const Tensor* values = graph_.Initializer(weight);
    const Tensor matrix = transposed ? TransposedMatrix(*values) : *values;
    NBitsOptions options = plan_.options;
    // A block beyond the matrix would only store zeros.
    const auto rows = static_cast<uint64_t>(matrix.shape()[0]);
    if (plan_.shrinks_blocks)
      options.block_size =
          std::min(options.block_size, std::max<int64_t>(kSmallestBlock, static_cast<int64_t>(std::bit_ceil(rows))));
    Result<NBitsWeight> packed = EncodeNBits(matrix, options, parallel_for_, ImportanceFor(node));
    if (!packed.ok()) return std::move(packed).status().WithContext(weight);
    const auto add = [&](const std::string& ending, Tensor tensor) {
      const std::string name = graph_.UniqueTensorName(weight + ending);
      graph_.SetInitializer(name, std::move(tensor));
      return name;
    };
    Encoded encoded{add(StrCat("_Q", options.bits), packed->codes),
                    add("_scales", packed->scales),
                    "",
                    matrix.shape()[0],
                    matrix.shape()[1],
                    options.block_size};
    HasReadMapped(values->bytes().size());
    if (packed->zero_points) encoded.zero_points = add("_zero_points", *packed->zero_points);
    return &encoded_.emplace(std::pair(weight, transposed), std::move(encoded)).first->second;
  }

  Graph& graph_;
  const NBitsPlan& plan_;
  const WriteHooks& hooks_;
  const ParallelFor parallel_for_;
  std::map<std::pair<std::string, bool>, Encoded> encoded_;
};

}  // namespace

Status WriteNBits(Model& model, const NBitsPlan& plan, const WriteHooks& hooks, int threads) {
  if (plan.nodes.empty()) return Status::Ok();
  NBitsWriter writer(model, plan, hooks, threads);
  for (const std::string& name : plan.nodes) PREON_RETURN_IF_ERROR(writer.Replace(model.graph.FindNode(name)));
  model.opsets.emplace(std::string(kContribDomain), 1);
  model.graph.RemoveUnusedInitializers();
  return model.graph.CheckIntegrity();
}

}  // namespace preon

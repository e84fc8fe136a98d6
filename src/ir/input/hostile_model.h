// What the ONNX library and the runtime take from a model without looking: checked before either sees it.
#pragma once

#include "base/status.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace preon {

inline constexpr int kMaxRank = 64;
inline constexpr int64_t kMaxAttribute = 0x7fffffff;
/// The runtime takes 1 s for 8,000 and 30 s for 32,000 nodes that it writes out.
inline constexpr int64_t kMaxExpandedNodes = 20'000;
inline constexpr int kMaxFunctionDepth = 64;

/// Every node and tensor of every graph, sub-graph and function: attributes that the runtime divides by or makes shapes
/// of are from 1 (paddings from 0) to kMaxAttribute, tensors have at most kMaxRank dimensions, functions don't call
/// themselves, lie at most kMaxFunctionDepth deep and, written out, make at most kMaxExpandedNodes nodes.
/// Errors: kModelInvalid, kModelTooLarge. (docs/design/hostile-input.md)
Status CheckHostileModel(const onnx::ModelProto& model);

}  // namespace preon

#include "quantize/write/scaled_axes.h"

#include "formats/quark_operators.h"

namespace preon {

std::optional<ScaledAxes> ScaledAxesOf(const Node& node, size_t input, size_t rank) {
  const auto only = [](size_t axis) { return ScaledAxes{axis, axis + 1}; };
  if (rank < 2) return std::nullopt;
  if (node.Is("Conv") && input == 1) return only(0);
  if (node.Is("ConvTranspose") && input == 1) return only(1);
  if (node.Is("Gemm") && input == 1) return only(node.Int("transB", 0) != 0 ? 0 : 1);
  if (node.Is("MatMul")) return only(input == 1 ? rank - 1 : rank - 2);
  if (node.Is("Gather") && input == 0) return only(0);
  const bool is_recurrent = node.Is("LSTM") || node.Is("GRU") || node.Is("RNN");
  if (is_recurrent && rank == 3 && (input == 1 || input == 2)) return ScaledAxes{0, 2};
  if (node.domain == kContribDomain && node.op_type == "Attention" && input == 1) return only(rank - 1);
  return std::nullopt;
}

}  // namespace preon

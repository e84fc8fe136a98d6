#include "search/sum_of_squares.h"

namespace preon {

std::string AddSumOfSquares(Graph& graph, const std::string& tensor) {
  const std::string sum = graph.UniqueTensorName(tensor + "_sum");
  graph.AddNode("ReduceSumSquare", {tensor}, {sum}, "", "", graph.FirstPlaceToRead(tensor))->attributes["keepdims"] =
      int64_t{0};
  ValueInfo info;
  info.type = DataType::kFloat;
  info.shape = Shape{};
  graph.AddOutput(sum, info);
  return sum;
}

}  // namespace preon

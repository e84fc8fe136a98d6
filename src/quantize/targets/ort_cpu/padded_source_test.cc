#include "quantize/targets/ort_cpu/padded_source.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

std::string SourceOf(const Graph& graph, const std::string& tensor) {
  return PaddedSource(graph, tensor, [](const Node& node) { return node.Is("Slice") || node.Is("Pad"); });
}

GraphBuilder WithSlices() {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Exp", {"x"}, "t");
  b.Op("Slice", {"t"}, "left");
  b.Op("Slice", {"t"}, "right");
  return b;
}

TEST(PaddedSource, OfATensorBetweenSlicesOfIt) {
  GraphBuilder b = WithSlices();
  b.Op("Concat", {"left", "t", "right"}, "wide");
  b.Op("Slice", {"wide"}, "top");
  b.Op("Concat", {"top", "wide", "top"}, "all");
  EXPECT_EQ(SourceOf(b.model.graph, "wide"), "t");
  EXPECT_EQ(SourceOf(b.model.graph, "all"), "t");
}

TEST(PaddedSource, OfPad) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Pad", {"x"}, "wide");
  EXPECT_EQ(SourceOf(b.model.graph, "wide"), "x");
}

TEST(PaddedSource, NoneOfSlicesAlone) {
  GraphBuilder b = WithSlices();
  b.Op("Concat", {"left", "right"}, "ends");  // may leave the largest value out
  EXPECT_EQ(SourceOf(b.model.graph, "ends"), "");
  EXPECT_EQ(SourceOf(b.model.graph, "left"), "");
  EXPECT_EQ(SourceOf(b.model.graph, "t"), "");
}

TEST(PaddedSource, NoneBesideOtherValues) {
  GraphBuilder b = WithSlices();
  b.Op("Exp", {"t"}, "other");
  b.Op("Concat", {"t", "other"}, "both");
  b.Op("Concat", {"t", b.Constant("zeros", {1, 4, 8, 8}, 0)}, "with_constant");
  EXPECT_EQ(SourceOf(b.model.graph, "both"), "");
  EXPECT_EQ(SourceOf(b.model.graph, "with_constant"), "");
}

}  // namespace
}  // namespace preon

#include "quantize/targets/ort_cpu/padded_source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "base/text.h"
#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

std::string SourceOf(const Graph& graph, const std::string& tensor, const std::string& in_float = "") {
  const std::function<bool(const Node&)> moves = [&](const Node& node) {
    return node.name != in_float && (node.Is("Slice") || node.Is("Pad") || node.Is("Resize") || node.Is("Concat"));
  };
  return PaddedSources(graph, moves).Of(tensor);
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

TEST(PaddedSource, NotThroughNodesThatStayFloat) {
  GraphBuilder b = WithSlices();
  b.Op("Concat", {"left", "t", "right"}, "wide");
  b.Op("Slice", {"wide"}, "top");
  b.Op("Concat", {"top", "wide", "top"}, "all");
  const Graph& graph = b.model.graph;
  EXPECT_EQ(SourceOf(graph, "wide", "wide_node"), "");
  EXPECT_EQ(SourceOf(graph, "all", "wide_node"), "wide");
  EXPECT_EQ(SourceOf(graph, "wide", "left_node"), "");
}

TEST(PaddedSource, AResizeMayLeaveTheLargestValueOut) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Resize", {"x"}, "half");
  b.Op("Pad", {"half"}, "wide");
  b.Op("Concat", {"half", "x"}, "both");
  EXPECT_EQ(SourceOf(b.model.graph, "wide"), "");
  EXPECT_EQ(SourceOf(b.model.graph, "both"), "x");
}

TEST(PaddedSource, LooksAtEachTensorOnce) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Exp", {"x"}, "t0");
  for (int i = 0; i < 24; ++i) {
    const std::string half = StrCat("t", i);
    b.Op("Concat", {half, half}, StrCat("t", i + 1));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(SourceOf(b.model.graph, "t24"), "t0");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
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

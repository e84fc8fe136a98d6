#include "reconstruct/layer_rows.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/test_models.h"
#include "runtime/session.h"
#include "solver/dense.h"

namespace preon {
namespace {

using test::EmptyModel;
using test::Wave;

std::vector<Place> AllPlaces(const Node& node, const Shape& output) { return PlacesOf(node, output, 0, 1 << 20); }

// The layer's rows times its weights, plus its bias, are what the runtime gives.
void ExpectAsTheRuntime(Model model, const Shape& input, const Shape& weight) {
  model.graph.SetInitializer("w", Wave(weight));
  const Node& node = *model.graph.nodes()[0];
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  Session session = Session::OpenModel(model, {}, RunContext()).value();
  const Tensor x = Wave(input);
  const Tensor y = session.Run({{"x", x}}, RunContext()).value()[0].tensor;
  const LayerForm form = FormOfLayer(node, weight).value();
  const std::vector<Place> places = AllPlaces(node, y.shape());
  const Matrix expected = OutputRows(node, y, places);
  ASSERT_EQ(expected.values().size(), static_cast<size_t>(y.count()));
  const size_t group_rows = places.size() + 2;  // as if another run's followed
  Matrix rows(form.groups * group_rows, form.inputs);
  InputRows(node, form, {x, {}}, places, y.shape(), {rows.view(), group_rows});
  for (size_t group = 0; group < form.groups; ++group) {
    Matrix got(places.size(), form.outputs);
    AddProduct(rows.view().Rows(group * group_rows, places.size()),
               WeightsOf(form, Wave(weight), group, form.all()).view(), 1, got.view());
    for (size_t p = 0; p < got.rows(); ++p) {
      for (size_t j = 0; j < form.outputs; ++j)
        ASSERT_NEAR(got.at(p, j), expected.at(p, group * form.outputs + j), 1e-4) << p << " " << j;
    }
  }
}

Model OneNode(const std::string& type, const Shape& input) {
  Model model = EmptyModel(input);
  model.graph.AddNode(type, {"x", "w"}, {"y"}, "node");
  return model;
}

TEST(LayerRows, ConvolutionsOfAnyFormAreAsTheRuntimeComputesThem) {
  const Shape image = {2, 4, 9, 7};
  ExpectAsTheRuntime(OneNode("Conv", image), image, {5, 4, 3, 3});
  Model strided = OneNode("Conv", image);
  Node& node = *strided.graph.nodes()[0];
  node.attributes["strides"] = std::vector<int64_t>{2, 1};
  node.attributes["dilations"] = std::vector<int64_t>{1, 2};
  node.attributes["pads"] = std::vector<int64_t>{1, 0, 2, 3};
  ExpectAsTheRuntime(strided, image, {5, 4, 3, 2});
  node.attributes["group"] = int64_t{2};
  ExpectAsTheRuntime(strided, image, {6, 2, 3, 2});
  node.attributes["group"] = int64_t{4};
  ExpectAsTheRuntime(strided, image, {8, 1, 3, 2});
  Model line = OneNode("Conv", {2, 3, 11});
  line.graph.nodes()[0]->attributes["pads"] = std::vector<int64_t>{2, 1};
  ExpectAsTheRuntime(line, {2, 3, 11}, {4, 3, 4});
  ExpectAsTheRuntime(OneNode("Conv", {1, 2, 4, 5, 6}), {1, 2, 4, 5, 6}, {3, 2, 2, 3, 2});
}

TEST(LayerRows, PaddingMayBeLeftToTheRuntime) {
  const Shape image = {2, 4, 9, 6};
  Model model = OneNode("Conv", image);
  Node& node = *model.graph.nodes()[0];
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    node.attributes["auto_pad"] = std::string(mode);
    for (const int64_t stride : {1, 2, 3}) {
      node.attributes["strides"] = std::vector<int64_t>{stride, 2};
      for (const Shape& weight : {Shape{5, 4, 3, 4}, Shape{5, 4, 2, 1}}) ExpectAsTheRuntime(model, image, weight);
    }
  }
}

TEST(LayerRows, SoAreProductsOfMatrices) {
  ExpectAsTheRuntime(OneNode("MatMul", {3, 4, 6}), {3, 4, 6}, {6, 5});
  ExpectAsTheRuntime(OneNode("MatMul", {6}), {6}, {6, 5});
  ExpectAsTheRuntime(OneNode("Gemm", {3, 6}), {3, 6}, {6, 5});
  Model transposed = OneNode("Gemm", {3, 6});
  transposed.graph.nodes()[0]->attributes["transB"] = int64_t{1};
  ExpectAsTheRuntime(transposed, {3, 6}, {5, 6});
}

TEST(LayerRows, CodesAreReadAsWhatTheyMean) {
  const Shape image = {1, 2, 3, 3}, output = {1, 4, 3, 3};
  Model model = OneNode("Conv", image);
  Node& node = *model.graph.nodes()[0];
  node.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  const LayerForm form = FormOfLayer(node, {4, 2, 3, 3}).value();
  const std::vector<Place> places = AllPlaces(node, output);
  const auto rows = [&](const Tensor& input, const QuantParams& params) {
    Matrix read(places.size(), form.inputs);
    InputRows(node, form, {input, params}, places, output, {read.view(), places.size()});
    return read.values();
  };
  for (const DataType type : {DataType::kUInt8, DataType::kInt8, DataType::kUInt16}) {
    const QuantParams params{.scale = 0.25F, .zero_point = 3};
    const Tensor codes = EncodeTensor(Wave(image), {params}, -1, {.type = type}).value().codes;
    EXPECT_EQ(rows(codes, params), rows(DecodeTensor({.codes = codes, .params = {params}}), {})) << DataTypeName(type);
  }
}

TEST(LayerRows, WhatRowsDoNotFollowHasNoForm) {
  Model gemm = OneNode("Gemm", {4, 3});
  gemm.graph.nodes()[0]->attributes["transA"] = int64_t{1};
  EXPECT_FALSE(FormOfLayer(*gemm.graph.nodes()[0], {4, 5}));
  EXPECT_FALSE(FormOfLayer(*OneNode("MatMul", {2, 3, 4}).graph.nodes()[0], {2, 4, 5}));
}

TEST(LayerRows, PlacesAreSpreadAndDependOnTheSampleAlone) {
  const Model model = OneNode("Conv", {2, 1, 40, 50});
  const Node& node = *model.graph.nodes()[0];
  const std::vector<Place> two = PlacesOf(node, {2, 8, 40, 50}, 6, 100), one = PlacesOf(node, {1, 8, 40, 50}, 7, 100);
  ASSERT_EQ(two.size(), 200U);
  std::set<int64_t> parts;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(two[100 + i].at, one[i].at);  // sample 7, alone or in a batch
    parts.insert(one[i].at / 20);
  }
  EXPECT_EQ(parts.size(), 100U);  // one in each hundredth of the 2000
}

}  // namespace
}  // namespace preon

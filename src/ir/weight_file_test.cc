#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "ir/input/windowed_input_stream.h"
#include "ir/model_io.h"
#include "ir/test_protos.h"

namespace preon {
namespace {

Model WithWeights() {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "graph";
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{1, 512}});
  std::vector<float> values(512);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7;
  model.graph.SetInitializer("large", Tensor::FromFloats({512}, values));
  model.graph.SetInitializer("odd", Tensor::FromFloats({3, 171}, std::vector<float>(513, 3)));
  model.graph.SetInitializer("small", Tensor::ScalarFloat(2));
  model.graph.AddNode("Add", {"x", "large"}, {"sum"});
  model.graph.AddNode("Mul", {"sum", "small"}, {"y"});
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  return model;
}

bool IsEmpty(const std::string& folder) { return std::filesystem::is_empty(folder); }

TEST(MoveWeightsToFile, KeepsTheModelAndItsValues) {
  const TempDir parent = *TempDir::Create(testing::TempDir());
  const Model before = WithWeights();
  {
    Model model = before;
    ASSERT_TRUE(MoveWeightsToFile(model, parent.path()).ok());
    ASSERT_TRUE(model.weight_file.has_value());
    EXPECT_EQ(*SerializeModel(model), *SerializeModel(before));
    EXPECT_NE(model.graph.Initializer("large")->bytes().data(), before.graph.Initializer("large")->bytes().data());
    EXPECT_EQ(model.graph.Initializer("small")->bytes().data(), before.graph.Initializer("small")->bytes().data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(model.graph.Initializer("odd")->bytes().data()) % 64, 0u);
    const Model copy = model;  // the file lives as long as one of them
    model = Model();
    EXPECT_FALSE(IsEmpty(parent.path()));
    EXPECT_EQ(*SerializeModel(copy), *SerializeModel(before));
  }
  EXPECT_TRUE(IsEmpty(parent.path()));
}

TEST(MoveWeightsToFile, DetachedWeightsInItAreNamedNotGiven) {
  Model model = WithWeights();
  ASSERT_TRUE(MoveWeightsToFile(model, testing::TempDir()).ok());
  model.graph.SetInitializer("large", Tensor::FromFloats({512}, std::vector<float>(512, 1)));  // a pass has replaced it
  model.graph.AddNode("Add", {"y", "large"}, {"z"});
  const DetachedModel detached = *DetachWeights(model);
  ASSERT_EQ(detached.weights.size(), 1u);
  EXPECT_EQ(detached.weights[0].name, "large");
  EXPECT_EQ(detached.folder, std::filesystem::path(model.weight_file->path).parent_path());
  const onnx::ModelProto proto = [&] {
    onnx::ModelProto parsed;
    parsed.ParseFromString(detached.bytes);
    return parsed;
  }();
  for (const auto& tensor : proto.graph().initializer()) {
    if (tensor.name() == "odd") {
      EXPECT_EQ(tensor.external_data(0).value(), "weights.data");
    }
  }
}

TEST(MoveWeightsToFile, WithoutAPlaceToWriteTheModelStaysAsItIs) {
  Model model = WithWeights();
  const std::byte* before = model.graph.Initializer("large")->bytes().data();
  EXPECT_EQ(MoveWeightsToFile(model, "/nowhere/at/all").id(), ErrorId::kIoWrite);
  EXPECT_EQ(model.graph.Initializer("large")->bytes().data(), before);
  EXPECT_FALSE(model.weight_file.has_value());
}

// Strings that begin in one window and end some windows later, small fields on both sides of a border.
TEST(WindowedInputStream, ParsesWhatTheArrayHolds) {
  onnx::GraphProto graph;
  for (int index = 0; index < 7; ++index) {
    onnx::TensorProto* tensor = graph.add_initializer();
    tensor->set_name("t" + std::to_string(index));
    tensor->set_data_type(onnx::TensorProto::UINT8);
    tensor->add_dims(1);
    std::string data(kWindowBytes / 2 + static_cast<size_t>(index) * kWindowBytes / 2 - 11, '\0');
    for (size_t i = 0; i < data.size(); i += 61) data[i] = static_cast<char>(i % 251);
    tensor->set_raw_data(data);
    for (int i = 0; i < 1000; ++i) graph.add_node()->set_name("n");
  }
  const std::string bytes = graph.SerializeAsString();
  const TempDir folder = *TempDir::Create(testing::TempDir());
  ASSERT_TRUE(WriteFileAtomically(folder.File("graph"), bytes).ok());
  const MappedFile file = *MapFile(folder.File("graph"));
  WindowedInputStream stream(file.bytes);
  onnx::GraphProto parsed;
  ASSERT_TRUE(parsed.ParseFromZeroCopyStream(&stream));
  EXPECT_EQ(parsed.SerializeAsString(), bytes);
  // Cut short is an error, as in an array.
  WindowedInputStream cut(file.bytes.first(file.bytes.size() - 3));
  EXPECT_FALSE(onnx::GraphProto().ParseFromZeroCopyStream(&cut));
  // What was forgotten comes back.
  EXPECT_EQ(std::memcmp(file.bytes.data(), bytes.data(), bytes.size()), 0);
}

}  // namespace
}  // namespace preon

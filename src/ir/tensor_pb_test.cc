#include "ir/tensor_pb.h"

#include <gtest/gtest.h>
#include <onnx/onnx-data.pb.h>
#include <onnx/onnx_pb.h>

namespace preon {
namespace {

Result<NamedTensor> Parse(const std::string& bytes) {
  return ParseTensorProto(std::as_bytes(std::span(bytes)), "input_0.pb");
}

std::string Floats() {
  onnx::TensorProto proto;
  proto.set_name("x");
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(2);
  proto.add_float_data(1.5f);
  proto.add_float_data(-2);
  return proto.SerializeAsString();
}

TEST(TensorPbTest, ParsesNameTypeShapeAndValues) {
  const auto tensor = Parse(Floats());
  ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
  EXPECT_EQ(tensor->name, "x");
  EXPECT_EQ(tensor->tensor.shape(), Shape{2});
  EXPECT_EQ(tensor->tensor.floats()[1], -2);
}

TEST(TensorPbTest, RefusesSequencesAndExternalData) {
  onnx::SequenceProto sequence;
  sequence.set_elem_type(onnx::SequenceProto::TENSOR);
  sequence.add_tensor_values()->ParseFromString(Floats());
  EXPECT_EQ(Parse(sequence.SerializeAsString()).status().id(), ErrorId::kDataUnsupported);
  onnx::TensorProto external;
  external.ParseFromString(Floats());
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(Parse(external.SerializeAsString()).status().id(), ErrorId::kDataUnsupported);
}

TEST(TensorPbTest, RefusesWhatIsNoTensor) {
  EXPECT_EQ(Parse("").status().id(), ErrorId::kDataMalformed);
  EXPECT_EQ(Parse("not a protobuf message").status().id(), ErrorId::kDataMalformed);
  onnx::TensorProto short_one;
  short_one.ParseFromString(Floats());
  short_one.set_dims(0, 3);
  const Status status = Parse(short_one.SerializeAsString()).status();
  EXPECT_EQ(status.id(), ErrorId::kDataMalformed);
  EXPECT_TRUE(status.message().starts_with("input_0.pb: ")) << status.message();
}

TEST(TensorPbTest, SurvivesDamage) {
  const std::string bytes = Floats();
  int refused = 0;
  for (size_t length = 0; length < bytes.size(); ++length) refused += !Parse(bytes.substr(0, length)).ok();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int flip = 1; flip < 256; ++flip) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      refused += !Parse(damaged).ok();
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace preon

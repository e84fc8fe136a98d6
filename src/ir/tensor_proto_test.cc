#include "ir/tensor_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::ElementsAre;

onnx::TensorProto Header(int32_t type, std::vector<int64_t> dims) {
  onnx::TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(type);
  for (int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

Tensor Take(onnx::TensorProto proto) {
  ExternalData none("");
  Result<Tensor> tensor = TakeTensor(&proto, none);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

template <typename T>
std::vector<T> Values(const Tensor& tensor) {
  return {tensor.As<T>().begin(), tensor.As<T>().end()};
}

TEST(TensorProto, TypedFieldsOfEveryType) {
  onnx::TensorProto proto = Header(onnx::TensorProto::FLOAT, {2});
  for (float value : {1.5f, -2.0f}) proto.add_float_data(value);
  EXPECT_THAT(Values<float>(Take(proto)), ElementsAre(1.5f, -2.0f));

  proto = Header(onnx::TensorProto::DOUBLE, {1});
  proto.add_double_data(0.1);
  EXPECT_THAT(Values<double>(Take(proto)), ElementsAre(0.1));

  proto = Header(onnx::TensorProto::INT64, {1, 1});
  proto.add_int64_data(int64_t{-1} << 40);
  EXPECT_THAT(Values<int64_t>(Take(proto)), ElementsAre(int64_t{-1} << 40));

  proto = Header(onnx::TensorProto::UINT64, {1});
  proto.add_uint64_data(~uint64_t{0});
  EXPECT_THAT(Values<uint64_t>(Take(proto)), ElementsAre(~uint64_t{0}));

  proto = Header(onnx::TensorProto::UINT32, {1});
  proto.add_uint64_data(0xffffffffu);
  EXPECT_THAT(Values<uint32_t>(Take(proto)), ElementsAre(0xffffffffu));

  proto = Header(onnx::TensorProto::INT32, {});
  proto.add_int32_data(-7);
  EXPECT_THAT(Values<int32_t>(Take(proto)), ElementsAre(-7));

  for (int32_t type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8, onnx::TensorProto::BOOL,
                       onnx::TensorProto::FLOAT8E4M3FN, onnx::TensorProto::FLOAT8E8M0}) {
    proto = Header(type, {2});
    proto.add_int32_data(-1);
    proto.add_int32_data(1);
    EXPECT_THAT(Values<uint8_t>(Take(proto)), ElementsAre(255, 1)) << type;
  }
  for (int32_t type :
       {onnx::TensorProto::INT16, onnx::TensorProto::UINT16, onnx::TensorProto::FLOAT16, onnx::TensorProto::BFLOAT16}) {
    proto = Header(type, {1});
    proto.add_int32_data(0x3c00);
    EXPECT_THAT(Values<uint16_t>(Take(proto)), ElementsAre(0x3c00)) << type;
  }

  proto = Header(onnx::TensorProto::STRING, {2});
  proto.add_string_data(std::string("a"));
  proto.add_string_data(std::string("\0b", 2));
  EXPECT_THAT(Take(proto).strings(), ElementsAre("a", std::string("\0b", 2)));
}

TEST(TensorProto, ComplexNumbersTakeTwoFields) {
  onnx::TensorProto proto = Header(onnx::TensorProto::COMPLEX64, {2});
  for (float value : {1.f, 2.f, 3.f, 4.f}) proto.add_float_data(value);
  const Tensor tensor = Take(proto);
  EXPECT_EQ(tensor.count(), 2);
  EXPECT_EQ(tensor.bytes().size(), 16u);
}

TEST(TensorProto, NarrowTypesArePackedAsInTheFile) {
  for (int32_t type : {onnx::TensorProto::INT4, onnx::TensorProto::UINT4, onnx::TensorProto::FLOAT4E2M1}) {
    onnx::TensorProto proto = Header(type, {3});  // two bytes, the last one half empty
    proto.add_int32_data(0x21);
    proto.add_int32_data(0x03);
    EXPECT_EQ(Take(proto).bytes().size(), 2u);
    EXPECT_EQ(Take(proto).bytes()[0], std::byte{0x21});
    proto.clear_int32_data();
    proto.set_raw_data("\x21\x03");
    EXPECT_EQ(Take(proto).bytes()[1], std::byte{0x03});
  }
  onnx::TensorProto proto = Header(onnx::TensorProto::INT2, {5});
  proto.set_raw_data("\xe4\x01");
  EXPECT_EQ(Take(proto).bytes().size(), 2u);
}

TEST(TensorProto, RawBytesAreMovedNotCopied) {
  onnx::TensorProto proto = Header(onnx::TensorProto::FLOAT, {1024});
  proto.set_raw_data(std::string(4096, '\x01'));
  const void* before = proto.raw_data().data();
  ExternalData none("");
  const Result<Tensor> tensor = TakeTensor(&proto, none);
  EXPECT_EQ(tensor->bytes().data(), before);
}

TEST(TensorProto, EmptyTensorsAreFine) {
  EXPECT_EQ(Take(Header(onnx::TensorProto::FLOAT, {0})).count(), 0);
  EXPECT_EQ(Take(Header(onnx::TensorProto::FLOAT, {int64_t{1} << 62, 8, 0})).count(), 0);
}

TEST(TensorProto, WhatIsLeftIsWhatATensorDoesNotHold) {
  onnx::TensorProto proto = Header(onnx::TensorProto::FLOAT, {1});
  proto.add_float_data(1);
  proto.set_doc_string("doc");
  ExternalData none("");
  ASSERT_TRUE(TakeTensor(&proto, none).ok());
  onnx::TensorProto wanted;
  wanted.set_name("t");
  wanted.set_doc_string("doc");
  EXPECT_EQ(proto.SerializeAsString(), wanted.SerializeAsString());
}

TEST(TensorProto, WritingAndTakingAgree) {
  const Tensor floats = Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4});
  onnx::TensorProto proto;
  WriteTensor(floats, &proto);
  EXPECT_THAT(Values<float>(Take(proto)), ElementsAre(1, 2, 3, 4));
  onnx::TensorProto strings;
  WriteTensor(Tensor::FromStrings({1}, {"s"}), &strings);
  EXPECT_FALSE(strings.has_raw_data());
  EXPECT_THAT(Take(strings).strings(), ElementsAre("s"));
}

}  // namespace
}  // namespace preon

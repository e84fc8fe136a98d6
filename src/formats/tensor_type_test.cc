#include "formats/tensor_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/number_formats.h"

namespace preon {
namespace {

TEST(TensorType, OursAndQuarksSpellings) {
  for (const char* name : {"int8", "INT8", "QInt8", "QuantType.QInt8", "ExtendedQuantType.QInt8"}) {
    ASSERT_TRUE(ParseTensorType(name).ok()) << name;
    EXPECT_EQ(*ParseTensorType(name), DataType::kInt8) << name;
  }
  EXPECT_EQ(ParseTensorType("UInt16")->type(), DataType::kUInt16);
  EXPECT_EQ(ParseTensorType("ExtendedQuantType.QBFloat16")->type(), DataType::kBFloat16);
  EXPECT_EQ(ParseTensorType("itn8").status().id(), ErrorId::kUnknownOption);
  EXPECT_THAT(ParseTensorType("itn8").status().message(), testing::HasSubstr("did you mean 'int8'"));
}

TEST(TensorType, EveryFormatOfTheRegistryHasItsName) {
  for (const std::string& name : TensorTypeNames()) EXPECT_EQ(ParseTensorType(name)->name(), name);
  EXPECT_EQ(TensorTypeNames().size(), NumberFormats().entries().size());
  for (const char* name : {"int2", "int3", "uint2", "uint3"}) {
    EXPECT_EQ(ParseTensorType(name).status().id(), ErrorId::kUnknownOption) << name;
    EXPECT_EQ(ParseWeightType(name)->name(), name);
  }
  EXPECT_EQ(ParseWeightType("int3")->type(), DataType::kInt4);
  EXPECT_EQ(ParseWeightType("int3")->bits(), 3);
  EXPECT_EQ(*ParseWeightType("int8"), DataType::kInt8);
  EXPECT_EQ(ParseTensorType("mx9")->block()->block_size, 16);
  EXPECT_EQ(ParseTensorType("mx9")->type(), DataType::kUndefined);
}

}  // namespace
}  // namespace preon

#include "formats/precision.h"

#include <gtest/gtest.h>

#include "formats/number_formats.h"
#include "formats/tensor_type.h"

namespace preon {
namespace {

Precision Of(std::string_view name) { return PrecisionOf(*ParseTensorType(name)); }

TEST(Precision, MoreBitsFirstThenFewerValuesPerExponent) {
  const std::vector<std::string_view> falling = {"int32", "int16", "float16", "bfloat16",   "bfp16",
                                                 "int8",  "mx6",   "int4",    "float8e5m2", "mxfp4e2m1"};
  for (size_t i = 0; i + 1 < falling.size(); ++i) EXPECT_GT(Of(falling[i]), Of(falling[i + 1])) << falling[i];
}

TEST(Precision, SignsAreNoMatter) {
  EXPECT_EQ(Of("uint8"), Of("int8"));
  EXPECT_EQ(Of("mx9"), Of("bfp16"));
  EXPECT_EQ(Of("mxint8"), Of("bfp16"));
}

TEST(Precision, OfEveryType) {
  for (const auto& format : NumberFormats().entries())
    EXPECT_GT(PrecisionOf(TensorType(*format)).significant_bits, 1) << format->name();
}

}  // namespace
}  // namespace preon

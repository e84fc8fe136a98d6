#include "formats/block_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::HasSubstr;

TEST(BlockSpec, DefaultsOfTheOperators) {
  const BlockSpec bfp = *SpecOf(BfpAttributes{}, Numerics::kCompat);
  EXPECT_EQ(bfp, (BlockSpec{.rounding = Rounding::kHalfAway, .numerics = Numerics::kCompat}));
  EXPECT_EQ(bfp.bits_per_element(), 9);
  const BlockSpec mx = *SpecOf(MxAttributes{}, Numerics::kStrict);
  EXPECT_EQ(mx, (BlockSpec{.family = BlockSpec::Family::kMx, .block_size = 32, .rounding = Rounding::kHalfAway}));
  EXPECT_EQ(mx.bits_per_element(), 8.25);
}

TEST(BlockSpec, AttributesComeBack) {
  for (const char* method : {"to_bfp", "to_bfp_prime"}) {
    for (int64_t mode : {0, 1, 2}) {
      const BfpAttributes attributes{method, 13, 16, mode, 4, 2, 1, 0};
      const BfpAttributes again = BfpAttributesOf(*SpecOf(attributes, Numerics::kCompat));
      EXPECT_EQ(again.bfp_method, method);
      EXPECT_EQ(again.bit_width, 13);
      EXPECT_EQ(again.block_size, 16);
      EXPECT_EQ(again.rounding_mode, mode);
      EXPECT_EQ(again.sub_block_size, 4);
      EXPECT_EQ(again.sub_block_shift_bits, 2);
      EXPECT_EQ(again.convert_to_bfloat_before_bfp, 1);
    }
  }
  EXPECT_EQ(BfpAttributesOf(*SpecOf(BfpAttributes{"to_bfp_prime_shared"}, Numerics::kStrict)).bfp_method,
            "to_bfp_prime")
      << "the old spelling";
  for (const char* dtype : {"fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "int8"}) {
    const MxAttributes again = MxAttributesOf(*SpecOf(MxAttributes{dtype, 64, 1}, Numerics::kStrict));
    EXPECT_EQ(again.element_dtype, dtype);
    EXPECT_EQ(again.block_size, 64);
    EXPECT_EQ(again.rounding_mode, 1);
  }
}

TEST(BlockSpec, BadAttributesOfBfp) {
  struct Row {
    BfpAttributes attributes;
    const char* says;
  };
  for (const auto& [attributes, says] :
       {Row{{.bfp_method = "to_bpf"}, "bfp_method: got 'to_bpf'; did you mean 'to_bfp'?"},
        Row{{.bfp_method = ""}, "bfp_method: got ''"}, Row{{.bit_width = 9}, "bit_width: got 9, wanted 10 to 32"},
        Row{{.bit_width = 33}, "bit_width: got 33"},
        Row{{.bit_width = INT64_MIN}, "bit_width: got -9223372036854775808"},
        Row{{.block_size = 0}, "block_size: got 0, wanted at least 1"}, Row{{.block_size = -8}, "block_size: got -8"},
        Row{{.rounding_mode = 3}, "rounding_mode: got 3, wanted 0 (ties away from zero)"},
        Row{{.rounding_mode = -1}, "rounding_mode: got -1"},
        Row{{.bfp_method = "to_bfp_prime", .sub_block_size = 3},
            "sub_block_size: got 3, wanted a divisor of block_size"},
        Row{{.bfp_method = "to_bfp_prime", .sub_block_size = 0}, "sub_block_size: got 0, wanted at least 1"},
        Row{{.bfp_method = "to_bfp_prime", .sub_block_shift_bits = 8}, "sub_block_shift_bits: got 8, wanted 0 to 7"},
        Row{{.bfp_method = "to_bfp_prime", .sub_block_shift_bits = -1}, "sub_block_shift_bits: got -1"},
        Row{{.bit_width = 13, .use_compiler_version_cpu_kernel = 1}, "use_compiler_version_cpu_kernel: got 1"}}) {
    const Result<BlockSpec> spec = SpecOf(attributes, Numerics::kStrict);
    EXPECT_EQ(spec.status().id(), ErrorId::kFormatAttribute) << says;
    EXPECT_THAT(spec.status().message(), HasSubstr(says));
  }
  EXPECT_TRUE(SpecOf(BfpAttributes{.sub_block_size = 3}, Numerics::kStrict).ok()) << "to_bfp has no sub-blocks";
}

TEST(BlockSpec, BadAttributesOfMx) {
  for (const auto& [attributes, says] :
       {std::pair{MxAttributes{.element_dtype = "fp8_e4m2"}, "element_dtype: got 'fp8_e4m2'; did you mean 'fp8_e"},
        std::pair{MxAttributes{.element_dtype = "INT8"}, "element_dtype: got 'INT8'; did you mean 'int8'?"},
        std::pair{MxAttributes{.block_size = 0}, "block_size: got 0, wanted at least 1"},
        std::pair{MxAttributes{.rounding_mode = 7}, "rounding_mode: got 7"}}) {
    const Result<BlockSpec> spec = SpecOf(attributes, Numerics::kCompat);
    EXPECT_EQ(spec.status().id(), ErrorId::kFormatAttribute) << says;
    EXPECT_THAT(spec.status().message(), HasSubstr(says));
  }
}

}  // namespace
}  // namespace preon

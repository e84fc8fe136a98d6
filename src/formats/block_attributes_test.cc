#include "formats/block_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(WithAttributes, SetsWhatIsNamedAndKeepsTheRest) {
  const BlockSpec bfp{.numerics = Numerics::kCompat};
  EXPECT_EQ(*WithAttributes(bfp, {}), bfp);
  const BlockSpec changed = *WithAttributes(bfp, {{"block_size", "16"}, {"bit_width", "13"}, {"rounding_mode", "2"}});
  EXPECT_EQ(changed.block_size, 16);
  EXPECT_EQ(changed.magnitude_bits(), 4);
  EXPECT_EQ(changed.numerics, Numerics::kCompat);
  const BlockSpec mx{.family = BlockSpec::Family::kMx, .block_size = 32, .element = kE2M1};
  EXPECT_EQ(*WithAttributes(mx, {{"element_dtype", "fp8_e4m3"}}),
            *WithAttributes({.family = mx.family, .block_size = 32, .element = kE4M3}, {}));
}

TEST(WithAttributes, Errors) {
  const BlockSpec mx{.family = BlockSpec::Family::kMx, .block_size = 32};
  EXPECT_EQ(WithAttributes({}, {{"blok_size", "8"}}).status().id(), ErrorId::kUnknownOption);
  EXPECT_THAT(WithAttributes({}, {{"blok_size", "8"}}).status().message(),
              testing::HasSubstr("did you mean 'block_size'"));
  EXPECT_EQ(WithAttributes(mx, {{"bit_width", "8"}}).status().id(), ErrorId::kUnknownOption);
  EXPECT_EQ(WithAttributes({}, {{"block_size", "many"}}).status().id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(WithAttributes({}, {{"block_size", "0"}}).status().id(), ErrorId::kFormatAttribute);
  EXPECT_EQ(WithAttributes(mx, {{"element_dtype", "fp5"}}).status().id(), ErrorId::kFormatAttribute);
}

}  // namespace
}  // namespace preon

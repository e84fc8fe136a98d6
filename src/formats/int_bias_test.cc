#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/int_format.h"

namespace preon {
namespace {

double WorstRelativeError(const std::vector<float>& bias, const EncodedBias& encoded, float beta) {
  double worst = 0;
  for (size_t channel = 0; channel < bias.size(); ++channel) {
    const double scale = encoded.scales[encoded.scales.size() == 1 ? 0 : channel];
    const double wanted = static_cast<double>(beta) * bias[channel];
    worst = std::max(worst, std::abs(encoded.codes.As<int32_t>()[channel] * scale - wanted) / std::abs(wanted));
  }
  return worst;
}

// s_x 0.5, s_w 7.84e-10, bias [5, -4.5].
TEST(ProtectBiasOverflow, SpecExample) {
  const std::vector<float> bias = {5.0f, -4.5f};
  for (size_t scales : {1, 2}) {
    const std::vector<QuantParams> tiny(scales, QuantParams{7.84e-10f, 0});
    const Result<EncodedBias> lost = EncodeBias(bias, 0.5f, tiny, 1);
    EXPECT_EQ(lost->codes.As<int32_t>()[0], INT32_MAX) << "without protection the bias saturates";
    EXPECT_GT(WorstRelativeError(bias, *lost, 1), 0.5);

    const std::vector<QuantParams> enlarged = ProtectBiasOverflow(bias, 0.5f, tiny);
    const Result<EncodedBias> kept = EncodeBias(bias, 0.5f, enlarged, 1);
    EXPECT_LT(WorstRelativeError(bias, *kept, 1), 1e-4);
    EXPECT_GT(kept->codes.As<int32_t>()[0], INT32_MAX * 0.999) << "no more than needed";
  }
}

TEST(ProtectBiasOverflow, OnlyTheChannelsThatNeedIt) {
  const std::vector<QuantParams> params = {{0.01f, 0}, {1e-12f, 0}, {1e-12f, 0}, {1e-12f, 0}};
  const std::vector<QuantParams> adjusted = ProtectBiasOverflow(std::vector<float>{1, 1, 0, 1e-4f}, 0.1f, params);
  EXPECT_EQ(adjusted[0], params[0]);
  EXPECT_GT(adjusted[1].scale, params[1].scale);
  EXPECT_EQ(adjusted[2], params[2]) << "a bias of 0 fits any scale";
  EXPECT_EQ(adjusted[3], params[3]) << "1e-4 / 1e-13 = 1e9 fits";
}

TEST(ProtectBiasOverflow, CountsBeta) {
  const std::vector<float> bias = {1.0f};
  const std::vector<QuantParams> fits = {{1e-8f, 0}};
  EXPECT_EQ(ProtectBiasOverflow(bias, 0.1f, fits), fits);
  const std::vector<QuantParams> adjusted = ProtectBiasOverflow(bias, 0.1f, fits, 100);
  EXPECT_GT(adjusted[0].scale, fits[0].scale);
  EXPECT_LT(WorstRelativeError(bias, *EncodeBias(bias, 0.1f, adjusted, 100), 100), 1e-4);
}

TEST(EncodeBias, RoundsHalfToEvenAndReportsItsError) {
  const std::vector<float> bias = {0.75f, -1.25f, 2.0f, 0.0f};
  const Result<EncodedBias> encoded = EncodeBias(bias, 0.5f, std::vector<QuantParams>{{1.0f, 0}}, 1);
  ASSERT_TRUE(encoded.ok());
  const std::span<const int32_t> codes = encoded->codes.As<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(codes.begin(), codes.end()), (std::vector<int32_t>{2, -2, 4, 0}));
  EXPECT_EQ(encoded->scales, std::vector<float>{0.5f});
  EXPECT_EQ(encoded->max_abs_error, 0.25);
}

TEST(EncodeBias, BetaMultipliesTheBias) {
  const Result<EncodedBias> encoded =
      EncodeBias(std::vector<float>{3.0f}, 0.5f, std::vector<QuantParams>{{0.5f, 0}}, -0.5f);
  EXPECT_EQ(encoded->codes.As<int32_t>()[0], -6);
  EXPECT_EQ(encoded->scales.front(), 0.25f) << "the scale is the accumulator's, whatever beta";
}

TEST(EncodeBias, UnderflowingProductKeepsAScaleAboveZero) {
  const Result<EncodedBias> encoded =
      EncodeBias(std::vector<float>{0.0f}, 1e-30f, std::vector<QuantParams>{{1e-30f, 0}}, 1);
  ASSERT_TRUE(encoded.ok());
  EXPECT_GT(encoded->scales.front(), 0);
  EXPECT_EQ(encoded->codes.As<int32_t>()[0], 0);
}

TEST(EncodeBias, Errors) {
  const std::vector<QuantParams> three(3);
  EXPECT_EQ(EncodeBias(std::vector<float>{1, 2}, 1, three, 1).status().id(), ErrorId::kQuantizeFailed);
  const std::vector<float> broken = {1, std::numeric_limits<float>::quiet_NaN(), 2};
  EXPECT_EQ(EncodeBias(broken, 1, three, 1).status().id(), ErrorId::kRangeNotFinite);
}

}  // namespace
}  // namespace preon

#include "kernels/add.h"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/kernel_testing.h"

namespace preon {
namespace {

/// The same bits, but any NaN for a NaN.
void ExpectSame(const std::vector<float>& got, const std::vector<float>& wanted, const std::string& where) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
    ASSERT_EQ(std::memcmp(&got[i], &wanted[i], sizeof(float)), 0) << where << " element " << i;
  }
}

TEST(AddFloats, EveryTargetGivesTheReferencesSums) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(1100)) {
      for (size_t offset = 0; offset < 16; ++offset) {
        const auto seed = static_cast<uint32_t>(length * 16 + offset);
        const MisalignedFloats a(WithEdgeValues(RandomFloats(length, seed), seed, 20), offset);
        const MisalignedFloats b(WithEdgeValues(RandomFloats(length, seed + 1), seed + 1, 20), (offset * 7) % 16);
        // One more element, which must stay.
        std::vector<float> sum(length + 1, 7.0f), wanted = sum;
        AddFloats(a.data(), b.data(), length, sum.data());
        reference::AddFloats(a.data(), b.data(), length, wanted.data());
        ExpectSame(sum, wanted, target + " length " + std::to_string(length));
      }
    }
  });
}

TEST(AddFloats, OverEitherInput) {
  ForEachKernelTarget([](const std::string& target) {
    for (const size_t length : KernelTestLengths(600)) {
      const std::vector<float> a = RandomFloats(length, 1), b = RandomFloats(length, 2);
      std::vector<float> wanted(length), over_a = a, over_b = b;
      reference::AddFloats(a.data(), b.data(), length, wanted.data());
      AddFloats(over_a.data(), b.data(), length, over_a.data());
      AddFloats(a.data(), over_b.data(), length, over_b.data());
      ExpectSame(over_a, wanted, target);
      ExpectSame(over_b, wanted, target);
    }
  });
}

}  // namespace
}  // namespace preon

#include "runtime/providers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Providers, TheCpuIsAlwaysThere) {
  EXPECT_THAT(AvailableProviders(), Contains("CPUExecutionProvider"));
  EXPECT_TRUE(CheckProvider({}).ok());
  EXPECT_EQ(Provider().Name(), "cpu");
  EXPECT_EQ(Provider{.cuda_device = 3}.Name(), "cuda:3");
}

TEST(Providers, ADeviceThatIsNotThereIsAnError) {
  const Status found = CheckProvider({.cuda_device = 1000});
  ASSERT_EQ(found.id(), ErrorId::kProvider);
  EXPECT_THAT(found.message(), HasSubstr("cuda:1000: "));
}

}  // namespace
}  // namespace preon

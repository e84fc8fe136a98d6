#include "quantize/qdq_passes/dpu/dpu_factors.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

// Known factors of the DPU (Quark's ConvertAvgPoolToDPUVersion, by running it).
TEST(DpuFactors, OfPools) {
  for (const int64_t kernel : {1, 2, 4, 8, 16, 32, 256, 300}) EXPECT_EQ(DpuPoolFactor(kernel), 1) << kernel;
  for (const auto& [kernel, factor] : std::initializer_list<std::pair<int64_t, double>>{
           {3, 0.984375},          {5, 0.9765625},          {6, 0.984375},          {7, 1.0048828125},
           {9, 0.9986572265625},   {10, 1.0009765625},      {11, 1.00439453125},    {12, 1.001953125},
           {13, 1.00054931640625}, {14, 1.0048828125},      {15, 1.00250244140625}, {17, 0.996612548828125},
           {18, 0.9986572265625},  {19, 1.002532958984375}, {20, 1.0009765625},     {24, 1.001953125},
           {28, 1.0048828125},     {56, 1.0048828125},      {112, 1.0048828125},    {224, 1.0048828125}})
    EXPECT_EQ(DpuPoolFactor(kernel), factor) << kernel;
}

TEST(DpuFactors, OfMeans) {
  EXPECT_EQ(DpuFactor(768), 0.99609375);
  EXPECT_EQ(DpuFactor(1000), 1.007080078125);
  EXPECT_EQ(DpuFactor(196), 1.0048828125);
  EXPECT_EQ(DpuFactor(24), 0.99609375);
  EXPECT_EQ(DpuFactor(1), 1);
}

}  // namespace
}  // namespace preon

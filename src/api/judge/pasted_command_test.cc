#include "api/judge/pasted_command.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

const std::vector<Setting> kGiven = {{"data", "my photos"},   {"weight", "int4"},        {"symmetric", "true"},
                                     {"per-tensor", "false"}, {"eval-data", "test.npz"}, {"effort", "fast"},
                                     {"samples", "32"}};

TEST(QuantizeCommand, HasTheOptionsOfTheRunButThoseThatChange) {
  EXPECT_EQ(
      QuantizeCommand("m.onnx", "", kGiven, "--effort high", {"effort"}),
      "preon quantize m.onnx -o OUT.onnx --data 'my photos' --weight int4 --symmetric --samples 32 --effort high");
  EXPECT_EQ(QuantizeCommand("m.onnx", "", kGiven, "", {"symmetric"}),
            "preon quantize m.onnx -o OUT.onnx --data 'my photos' --weight int4 --effort fast --samples 32");
  EXPECT_EQ(QuantizeCommand("m.onnx", "", kGiven, "--data test.npz", {"data", "samples", "weight", "symmetric"}),
            "preon quantize m.onnx -o OUT.onnx --effort fast --data test.npz");
}

TEST(QuantizeCommand, NamesSamplesThatNoOptionNames) {
  EXPECT_EQ(QuantizeCommand("m.onnx", "", {}, "--exclude 'a' --exclude 'b'"),
            "preon quantize m.onnx -o OUT.onnx --data SRC --exclude 'a' --exclude 'b'");
}

TEST(WithGivenOptions, NamesAConfigurationFile) {
  EXPECT_EQ(WithGivenOptions("preon report m.onnx", "c.json", {{"data", "x.npz"}}, {}),
            "preon report m.onnx --config c.json --data x.npz");
}

}  // namespace
}  // namespace preon

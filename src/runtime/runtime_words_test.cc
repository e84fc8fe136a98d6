#include "runtime/runtime_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::HasSubstr;

TEST(RuntimeWords, NodesAndReasonWithoutSourceFiles) {
  const RuntimeWords words = Readable(
      "Non-zero status code returned while running Add node. Name:'/Add' Status Message: "
      "/onnxruntime_src/onnxruntime/core/providers/cpu/math/element_wise_ops.h:583 void "
      "onnxruntime::BroadcastIterator::Append(ptrdiff_t, ptrdiff_t) axis == 1 || axis == largest was false. "
      "Attempting to broadcast an axis by a dimension other than 1. 64 by 100\n");
  EXPECT_EQ(words.text, "node '/Add' (Add): Attempting to broadcast an axis by a dimension other than 1. 64 by 100");
  EXPECT_THAT(words.hint, HasSubstr("cut or pad"));
}

TEST(RuntimeWords, NodesInsideOfNodes) {
  const RuntimeWords words = Readable(
      "Non-zero status code returned while running If node. Name:'if_1' Status Message: Non-zero status code returned "
      "while running Pad node. Name:'pad_2' Status Message: Pad reflect: post-pad (32) exceeds maximum allowed (31)");
  EXPECT_EQ(words.text,
            "node 'if_1' (If): node 'pad_2' (Pad): Pad reflect: post-pad (32) exceeds maximum allowed (31)");
  EXPECT_THAT(words.hint, HasSubstr("too short"));
}

TEST(RuntimeWords, ColorsAndFunctionsGo) {
  EXPECT_EQ(Readable("\x1b[1;31mbad\x1b[m news").text, "bad news");
  EXPECT_EQ(Readable("/a/b.cc:12 onnxruntime::common::Status onnxruntime::F::G(int) const no room").text, "no room");
  EXPECT_EQ(Readable("nothing to change; 3:4 and a/b").text, "nothing to change; 3:4 and a/b");
  EXPECT_EQ(Readable("[ONNXRuntimeError] : 1 : FAIL : no device").text, "no device");
  EXPECT_EQ(Readable("nothing to change").hint, "");
}

}  // namespace
}  // namespace preon

#include "report/placement_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::HasSubstr;

FloatNode Stored(const char* storage, const char* why) {
  return {.node = "n", .op = "Conv", .reason = "no_gain", .weights = storage, .weights_why = why};
}

TEST(PlacementText, EachStorageOfFloatWeightsHasItsOwnReasons) {
  Placement placement;
  placement.float_nodes = {Stored("float16", "int8 costs too much"), Stored("int8", "measured"),
                           Stored("float16", "int8 costs too much"), Stored("float16", "excluded"),
                           Stored("float32", "it is small"),         Stored("int8", "measured")};
  TextWriter out;
  AddPlacement(out, placement, "integer");
  EXPECT_THAT(out.Take(), HasSubstr("weights     of float nodes: 2 as int8 (measured), 3 as float16 "
                                    "(2: int8 costs too much; 1: excluded), 1 as float32 (it is small)\n"));
}

}  // namespace
}  // namespace preon

#include "report/html/shown_names.h"

#include <gtest/gtest.h>

#include "report/json_object.h"

namespace preon {
namespace {

TEST(ShownNames, StandInPlaceOfPaths) {
  EXPECT_EQ(WithShownNames("/t/a/model.onnx: bad; /t/a/model.onnx", {{"/t/a/model.onnx", "model"}}),
            "model: bad; model");
  EXPECT_EQ(WithShownNames("/t/model.onnx -> /t/q.onnx", {{"/t/model.onnx", "model"}, {"/t/q.onnx", "quantized[0]"}}),
            "model -> quantized[0]");
  EXPECT_EQ(WithShownNames("model.onnx", {}), "model.onnx");
  EXPECT_EQ(WithShownNames("model.onnx", {{"", "model"}}), "model.onnx");
}

// A name may hold its own path.
TEST(ShownNames, AreNotReplacedAgain) { EXPECT_EQ(WithShownNames("/t/a", {{"/t/a", "/t/a of b"}}), "/t/a of b"); }

TEST(ShownNames, AreEscapedAsTheTextIs) {
  const ShownNames names = {{"/t/\"a\" & b", "\"x\""}};
  EXPECT_EQ(WithShownNames("/t/\"a\" & b", names), "\"x\"");
  EXPECT_EQ(WithShownNames("<p>/t/&quot;a&quot; &amp; b</p>", names), "<p>&quot;x&quot;</p>");
  const std::string json = WithShownNames(R"({"model":"/t/\"a\" & b"})", names);
  EXPECT_EQ(JsonObject::parse(json)["model"], "\"x\"");
  EXPECT_EQ(JsonObject::parse(WithShownNames(R"(["/t/a"])", {{"/t/a", "\"x\""}}))[0], "\"x\"");
}

}  // namespace
}  // namespace preon

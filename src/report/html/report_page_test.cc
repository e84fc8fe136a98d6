#include "report/html/report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::HasSubstr;
using testing::Not;

QuantizeResult Quantized() {
  QuantizeResult result{
      .model = "m<1>.onnx", .output = "q.onnx", .float_size_bytes = 4000, .quantized_size_bytes = 1000};
  result.facts = {.verb = "quantize", .version = "1.2.3", .seconds = {{"load", 0.5}}, .total_seconds = 2};
  result.method = "minmse";
  result.candidates = {{.method = "minmax", .sqnr_db = 9}, {.method = "minmse", .sqnr_db = 12, .selected = true}};
  result.placement = Placement{.integer = {{"conv", "Conv", "QLinearConv", 0.75}},
                               .float_nodes = {{"soft\xff", "Softmax", "no integer kernel", "too <wide>", 0.25}},
                               .integer_anchors = 1,
                               .float_anchors = 1,
                               .integer_macs_share = 0.75};
  result.compare.samples = 7;
  result.compare.outputs["y"] = {.sqnr_db = 12, .cosine = 0.5, .l2 = 3, .max_abs = 2};
  result.latency = {{.p50 = 4, .p90 = 5}, {.p50 = 2, .p90 = 3}, {.median = 2, .low = 1.9, .high = 2.1}};
  result.warnings = {"check <it>"};
  return result;
}

TEST(ReportPage, SaysWhatWasQuantizedAndWhyNot) {
  const std::string page = ReportPage(Quantized());
  for (const char* part : {"m&lt;1&gt;.onnx → q.onnx", "QLinearConv", "no integer kernel: too &lt;wide&gt;", "selected",
                           "75 %", "12 dB", "times the speed of float", "check &lt;it&gt;", "p99, ms", "1 of 2"})
    EXPECT_THAT(page, HasSubstr(part)) << part;
  EXPECT_THAT(page, testing::EndsWith("</body></html>\n"));
}

TEST(ReportPage, LoadsNothingAndNamesAreNoMarkup) {
  const std::string page = ReportPage(Quantized());
  for (const char* part : {"http:", "https:", "src=", "<link", "@import", "url(", "m<1>", "<it>", "\xff"})
    EXPECT_THAT(page, Not(HasSubstr(part))) << part;
}

// Its script looks for the field that filters.
TEST(ReportPage, WithoutNodesThereIsNoScript) {
  QuantizeResult result = Quantized();
  result.placement.reset();
  EXPECT_THAT(ReportPage(result), Not(HasSubstr("<script>")));
  EXPECT_THAT(ReportPage(Quantized()), HasSubstr("id=\"filter\""));
}

TEST(ReportPage, OfAComparison) {
  CompareResult result{.reference = "a.onnx", .other = "b.onnx"};
  result.facts.verb = "compare";
  result.compare.outputs["y"] = {.left_out = true};
  const std::string page = ReportPage(result);
  EXPECT_THAT(page, HasSubstr("a.onnx → b.onnx"));
  EXPECT_THAT(page, HasSubstr("not compared"));
  EXPECT_THAT(page, Not(HasSubstr("Latency")));
}

}  // namespace
}  // namespace preon

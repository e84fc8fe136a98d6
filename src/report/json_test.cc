#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/error_json.h"
#include "report/json_object.h"
#include "report/report_file.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

QuantizeResult Example() {
  QuantizeResult result{
      .model = "m.onnx", .output = "q.onnx", .float_size_bytes = 4000, .quantized_size_bytes = 1000, .samples = 7};
  result.facts = {
      .verb = "quantize", .version = "1.2.3", .seconds = {{"load", 0.5}}, .total_seconds = 2, .peak_rss_bytes = 99};
  result.placement = Placement{.integer = {{"conv", "Conv", "QLinearConv", 0.75}},
                               .float_nodes = {{"soft\xff", "Softmax", "no integer kernel", "", 0.25}},
                               .integer_anchors = 1,
                               .integer_macs_share = 0.75};
  result.compare.samples = 7;
  result.compare.outputs["y"] = {.sqnr_db = 20, .cosine = 0.5, .l2 = 3, .max_abs = 2};
  result.compare.class_output = "y";
  result.compare.argmax_agreement = 0.5;
  result.compare.reference_accuracy = Accuracy{0.9, 1};
  result.compare.other_accuracy = Accuracy{0.8, 1};
  result.latency = {{.p50 = 4, .p90 = 5}, {.p50 = 2, .p90 = 3}, {.median = 2, .low = 1.9, .high = 2.1}, 1};
  result.warnings = {"check it"};
  return result;
}

TEST(Json, QuantizeHasTheFieldsOfTheInterface) {
  const nlohmann::json json = nlohmann::json::parse(ToJson(Example()));
  EXPECT_EQ(json["schema"], kJsonSchema);
  EXPECT_EQ(json["verb"], "quantize");
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["seconds"], nlohmann::json({{"load", 0.5}, {"total", 2.0}}));
  EXPECT_EQ(json["peak_rss_bytes"], 99);
  EXPECT_EQ(json["size_bytes"], nlohmann::json({{"float", 4000}, {"quantized", 1000}}));
  EXPECT_EQ(json["placement"]["integer"], nlohmann::json({"conv"}));
  EXPECT_EQ(json["placement"]["float"][0]["op"], "Softmax");
  EXPECT_EQ(json["placement"]["float"][0]["macs_share"], 0.25);
  EXPECT_EQ(json["placement"]["integer_macs_share"], 0.75);
  EXPECT_EQ(json["compare"]["outputs"]["y"],
            nlohmann::json({{"sqnr_db", 20.0}, {"cosine", 0.5}, {"l2", 3.0}, {"max_abs", 2.0}}));
  EXPECT_EQ(json["compare"]["accuracy"]["quantized"], nlohmann::json({{"top1", 0.8}, {"top5", 1.0}}));
  EXPECT_EQ(json["compare"]["latency_ms"]["quantized"], nlohmann::json({{"p50", 2.0}, {"p90", 3.0}, {"p99", 0.0}}));
  EXPECT_EQ(json["compare"]["speedup"],
            nlohmann::json({{"median", 2.0}, {"low", 1.9}, {"high", 2.1}, {"busy", false}}));
  EXPECT_EQ(json["warnings"], nlohmann::json({"check it"}));
  for (const char* key : {"output", "samples", "observed_tensors", "method", "activation", "weight", "target",
                          "scale_type", "weight_scale_type", "weight_method"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Json, AnErrorIsAnObject) {
  const Status error = Error(ErrorId::kConflictingOptions, "a\nb\x1b", " \xff.").WithHint("try c");
  EXPECT_EQ(
      nlohmann::json::parse(ErrorJson(error)),
      nlohmann::json({{"schema", kJsonSchema},
                      {"version", PREON_VERSION},
                      {"error", {{"id", "E1004"}, {"status", 2}, {"message", "a b\\x1b \\xff"}, {"hint", "try c"}}}}));
  EXPECT_FALSE(nlohmann::json::parse(ErrorJson(Error(ErrorId::kIoRead, "x")))["error"].contains("hint"));
}

TEST(Json, AnErrorOfFarTooLongNamesIsShortened) {
  std::string name;
  for (int copies = 0; copies < 10000; ++copies) name += "größe ";
  const std::string message = ErrorMessage(Error(ErrorId::kModelInvalid, "begin ", name, " end"));
  EXPECT_LT(message.size(), 3100);
  EXPECT_TRUE(message.starts_with("begin größe") && message.ends_with("größe  end"));
  EXPECT_NE(message.find(" bytes left out … "), std::string::npos);
  EXPECT_EQ(Printable(message), message) << "no character is cut in two";
}

TEST(Json, FiguresThatAreNotThereAreLeftOut) {
  QuantizeResult result = Example();
  result.placement.reset();
  result.compare = {};
  const nlohmann::json json = nlohmann::json::parse(ToJson(result));
  EXPECT_FALSE(json.contains("placement"));
  EXPECT_FALSE(json["compare"].contains("accuracy"));
  EXPECT_FALSE(json["compare"].contains("argmax_agreement"));
}

TEST(Text, ShowsWhatMatters) {
  const std::string text = ToText(Example());
  for (const char* part : {"m.onnx -> q.onnx", "4.0 kB -> 1.0 kB (4.0x smaller)", "1 of 1 Conv", "75.0 %",
                           "no integer kernel", "SQNR 20.0 dB", "top-1 90.0 % -> 80.0 %", "warning     check it",
                           "2.00 times the speed of float (1.90 to 2.10)\n",
                           "4.000 ms -> 2.000 ms per run of 1 thread (medians; p90 5.000 ms -> 3.000 ms)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  QuantizeResult busy = Example();
  busy.latency.speedup.busy = true;
  EXPECT_NE(ToText(busy).find("(1.90 to 2.10); not reliable: the machine was busy\n"), std::string::npos);
  busy.latency.speedup = {.median = 2, .low = 1.9, .high = 2.1, .of_processor_time = true};
  EXPECT_NE(ToText(busy).find("3.000 ms); other programs were running, so the speed compares processor times, not "
                              "these latencies\n"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(ToJson(busy))["compare"]["speedup"]["of_processor_time"], true);
}

TEST(Text, CountsAndSizesAreSaidAsTheyAre) {
  QuantizeResult result = Example();
  result.quantized_size_bytes = 5000;
  result.samples = result.observed_tensors = 1;
  result.placement->recurrent = 1;
  std::string text = ToText(result);
  for (const char* part :
       {"(1.25x larger)", "1 sample, 1 tensor observed", "Conv, MatMul, Gemm, LSTM, GRU and RNN nodes"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  CompareResult compare;
  compare.compare.samples = 1;
  EXPECT_NE(ToText(compare).find("1 sample\n"), std::string::npos);
}

TEST(Text, AnOutputThatWasNotComparedHasNoFigures) {
  CompareResult result;
  result.compare.outputs["boxes"] = {.shape_differs = 3, .left_out = true};
  result.warnings = {"look"};
  EXPECT_NE(ToText(result).find("'boxes': not compared, shape differs in 3 runs"), std::string::npos);
  EXPECT_NE(ToText(result).find("warning     look"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(ToJson(result));
  EXPECT_EQ(json["outputs"]["boxes"], nlohmann::json({{"shape_differs", 3}}));
  EXPECT_EQ(json["warnings"], nlohmann::json({"look"}));
}

TEST(Text, ADirectionHasAWordAndNoSign) {
  EXPECT_EQ(LossText(0.007, ConfidenceInterval{-0.001, 0.014}, "%.1f", "points lower", 100),
            "0.7 points lower (-0.1 to 1.4)");
  EXPECT_EQ(LossText(-0.007, ConfidenceInterval{-0.014, 0.001}, "%.1f", "points higher", 100),
            "0.7 points higher (-0.1 to 1.4)");
  CompareResult result;
  result.compare.reference_accuracy = Accuracy{0.8, 0.9};
  result.compare.other_accuracy = Accuracy{0.807, 0.9};
  result.compare.drop_interval = ConfidenceInterval{-0.02, 0.01};
  EXPECT_NE(ToText(result).find("0.7 points higher (-1.0 to 2.0)"), std::string::npos) << ToText(result);
}

TEST(Text, NumbersAreReadable) {
  EXPECT_EQ(LargeNumberText(950), "950");
  EXPECT_EQ(LargeNumberText(18.19e6), "18.2 million");
  EXPECT_EQ(LargeNumberText(301e6), "301 million");
  EXPECT_EQ(LargeNumberText(4.1e9), "4.1 billion");
  EXPECT_EQ(SqnrText(20.25), "20.2 dB");
  EXPECT_EQ(SqnrText(kExactSqnrDb), "equal");
}

TEST(ReportFile, FormFollowsTheEnding) {
  EXPECT_EQ(*ReportFormatOf("a.json"), ReportFormat::kJson);
  EXPECT_EQ(*ReportFormatOf("a.txt"), ReportFormat::kText);
  EXPECT_EQ(*ReportFormatOf("a.html"), ReportFormat::kHtml);
  EXPECT_EQ(ReportFormatOf("a.pdf").status().id(), ErrorId::kBadOptionValue);
}

// A name can neither steer the terminal nor forge a line.
TEST(Text, ControlCharactersOfNamesAreWrittenOut) {
  const std::string name = "a\nb\x1b[2J\x7f";
  QuantizeResult quantized = Example();
  quantized.model = quantized.output = quantized.compare.class_output = name;
  quantized.method = quantized.activation = quantized.weight = quantized.target = name;
  quantized.placement->float_nodes = {{name, name, name, name, 0.25}};
  quantized.compare.outputs[name] = {};
  quantized.warnings = {name};
  const std::string texts[] = {
      ToText(quantized),
      ToText(CalibrateResult{.output = name, .warnings = {name}}),
      ToText(MergeResult{.output = name}),
      ToText(PassesResult{.output = name}),
      ToText(RangesResult{.methods = {{.method = "minmax", .tensors = {{name, {}}}}}, .all_methods = true}),
      ToText(ModelSummary{.path = name,
                          .opsets = {{name, 1}},
                          .producer = name,
                          .inputs = {{name, name}},
                          .outputs = {{name, name}},
                          .operators = {{name, 1}},
                          .metadata = {{name, name}}}),
      ToText(CalibSummary{
          .path = name, .fingerprint = name, .setup = name, .tensors = {{name, {}}}, .shared = {{name, name}}}),
      ToText(RunResult{.model = name, .saved_to = name}),
      ToText(CompareResult{.reference = name, .other = name}),
  };
  for (const std::string& text : texts) {
    EXPECT_EQ(text.find_first_of("\x1b\x7f"), std::string::npos) << text;
    EXPECT_EQ(text.find("a\nb"), std::string::npos) << text;
    EXPECT_NE(text.find("a\\nb\\x1b[2J\\x7f"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace preon

// The public library end to end, on a model that the test makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/memory_file.h"
#include "base/output/temp_dir.h"
#include "ir/model_io.h"
#include "preon/preon.h"

namespace preon {
namespace {

// input [N, 8] -> Gemm -> Relu -> Gemm -> logits [N, 4]
Model TwoLayers() {
  Model model;
  model.ir_version = 8;
  model.opsets[""] = 17;
  model.graph.name = "two_layers";
  const auto weight = [&](const char* name, Shape shape) {
    std::vector<float> values(static_cast<size_t>(ElementCount(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i * 7 % 11) - 0.5f;
    model.graph.SetInitializer(name, Tensor::FromFloats(std::move(shape), values));
  };
  weight("w1", {64, 8});
  weight("w2", {4, 64});
  const auto info = [](int64_t width) {
    return ValueInfo{.type = DataType::kFloat, .shape = Shape{kDynamicDim, width}, .dim_names = {"N", ""}};
  };
  model.graph.AddInput("input", info(8));
  for (const char* op : {"1", "2"}) {
    Node* gemm = model.graph.AddNode("Gemm", {op[0] == '1' ? "input" : "r1", std::string("w") + op},
                                     {op[0] == '1' ? "g1" : "logits"});
    gemm->attributes["transB"] = int64_t{1};
    if (op[0] == '1') model.graph.AddNode("Relu", {"g1"}, {"r1"});
  }
  model.graph.AddOutput("logits", info(4));
  return model;
}

class Library : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.emplace(*TempDir::Create(::testing::TempDir()));
    options_.model = folder_->File("model.onnx");
    options_.output = folder_->File("out.onnx");
    options_.threads = 1;
    options_.reader = [this](int64_t index, std::vector<InputArray>& inputs) {
      if (index >= 5) return false;
      for (size_t i = 0; i < values_.size(); ++i)
        values_[i] = static_cast<float>((static_cast<size_t>(index) * 5 + i) % 9) - 4;
      inputs = {{"input", ElementType::kFloat, {2, 8}, values_.data()}};
      return true;
    };
    ASSERT_TRUE(SaveModel(TwoLayers(), options_.model).ok());
  }

  // A model of two tiny layers gains nothing, and would not be written where its speed was measured.
  Outcome<Report> QuantizeUntimed() const {
    QuantizeOptions options = options_;
    options.settings.emplace_back("latency", "0");
    return Quantize(options);
  }

  std::optional<TempDir> folder_;
  std::vector<float> values_ = std::vector<float>(16);
  QuantizeOptions options_;
};

TEST_F(Library, DebugModeTellsTheCallerWhatTheRunDoes) {
  std::vector<std::string> lines;
  options_.log = [&](const std::string& line) { lines.push_back(line); };
  const auto told = [&](std::string_view begin) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.starts_with(begin); });
  };
  ASSERT_TRUE(QuantizeUntimed());
  EXPECT_TRUE(lines.empty()) << lines.front();
  options_.settings.emplace_back("option", "DebugMode=true");
  const Outcome<Report> report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  for (const char* begin : {"preon ", "choice: target ", "stage calibrate", "node ", "tensor input: uint8, scale "})
    EXPECT_TRUE(told(begin)) << begin;
  EXPECT_EQ(report->text.find("DebugMode"), std::string::npos);
  options_.log = nullptr;
  const Outcome<Report> untold = QuantizeUntimed();
  ASSERT_TRUE(untold);
  EXPECT_THAT(untold->warnings, testing::Contains(testing::HasSubstr("DebugMode: has no effect, because")));
}

TEST_F(Library, QuantizesThroughACallback) {
  const Outcome<Report> report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->samples, 10);  // 5 feeds of 2
  EXPECT_TRUE(std::filesystem::exists(options_.output));
  EXPECT_GT(report->outputs.at("logits").sqnr_db, 20);
  EXPECT_LT(report->outputs.at("logits").sqnr_db, 80);
  EXPECT_NE(report->text.find("SQNR"), std::string::npos);
  EXPECT_EQ(report->json.front(), '{');
}

TEST_F(Library, AReaderIsReadInOneProcess) {
  options_.settings = {{"workers", "2"}};
  const auto report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->samples, 10);
  EXPECT_TRUE(std::ranges::any_of(
      report->warnings, [](const std::string& warning) { return warning.find("one process") != std::string::npos; }));
}

TEST_F(Library, CalibDataSizeLimitsAReader) {
  options_.settings = {{"option", "CalibDataSize=4"}};
  const auto report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->samples, 4);
}

TEST_F(Library, StatisticsGiveTheSameModelAsSamples) {
  const std::string direct = options_.output;
  options_.method = "percentile";
  ASSERT_TRUE(QuantizeUntimed());
  options_.output = folder_->File("model.calib");
  options_.method.clear();
  const Outcome<CalibrationReport> calibrated = Calibrate(options_);
  ASSERT_TRUE(calibrated) << calibrated.error().message;
  options_.calibration = options_.output;
  options_.reader = nullptr;
  options_.method = "percentile";
  options_.output = folder_->File("again.onnx");
  const Outcome<Report> again = QuantizeUntimed();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*ReadFile(direct), *ReadFile(options_.output));
}

TEST_F(Library, StatisticsAnswerQuestions) {
  const std::string quantized = options_.output;
  ASSERT_TRUE(QuantizeUntimed());
  options_.output.clear();
  const Outcome<Answer> compared = Compare(options_, quantized);
  ASSERT_TRUE(compared) << compared.error().message;
  EXPECT_NE(compared->json.find("sqnr_db"), std::string::npos);
  options_.output = folder_->File("model.calib");
  ASSERT_TRUE(Calibrate(options_));
  QuantizeOptions asked;
  asked.model = options_.output;
  for (const auto& verb : {Ranges, Analyze, Inspect}) {
    const Outcome<Answer> answer = verb(asked);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->json.front(), '{');
    EXPECT_FALSE(answer->text.empty());
  }
  asked.settings = {{"samples", "3"}};
  EXPECT_EQ(Analyze(asked).error().message, "analyze: no option 'samples'");
}

TEST_F(Library, InstrumentsAModel) {
  options_.output = folder_->File("instrumented.onnx");
  options_.reader = nullptr;
  const Outcome<Answer> answer = Instrument(options_);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(std::filesystem::exists(options_.output));
}

TEST_F(Library, FailuresAreValues) {
  options_.settings = {{"methd", "minmax"}};
  EXPECT_EQ(Quantize(options_).error().number, static_cast<int>(ErrorId::kUnknownOption));
  options_.settings.clear();
  options_.reader = [](int64_t, std::vector<InputArray>& inputs) {
    inputs = {{"input", ElementType::kFloat, {2, 7}, nullptr}};
    return true;
  };
  const Outcome<Report> report = QuantizeUntimed();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "sample 0: 'input': shape [2, 7], wanted [?, 8]");
  EXPECT_EQ(report.error().exit_status, 2);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(Library, WhatACallbackThrowsIsAFailureThatNamesIt) {
  const auto fails = [&](const std::string& message) {
    const Outcome<Report> report = QuantizeUntimed();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().number, static_cast<int>(ErrorId::kCallbackFailed));
    EXPECT_NE(report.error().message.find(message), std::string::npos) << report.error().message;
    EXPECT_FALSE(std::filesystem::exists(options_.output));
  };
  const SampleReader reader = options_.reader;
  for (const int64_t at : {0, 3}) {
    options_.reader = [&](int64_t index, std::vector<InputArray>& inputs) {
      if (index == at) throw std::runtime_error("my file is gone");
      return reader(index, inputs);
    };
    fails("reader threw an exception: my file is gone");
    options_.reader = [&](int64_t index, std::vector<InputArray>& inputs) {
      if (index == at) throw 42;
      return reader(index, inputs);
    };
    fails("reader threw an exception: of a type that is not derived from std::exception");
  }
  options_.reader = reader;
  options_.progress = [](const std::string&, int64_t, int64_t) { throw "progress"; };
  fails("progress threw an exception");
  options_.progress = nullptr;
  options_.reader_inputs = [](const std::vector<InputInfo>&) { throw std::bad_alloc(); };
  fails("reader_inputs threw an exception: std::bad_alloc");
}

TEST_F(Library, ArraysAreChecked) {
  const auto message = [&](std::vector<InputArray> arrays) {
    options_.reader = [arrays](int64_t, std::vector<InputArray>& inputs) {
      inputs = arrays;
      return true;
    };
    return QuantizeUntimed().error().message;
  };
  const InputArray input{"input", ElementType::kFloat, {2, 8}, values_.data()};
  EXPECT_EQ(message({input, {"label", ElementType::kInt64, {2}, nullptr}}), "sample 0: 'label': no data");
  EXPECT_EQ(message({input, input}), "sample 0: got two arrays 'input', wanted one");
}

TEST_F(Library, APathEndsAtNoZeroByte) {
  const std::string zero = std::string("x") + '\0' + "y";
  const std::string output = options_.output;
  options_.output += zero;
  EXPECT_EQ(QuantizeUntimed().error().message, "--output: got a zero byte, wanted text");
  EXPECT_FALSE(std::filesystem::exists(output + "x"));
  options_.output = output;
  EXPECT_EQ(Compare(options_, zero).error().message, "quantized: got a path with a zero byte");
  EXPECT_EQ(Validate(options_, {"q.onnx", zero}).error().message, "quantized: got a path with a zero byte");
  options_.model += zero;
  EXPECT_EQ(QuantizeUntimed().error().message, "model: got a path with a zero byte");
}

TEST_F(Library, AnOptionOfOneValueIsGivenOnce) {
  options_.settings = {{"samples", "4"}, {"samples", "8"}};
  EXPECT_EQ(QuantizeUntimed().error().message, "samples: got '4' and '8', wanted one value");
  options_.settings = {{"output", "other.onnx"}};
  EXPECT_EQ(QuantizeUntimed().error().number, static_cast<int>(ErrorId::kConflictingOptions));
  options_.settings = {{"config", "A8W8"}, {"config", "nope"}};
  EXPECT_EQ(QuantizeUntimed().error().number, static_cast<int>(ErrorId::kConflictingOptions));
}

TEST_F(Library, QuantizedModelsMayStandInBraces) {
  options_.output = folder_->File("report.html");
  for (const auto& answer : {Validate(options_, {"a.onnx", "b.onnx"}), Validate(options_, {"a.onnx"}),
                             MakeReport(options_, {"a.onnx"}), Validate(options_, "a.onnx")})
    EXPECT_EQ(answer.error().message, "a.onnx: no such file");
}

TEST_F(Library, ResultsAndMessagesHaveShownNames) {
  options_.shown_as = {{options_.model, "the model"}, {options_.output, "the result"}};
  const Outcome<Report> report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->text.starts_with("the model -> the result\n")) << report->text;
  EXPECT_NE(report->json.find(R"("output":"the result")"), std::string::npos) << report->json;
  EXPECT_EQ(report->output, options_.output);
  std::filesystem::remove(options_.model);
  EXPECT_EQ(Quantize(options_).error().message, "the model: no such file");
}

TEST_F(Library, ARaisedFlagEndsTheRun) {
  const std::atomic<bool> cancel{true};
  options_.cancel = &cancel;
  EXPECT_EQ(Quantize(options_).error().exit_status, 130);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

// A key, an encrypted model, and one in memory.
class SecretLibrary : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    ASSERT_TRUE(WriteFileAtomically(folder_->File("key"), std::string(64, 'a')).ok());
  }

  QuantizeOptions Crypt(const std::string& from, const std::string& to) const {
    QuantizeOptions options;
    options.model = folder_->File(from);
    options.output = folder_->File(to);
    options.settings = {{"key-file", folder_->File("key")}};
    return options;
  }
};

TEST_F(SecretLibrary, QuantizesEncryptedModels) {
  ASSERT_TRUE(QuantizeUntimed());
  const std::string plain = *ReadFile(options_.output);
  EXPECT_FALSE(IsCryptoRun(options_));
  ASSERT_TRUE(Encrypt(Crypt("model.onnx", "model.enc")));
  options_.model = folder_->File("model.enc");
  options_.output = folder_->File("out.enc");
  EXPECT_TRUE(IsCryptoRun(options_));
  EXPECT_EQ(QuantizeUntimed().error().number, 1003) << "no key";
  options_.settings = {{"key-file", folder_->File("key")}};
  const Outcome<Report> report = QuantizeUntimed();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->quantized_size_bytes, static_cast<int64_t>(std::filesystem::file_size(options_.output)));
  EXPECT_TRUE(report->outputs.empty());
  ASSERT_TRUE(Decrypt(Crypt("out.enc", "back.onnx")));
  EXPECT_EQ(*ReadFile(folder_->File("back.onnx")), plain);
}

TEST_F(SecretLibrary, QuantizesModelsInMemory) {
  const MemoryFile model = *MemoryFile::Create(), result = *MemoryFile::Create();
  ASSERT_TRUE(SaveModel(TwoLayers(), model.path()).ok());
  options_.settings = {{"option", "CryptoMode=true"}, {"option", "OptimizeModel=false"}};
  EXPECT_TRUE(IsCryptoRun(options_));
  EXPECT_EQ(QuantizeUntimed().error().number, 1004) << "a path";
  options_.model = model.path();
  EXPECT_EQ(QuantizeUntimed().error().number, 1003) << "a path as output, and no key";
  options_.output = result.path();
  ASSERT_TRUE(QuantizeUntimed());
  EXPECT_TRUE(LoadModel(result.path()).ok());
}

TEST_F(SecretLibrary, ACallbackThatThrowsIsNotQuoted) {
  const MemoryFile model = *MemoryFile::Create(), result = *MemoryFile::Create();
  ASSERT_TRUE(SaveModel(TwoLayers(), model.path()).ok());
  options_.model = model.path();
  options_.output = result.path();
  options_.settings = {{"option", "CryptoMode=true"}};
  options_.reader = [](int64_t, std::vector<InputArray>&) -> bool { throw std::runtime_error("secret"); };
  const Failure failure = QuantizeUntimed().error();
  EXPECT_EQ(failure.number, 7007);
  EXPECT_EQ(failure.message.find("secret"), std::string::npos) << failure.message;
}

}  // namespace
}  // namespace preon

#include "calib/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "calib/calib_file.h"
#include "ir/test_models.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

/// x [N, 3, 8, 8] -> Conv -> conv -> Relu -> y.
Model ConvRelu() {
  Model model = test::EmptyModel({kDynamicDim, 3, 8, 8});
  test::AddConv(model, "x", "conv", 3, 5);
  model.graph.AddNode("Relu", {"conv"}, {"y"}, "relu");
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  model.fingerprint = "f00d";
  return model;
}

/// Samples of ConvRelu, in shards and batches; sample k is a wave of phase k.
class WaveSource final : public DataSource {
 public:
  WaveSource(int64_t total, int64_t batch, int64_t shard = 0, int64_t shards = 1)
      : total_(total), batch_(batch), next_(shard), step_(shards) {}

  std::optional<int64_t> SampleCount() const override { return total_; }
  Result<std::optional<Batch>> Next() override {
    Batch batch;
    batch.first_sample = next_;
    batch.sample_step = step_;
    std::vector<float> values;
    for (; next_ < total_ && batch.samples < batch_; next_ += step_, ++batch.samples) {
      for (int64_t i = 0; i < kElements; ++i)
        values.push_back(static_cast<float>((i * 37 + next_ * 11) % 101) / 50.0f - 1.0f);
      if (next_ == poisoned) values[values.size() - 7] = poison;
      batch.names.push_back(StrCat("wave", next_));
      batch.labels.emplace_back();
    }
    if (batch.samples == 0) return std::optional<Batch>();
    batch.feeds = {{"x", Tensor::FromFloats({batch.samples, 3, 8, 8}, values)}};
    return std::optional<Batch>(std::move(batch));
  }

  int64_t poisoned = -1;
  float poison = 0;

 private:
  static constexpr int64_t kElements = 3 * 8 * 8;
  int64_t total_, batch_, next_, step_;
};

const StatisticsRequest kTensors = {.tensors = {"x", "conv", "y"}};
const StatisticsRequest kChannels = {
    .tensors = {"x", "conv", "y"}, .channel_extremes = {"conv"}, .channel_means = {"y"}};

Result<CalibrationData> CalibrateWaves(WaveSource source, const CalibrateOptions& options = {},
                                       const RunContext& context = {}, const StatisticsRequest& request = kTensors) {
  return Calibrate(ConvRelu(), request, source, options, context);
}

std::string Bytes(const Result<CalibrationData>& data) {
  EXPECT_TRUE(data.ok()) << data.status().ToString();
  return data.ok() ? SerializeCalibration(*data) : "";
}

TEST(Calibrate, OriginsAreInTheOrderOfTheModel) {
  const Result<CalibrationData> data = CalibrateWaves(WaveSource(2, 1));
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_EQ(data->origins, (std::vector<TensorOrigin>{{"x", "input"}, {"conv", "Conv"}, {"y", "Relu"}}));
}

TEST(Calibrate, SketchesEveryTensorOfEverySample) {
  const Result<CalibrationData> data = CalibrateWaves(WaveSource(7, 2));
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_EQ(data->model_fingerprint, "f00d");
  EXPECT_EQ(data->samples, (SampleRuns{{0, 7}}));
  EXPECT_EQ(data->tensors.size(), 3u);
  EXPECT_EQ(data->tensors.at("x").count(), 7u * 3 * 8 * 8);
  EXPECT_EQ(data->tensors.at("conv").count(), 7u * 5 * 8 * 8);
  EXPECT_EQ(data->tensors.at("x").max(), 1);
  EXPECT_LT(data->tensors.at("conv").min(), 0);
  EXPECT_EQ(data->tensors.at("y").min(), 0);
  EXPECT_EQ(data->tensors.at("y").max(), data->tensors.at("conv").max());
}

TEST(Calibrate, ShardsMergeToTheBytesOfOneRun) {
  std::vector<CalibrationData> parts;
  for (int64_t shard : {2, 0, 1}) parts.push_back(*CalibrateWaves(WaveSource(10, 1, shard, 3)));
  EXPECT_EQ(Bytes(MergeCalibrations(std::move(parts))), Bytes(CalibrateWaves(WaveSource(10, 1))));
}

TEST(Calibrate, ThreadsDoNotMatter) {
  const auto bytes = [](int threads) {
    RunContext context;
    context.threads = threads;
    return Bytes(CalibrateWaves(WaveSource(20, 1), {}, context, kChannels));
  };
  for (const int threads : {2, 3, 8}) EXPECT_EQ(bytes(threads), bytes(1)) << threads;
}

TEST(Calibrate, ResumedFromAnyCheckpointItEndsWithTheSameBytes) {
  RunContext context;
  context.threads = 3;
  CalibrateOptions options;
  std::vector<CalibrationData> saved;
  options.checkpoint = [&](const CalibrationData& so_far) {
    saved.push_back(so_far);
    return Status::Ok();
  };
  const std::string wanted = Bytes(CalibrateWaves(WaveSource(20, 1), options, context, kChannels));
  ASSERT_GE(saved.size(), 3u);
  options.checkpoint = {};
  for (const CalibrationData& so_far : saved) {
    options.start = so_far;
    int64_t runs = 0;
    options.see_run = [&](const Batch&, const std::vector<NamedTensor>&) {
      ++runs;
      return Status::Ok();
    };
    EXPECT_EQ(Bytes(CalibrateWaves(WaveSource(20, 1), options, context, kChannels)), wanted);
    EXPECT_EQ(runs, 20 - so_far.sample_count());
  }
}

/// How many values are negative.
class NegativeCount final : public TensorStatistic {
 public:
  Status Update(const float* values, const ChannelLayout& layout, const ParallelFor&) override {
    const int64_t count = layout.samples * layout.outer * layout.inner * layout.channels;
    EXPECT_EQ(layout.channels % layout.block, 0);
    for (int64_t i = 0; i < count; ++i) count_ += values[i] < 0 ? 1 : 0;
    return Status::Ok();
  }
  Status Merge(std::string_view serialized) override {
    count_ += std::stoll(std::string(serialized));
    return Status::Ok();
  }
  std::string Serialize() const override { return std::to_string(count_); }

 private:
  int64_t count_ = 0;
};

class NegativeCounts final : public StatisticKind {
 public:
  std::string_view name() const override { return "negative-count"; }
  std::unique_ptr<TensorStatistic> Make() const override { return std::make_unique<NegativeCount>(); }
};

TEST(Calibrate, CollectsMergesAndResumesStatisticsOfAlgorithms) {
  const NegativeCounts kind;
  const StatisticsRequest request{.tensors = {"x", "y"}, .others = {{&kind, {"x", "y"}}}};
  RunContext context;
  context.threads = 3;
  CalibrateOptions options{.optimize = false};
  std::vector<CalibrationData> saved;
  options.checkpoint = [&](const CalibrationData& so_far) {
    saved.push_back(so_far);
    return Status::Ok();
  };
  const Result<CalibrationData> whole = CalibrateWaves(WaveSource(12, 1), options, context, request);
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  EXPECT_EQ(whole->statistics.at("negative-count").at("y"), "0");  // behind Relu
  EXPECT_GT(std::stoll(whole->statistics.at("negative-count").at("x")), 0);
  const Result<CalibrationData> read = ParseCalibration(SerializeCalibration(*whole));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->statistics, whole->statistics);

  options.checkpoint = {};
  std::vector<CalibrationData> parts;
  for (int64_t shard : {2, 0, 1})
    parts.push_back(*CalibrateWaves(WaveSource(12, 1, shard, 3), options, context, request));
  EXPECT_EQ(MergeCalibrations(parts).status().id(), ErrorId::kCalibFileMismatch);  // of an unknown kind
  EXPECT_EQ(Bytes(MergeCalibrations(parts, {&kind})), Bytes(whole));
  parts[1].statistics.clear();
  EXPECT_EQ(MergeCalibrations(parts, {&kind}).status().id(), ErrorId::kCalibFileMismatch);

  ASSERT_GE(saved.size(), 1u);
  options.start = saved[saved.size() / 2];
  EXPECT_EQ(Bytes(CalibrateWaves(WaveSource(12, 1), options, context, request)), Bytes(whole));
}

TEST(Calibrate, StartMustKnowTheTensors) {
  CalibrateOptions options{.start = CalibrationData()};
  EXPECT_EQ(CalibrateWaves(WaveSource(2, 1), options).status().id(), ErrorId::kCalibFileMismatch);
}

/// ConvRelu's input -> Conv -> conv -> Sigmoid -> gate, conv · gate -> y.
Model ConvSilu() {
  Model model = test::EmptyModel({kDynamicDim, 3, 8, 8});
  test::AddConv(model, "x", "conv", 3, 5);
  model.graph.AddNode("Sigmoid", {"conv"}, {"gate"}, "sigmoid");
  model.graph.AddNode("Mul", {"conv", "gate"}, {"y"}, "mul");
  model.graph.AddOutput("y", {.type = DataType::kFloat});
  model.fingerprint = "f00d";
  return model;
}

Result<CalibrationData> CalibrateSilu(WaveSource source, const CalibrateOptions& options = {},
                                      const RunContext& context = {}) {
  const StatisticsRequest request{.tensors = {"x", "conv", "gate", "y"}, .channel_means = {"y"}};
  return Calibrate(ConvSilu(), request, source, options, context);
}

TEST(Calibrate, GatesFollowFromWhatTheyRead) {
  const Result<CalibrationData> data = CalibrateSilu(WaveSource(7, 2));
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_EQ(data->derived.size(), 2u);
  const Result<CalibrationData> observed = CalibrateSilu(WaveSource(7, 2), {.optimize = false});
  ASSERT_TRUE(observed.ok()) << observed.status().ToString();
  EXPECT_TRUE(observed->derived.empty());
  EXPECT_TRUE(CalibrateSilu(WaveSource(7, 2), {.mode = SketchMode::kExact})->derived.empty());
  for (const char* tensor : {"gate", "y"}) {
    const TensorSketch& got = data->tensors.at(tensor);
    const TensorSketch& wanted = observed->tensors.at(tensor);
    EXPECT_EQ(got.config(), wanted.config());
    EXPECT_EQ(got.count(), wanted.count());
    EXPECT_NEAR(got.min(), wanted.min(), 1e-4f) << tensor;
    EXPECT_NEAR(got.max(), wanted.max(), 1e-5f) << tensor;
  }
  const std::vector<double> means = data->tensors.at("y").channel_means();
  const std::vector<double> wanted = observed->tensors.at("y").channel_means();
  ASSERT_EQ(means.size(), 5u);
  for (size_t channel = 0; channel < means.size(); ++channel) EXPECT_NEAR(means[channel], wanted[channel], 1e-5);
}

TEST(Calibrate, DerivedTensorsMergeAndResumeToTheSameBytes) {
  RunContext context;
  context.threads = 3;
  const std::string whole = Bytes(CalibrateSilu(WaveSource(10, 1)));
  EXPECT_EQ(Bytes(CalibrateSilu(WaveSource(10, 1), {}, context)), whole);
  std::vector<CalibrationData> parts;
  for (int64_t shard : {2, 0, 1}) parts.push_back(*CalibrateSilu(WaveSource(10, 1, shard, 3)));
  EXPECT_EQ(Bytes(MergeCalibrations(std::move(parts))), whole);

  CalibrateOptions options;
  std::vector<CalibrationData> saved;
  options.checkpoint = [&](const CalibrationData& so_far) {
    saved.push_back(so_far);
    return Status::Ok();
  };
  EXPECT_EQ(Bytes(CalibrateSilu(WaveSource(10, 1), options, context)), whole);
  ASSERT_GE(saved.size(), 2u);
  for (const CalibrationData& so_far : saved) {
    const CalibrateOptions resumed{.start = *ParseCalibration(SerializeCalibration(so_far))};
    EXPECT_EQ(Bytes(CalibrateSilu(WaveSource(10, 1), resumed, context)), whole);
  }
}

TEST(Calibrate, RunsAreSeenInOrder) {
  RunContext context;
  context.threads = 4;
  std::vector<int64_t> seen;
  const auto see = [&](const Batch& batch, const std::vector<NamedTensor>& outputs) {
    EXPECT_EQ(outputs.size(), 1u);
    seen.push_back(batch.first_sample);
    return seen.size() == 7 ? Error(ErrorId::kPassFailed, "enough") : Status::Ok();
  };
  EXPECT_EQ(CalibrateWaves(WaveSource(20, 1), {.see_run = see}, context).status().message(), "enough");
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Calibrate, ReportsProgress) {
  std::vector<std::pair<int64_t, int64_t>> seen;
  RunContext context;
  context.progress = [&](const Progress& p) { seen.emplace_back(p.done, p.total); };
  ASSERT_TRUE(CalibrateWaves(WaveSource(5, 2), {}, context).ok());
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{0, 5}, {2, 5}, {4, 5}, {5, 5}}));
}

TEST(Calibrate, NaNNamesTheTensorAndTheSample) {
  WaveSource source(6, 2);
  source.poisoned = 3;
  source.poison = std::numeric_limits<float>::quiet_NaN();
  const Status status = CalibrateWaves(source).status();
  EXPECT_EQ(status.id(), ErrorId::kRangeNotFinite);
  EXPECT_EQ(status.message(), "x: 1 of 384 values are NaN in sample wave3");
}

TEST(Calibrate, InfinitiesWarn) {
  WaveSource source(3, 1);
  source.poisoned = 1;
  source.poison = -std::numeric_limits<float>::infinity();
  std::string log;
  RunContext context;
  context.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::kWarning) log += std::string(text) + "\n";
  };
  const Result<CalibrationData> data = Calibrate(ConvRelu(), {.tensors = {"x"}}, source, {}, context);
  ASSERT_TRUE(data.ok()) << data.status().ToString();
  EXPECT_THAT(log, HasSubstr("x: 1 of 576 values are infinite"));
  EXPECT_EQ(data->tensors.at("x").min(), -1);
}

TEST(Calibrate, CancelSaysHowFarItCame) {
  std::atomic<bool> cancel = false;
  RunContext context;
  context.cancel = &cancel;
  context.threads = 1;
  context.progress = [&](const Progress& p) { cancel = p.done >= 2; };
  const Status status = CalibrateWaves(WaveSource(9, 1), {}, context).status();
  EXPECT_EQ(status.id(), ErrorId::kCancelled);
  EXPECT_EQ(status.message(), "calibrate: interrupted after 2 of 9 samples");
}

TEST(Calibrate, Errors) {
  EXPECT_EQ(CalibrateWaves(WaveSource(0, 1)).status().id(), ErrorId::kDataEmpty);
  WaveSource source(1, 1);
  EXPECT_EQ(Calibrate(ConvRelu(), {.tensors = {"nope"}}, source, {}, {}).status().id(), ErrorId::kNameNotInModel);
}

}  // namespace
}  // namespace preon

#include "data/data_source.h"
#include "data/data_options.h"
#include "data/open_data_source.h"

#include <gtest/gtest.h>

#include "data/files/test_files.h"
#include "data/images/test_images.h"
#include "data/sound/test_sounds.h"

namespace preon {
namespace {

using test::FloatNpy;
using test::NpyOf;
using test::TestFolder;
using test::ZipOf;

class DataSourceTest : public ::testing::Test {
 protected:
  // All batches, or the first error.
  Result<std::vector<Batch>> ReadAll(const DataOptions& options, const SampleSelection& selection = {}) {
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, OpenDataSource(options, inputs_, selection));
    std::vector<Batch> batches;
    int64_t samples = 0;
    for (;;) {
      PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
      if (!batch) break;
      samples += batch->samples;
      EXPECT_EQ(batch->names.size(), static_cast<size_t>(batch->samples));
      EXPECT_EQ(batch->labels.size(), static_cast<size_t>(batch->samples));
      batches.push_back(std::move(*batch));
    }
    EXPECT_EQ(source->SampleCount(), samples);
    return batches;
  }
  std::vector<Batch> Read(const DataOptions& options) {
    auto batches = ReadAll(options);
    EXPECT_TRUE(batches.ok()) << batches.status().ToString();
    return batches.ok() ? std::move(*batches) : std::vector<Batch>();
  }
  Status Refusal(const DataOptions& options) { return ReadAll(options).status(); }
  // First value of every sample's first feed, batch by batch.
  static std::vector<std::vector<float>> Firsts(const std::vector<Batch>& batches) {
    std::vector<std::vector<float>> firsts;
    for (const Batch& batch : batches) {
      const Tensor& tensor = batch.feeds[0].tensor;
      std::vector<float>& row = firsts.emplace_back();
      for (int64_t at = 0; at < tensor.count(); at += tensor.count() / batch.samples)
        row.push_back(tensor.floats()[static_cast<size_t>(at)]);
    }
    return firsts;
  }

  using Groups = std::vector<std::vector<float>>;
  const TestFolder folder_;
  std::vector<TensorSpec> inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 2}}};
};

TEST_F(DataSourceTest, PartsAreWholeBatchesOfTheShardAndSeenSamplesAreLeftOut) {
  DataOptions options;
  options.from.sources = {folder_.Write("x.npy", FloatNpy({11, 2}))};  // sample k starts with 2k
  options.batch = 2;
  const auto select = [&](const SampleSelection& selection) {
    auto batches = ReadAll(options, selection);
    EXPECT_TRUE(batches.ok()) << batches.status().ToString();
    return batches.ok() ? Firsts(*batches) : Groups{};
  };
  EXPECT_EQ(select({.part = 0, .parts = 2}), (Groups{{0, 2}, {8, 10}, {16, 18}}));
  EXPECT_EQ(select({.part = 1, .parts = 2}), (Groups{{4, 6}, {12, 14}, {20}}));
  EXPECT_EQ(select({.part = 7, .parts = 9}), Groups{});
  EXPECT_EQ(select({.limit = 3}), (Groups{{0, 2}, {4}}));
  // A gap ends a batch.
  EXPECT_EQ(select({.seen = {{1, 2}, {4, 7}}}), (Groups{{0}, {4, 6}, {14, 16}, {18, 20}}));
  EXPECT_EQ(select({.seen = {{0, 11}}}), Groups{});
  EXPECT_EQ(select({.seen = {{0, 5}}, .part = 1, .parts = 2}), (Groups{{12, 14}, {20}}));
  options.shard.count = 2;
  options.shard.index = 1;  // 1 3 5 7 9
  EXPECT_EQ(select({.part = 1, .parts = 2}), (Groups{{10, 14}}));
  EXPECT_EQ(select({.seen = {{3, 4}}, .part = 0, .parts = 2}), (Groups{{2}, {18}}));
}

TEST_F(DataSourceTest, BatchesShardsAndLimits) {
  DataOptions options;
  options.from.sources = {folder_.Write("x.npy", FloatNpy({7, 2}))};  // sample k starts with 2k
  EXPECT_EQ(Firsts(Read(options)), (Groups{{0}, {2}, {4}, {6}, {8}, {10}, {12}}));
  options.batch = 3;
  EXPECT_EQ(Firsts(Read(options)), (Groups{{0, 2, 4}, {6, 8, 10}, {12}}));
  options.limit = 5;
  options.shard.count = 2;
  options.shard.index = 1;
  const std::vector<Batch> batches = Read(options);
  EXPECT_EQ(Firsts(batches), (Groups{{2, 6}}));
  EXPECT_EQ(batches[0].first_sample, 1);
  EXPECT_EQ(batches[0].sample_step, 2);
  EXPECT_EQ(batches[0].feeds[0].tensor.shape(), (Shape{2, 2}));
  EXPECT_TRUE(batches[0].names[1].ends_with("x.npy[3]"));
  options.shard.count = 9;
  options.shard.index = 8;
  EXPECT_TRUE(Read(options).empty());  // more shards than samples
}

TEST_F(DataSourceTest, SourcesFollowOneAnother) {
  DataOptions options;
  folder_.Write("folder/b.npy", FloatNpy({1, 2}));
  folder_.Write("folder/a.npz", ZipOf({{"x.npy", FloatNpy({2, 2})}}));
  options.from.sources = {folder_.Write("x.npy", FloatNpy({2, 2})), folder_.path() + "/folder"};
  options.batch = 10;
  const std::vector<Batch> batches = Read(options);
  ASSERT_EQ(batches.size(), 1u);  // batches go over the ends of files
  EXPECT_EQ(batches[0].samples, 5);
  EXPECT_TRUE(batches[0].names[2].ends_with("folder/a.npz[0]"));
  EXPECT_TRUE(batches[0].names[4].ends_with("folder/b.npy[0]"));
}

TEST_F(DataSourceTest, AnotherShapeStartsANewBatch) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, kDynamicDim}}};
  DataOptions options;
  options.from.sources = {folder_.Write("a.npy", FloatNpy({3, 2})), folder_.Write("b.npy", FloatNpy({2, 5}))};
  options.batch = 2;
  const std::vector<Batch> batches = Read(options);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[1].samples, 1);
  EXPECT_EQ(batches[2].feeds[0].tensor.shape(), (Shape{2, 5}));
  EXPECT_EQ(batches[2].first_sample, 3);
}

TEST_F(DataSourceTest, AFixedBatchIsFilledExactly) {
  inputs_ = {{"x", DataType::kFloat, {3, 2}}};
  DataOptions options;
  options.from.sources = {folder_.Write("x.npy", FloatNpy({7, 2}))};
  const Status status = Refusal(options);
  EXPECT_EQ(status.id(), ErrorId::kDataShape);
  EXPECT_EQ(status.message(), "--data: 7 samples, wanted a multiple of 3: the model takes batches of exactly that");
  EXPECT_EQ(status.hint(), "--samples 6 leaves the incomplete batch out");
  options.limit = 6;
  EXPECT_EQ(Firsts(Read(options)), (Groups{{0, 2, 4}, {6, 8, 10}}));
  options.batch = 2;
  EXPECT_EQ(Refusal(options).id(), ErrorId::kBadOptionValue);
}

TEST_F(DataSourceTest, OneSourcePerInputAndConstantsForAll) {
  inputs_ = {
      {"x", DataType::kFloat, {kDynamicDim, 2}}, {"rate", DataType::kInt64, {}}, {"mask", DataType::kFloat, {1, 3}}};
  DataOptions options;
  options.from.inputs = {{"rate", folder_.Write("r.npy", NpyOf<int64_t>("<i8", {}, {8000}))},
                         {"x", folder_.Write("x1.npy", FloatNpy({2, 2}))},
                         {"x", folder_.Write("x2.npy", FloatNpy({1, 2}))},
                         {"mask", folder_.Write("m.npy", FloatNpy({1, 3}))}};
  const std::vector<Batch> batches = Read(options);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[2].feeds[0].name, "x");  // in the model's order
  EXPECT_EQ(batches[2].feeds[1].tensor.As<int64_t>()[0], 8000);
  EXPECT_EQ(batches[2].feeds[2].name, "mask");
  EXPECT_TRUE(batches[2].names[0].ends_with("x2.npy[0]"));
  options.from.inputs[3].second = folder_.Write("m2.npy", FloatNpy({2, 3}));
  EXPECT_EQ(Refusal(options).id(), ErrorId::kDataShape);
}

TEST_F(DataSourceTest, ConstantsAllowBatchesButNotOverAChange) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 2}}, {"rate", DataType::kFloat, {}}};
  const auto file = [&](const std::string& name, float rate) {
    return folder_.Write(name, ZipOf({{"x.npy", FloatNpy({3, 2})}, {"rate.npy", NpyOf<float>("<f4", {}, {rate})}}));
  };
  DataOptions options;
  options.from.sources = {file("a.npz", 1), file("b.npz", 1), file("c.npz", 2)};
  options.batch = 100;
  const std::vector<Batch> batches = Read(options);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].samples, 6);
  EXPECT_EQ(batches[1].feeds[1].tensor.floats()[0], 2);
}

TEST_F(DataSourceTest, ImagesWithLabels) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 3, 2, 2}}};
  for (const char* name : {"dog/1.bmp", "cat/2.BMP", "cat/.hidden.bmp", "cat/notes.txt"}) {
    folder_.Write(std::string("images/") + name, test::Bmp(Pixels({2, 2}, 3, name[0] == 'd' ? 9 : 7)));
  }
  DataOptions options;
  options.from.sources = {folder_.path() + "/images"};
  options.preprocess = "raw";
  options.batch = 2;
  std::vector<Batch> batches = Read(options);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(Firsts(batches), (Groups{{7, 9}}));
  EXPECT_EQ(batches[0].labels, (std::vector<std::optional<int64_t>>{0, 1}));  // cat, dog
  options.labels = folder_.Write("labels.tsv", "1.bmp\t42\nunused.bmp\t5\n");
  batches = Read(options);
  EXPECT_EQ(batches[0].labels, (std::vector<std::optional<int64_t>>{0, 42}));
  options.labels = folder_.Write("other.tsv", "x.bmp\t42\n");
  EXPECT_EQ(Refusal(options).id(), ErrorId::kLabels);
}

TEST_F(DataSourceTest, AnUnreadableImageIsAnErrorUnlessItIsAnotherShards) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 3, 2, 2}}};
  folder_.Write("a.bmp", test::Bmp(Pixels({2, 2}, 3)));
  folder_.Write("b.jpg", "no image");
  DataOptions options;
  options.from.sources = {folder_.path()};
  options.preprocess = "raw";
  const Status status = Refusal(options);
  EXPECT_EQ(status.id(), ErrorId::kImageUnreadable);
  EXPECT_NE(status.message().find("b.jpg: not a JPEG, PNG, BMP or WebP image (8 bytes)"), std::string::npos);
  options.shard.count = 2;
  EXPECT_EQ(Read(options).size(), 1u);
  folder_.Write("c.gif", "");
  EXPECT_EQ(Refusal(options).id(), ErrorId::kDataUnsupported);
}

TEST_F(DataSourceTest, SoundInWindowsWithClasses) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 2}}};
  folder_.Write("sound/no/long.wav", test::Wav({1, 2, 3, 4, 5}));
  folder_.Write("sound/yes/short.WAV", test::Wav({6, 7}));
  DataOptions options;
  options.from.sources = {folder_.path() + "/sound"};
  options.preprocess = "scale=32768,rate=16000";
  options.batch = 2;
  const std::vector<Batch> batches = Read(options);
  EXPECT_EQ(Firsts(batches), (Groups{{1, 3}, {5, 6}}));
  EXPECT_EQ(batches[1].labels, (std::vector<std::optional<int64_t>>{0, 1}));
  EXPECT_TRUE(batches[1].names[0].ends_with("no/long.wav[2]")) << batches[1].names[0];
  EXPECT_TRUE(batches[1].names[1].ends_with("yes/short.WAV")) << batches[1].names[1];
  options.shard.count = 2;
  options.batch = 0;
  EXPECT_EQ(Firsts(Read(options)), (Groups{{1}, {5}}));
  folder_.Write("sound/yes/slow.wav", test::Wav({6, 7}, 1, 8000));
  EXPECT_EQ(Refusal(options).id(), ErrorId::kPreprocess);
  options.preprocess.clear();
  EXPECT_EQ(Refusal(options).id(), ErrorId::kDataUnsupported);
  folder_.Write("sound/c.jpg", "");
  EXPECT_EQ(Refusal(options).id(), ErrorId::kDataUnsupported);
  folder_.Write("other/d.mp3", "");
  options.from.sources = {folder_.path() + "/other"};
  EXPECT_EQ(Refusal(options).id(), ErrorId::kDataUnsupported);
}

TEST_F(DataSourceTest, NamesFilesThatAreSomethingElse) {
  inputs_ = {{"x", DataType::kFloat, {kDynamicDim, 3, 2, 2}}};
  for (const auto& [bytes, said] : std::vector<std::pair<std::string, std::string>>{
           {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"},
           {"<html><p>404</p></html>", "an HTML page"},
           {"PK\x03\x04" + std::string(40, 'x'), "zip archive"}}) {
    for (const char* name : {"a.npy", "a.npz", "a.jpg", "test_data_set_0/input_0.pb"}) {
      DataOptions options;
      options.from.sources = {folder_.Write(name, bytes)};
      if (std::string_view(name).ends_with(".pb")) options.from.sources = {folder_.path()};
      options.preprocess = "raw";
      const std::string message = Refusal(options).message();
      EXPECT_NE(message.find(said), std::string::npos) << name << ": " << message;
    }
  }
}

TEST_F(DataSourceTest, RandomSamples) {
  DataOptions options;
  options.from.sources = {"random:1k"};
  EXPECT_EQ(OpenDataSource(options, inputs_).value()->SampleCount(), 1000);
  for (const char* source : {"random:", "random:0", "random:-1", "random:1x"}) {
    options.from.sources = {source};
    EXPECT_EQ(Refusal(options).id(), ErrorId::kBadOptionValue) << source;
  }
}

TEST_F(DataSourceTest, Refusals) {
  const std::string x = folder_.Write("x.npy", FloatNpy({4, 2}));
  const auto id = [&](std::vector<std::string> sources, auto change) {
    DataOptions options;
    options.from.sources = std::move(sources);
    change(options);
    return Refusal(options).id();
  };
  const auto nothing = [](DataOptions&) {};
  EXPECT_EQ(id({}, nothing), ErrorId::kMissingOption);
  EXPECT_EQ(id({folder_.path() + "/none"}, nothing), ErrorId::kDataNotFound);
  std::filesystem::create_directory(folder_.path() + "/empty");
  EXPECT_EQ(id({folder_.path() + "/empty"}, nothing), ErrorId::kDataEmpty);
  EXPECT_EQ(id({folder_.Write("zero.npy", FloatNpy({0, 2}))}, nothing), ErrorId::kDataEmpty);
  EXPECT_EQ(id({folder_.Write("zero.npz", "")}, nothing), ErrorId::kDataMalformed);
  EXPECT_EQ(id({folder_.Write("x.txt", "")}, nothing), ErrorId::kDataUnsupported);
  EXPECT_EQ(id({x}, [](DataOptions& options) { options.limit = 0; }), ErrorId::kBadOptionValue);
  EXPECT_EQ(id({x}, [](DataOptions& options) { options.batch = -1; }), ErrorId::kBadOptionValue);
  EXPECT_EQ(id({x}, [](DataOptions& options) { options.shard.index = 1; }), ErrorId::kBadOptionValue);
  EXPECT_EQ(id({x}, [&](DataOptions& options) { options.from.inputs = {{"y", x}}; }), ErrorId::kDataInputName);
  EXPECT_EQ(id({x}, [&](DataOptions& options) { options.from.inputs = {{"x", x}}; }), ErrorId::kConflictingOptions);
  folder_.Write("mixed/a.npy", FloatNpy({4, 2}));
  folder_.Write("mixed/b.jpg", "");
  EXPECT_EQ(id({folder_.path() + "/mixed"}, nothing), ErrorId::kDataUnsupported);
}

}  // namespace
}  // namespace preon

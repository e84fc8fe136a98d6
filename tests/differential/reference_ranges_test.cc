// Ranges of compat/ against all stored runs of the reference tool and of ONNX Runtime's calibrators, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "calib/data/array_file.h"
#include "differential/reference_vectors.h"
#include "ranges/compat/reference_minmse.h"
#include "ranges/compat/reference_ranges.h"

namespace preon {
namespace {

using Json = nlohmann::json;

std::filesystem::path Vectors() {
  return ReferenceVectors() / "calibration";
}

/// A data set: its batches in order.
std::vector<Tensor> ReadBatches(const std::string& name) {
  const auto file =
      std::make_shared<const RandomAccessFile>(*RandomAccessFile::Open((Vectors() / (name + ".npz")).string()));
  std::vector<StoredArray> arrays = *ListArrays(file);
  std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<Tensor> batches;
  for (const StoredArray& array : arrays) batches.push_back(*ArrayReader(file, array).Read(0, array.header.shape));
  return batches;
}

class Row {
 public:
  explicit Row(const Json& row) : row_(row) {}

  Result<Range> Ours(compat::Batches batches) const {
    const std::string method = row_["method"];
    const auto bins = [&](size_t usual) { return Get<size_t>("num_bins", usual); };
    if (method == "MinMax" || method == "NonOverflow") {
      return compat::MinMax(
          batches, {.symmetric = Get("symmetric", method == "NonOverflow"), .average = Get("moving_average", false)});
    }
    if (method == "Percentile") {
      return compat::Percentile(batches, {Get("percentile", 99.999), Get("symmetric", true), bins(2048)});
    }
    if (method == "LayerWisePercentile") {
      compat::LayerwiseOptions options;
      options.candidates = Get("percentile_candidates", options.candidates);
      options.square = Get<std::string>("lwp_metric", "mae") == "mse";
      options.use_histogram = Get("lwp_use_histogram", true);
      options.symmetric = Get("symmetric", true);
      return compat::LayerwisePercentile(batches, Type(), options);
    }
    if (method == "Entropy") return compat::Entropy(batches, {bins(128), Get<size_t>("num_quantized_bins", 128)});
    if (method == "Distribution") return compat::Distribution(batches, bins(2048));
    EXPECT_EQ(method, "MinMSE");
    compat::MinMseOptions options;
    const std::string mode = Get<std::string>("minmse_mode", "All");
    options.bins = bins(2048);
    options.mode = mode == "MostCommon"   ? compat::MinMseMode::kMostCommon
                   : mode == "Percentile" ? compat::MinMseMode::kPercentile
                   : options.bins == 0    ? compat::MinMseMode::kValues
                                          : compat::MinMseMode::kHistogram;
    options.symmetric = Get("symmetric", true);
    options.half_values = Get("optimize_mem", true);
    options.percentile = Get("percentile", options.percentile);
    return compat::MinMse(batches, Type(), options);
  }

  /// The runtime's histogram calibrators make one block of all batches first.
  bool in_one_block() const { return row_["source"] == "onnxruntime" && row_["method"] != "MinMax"; }
  /// An outlier makes tens of thousands of bins of 1024, and the search is quadratic in them.
  bool is_slow() const {
    return row_["method"] == "Entropy" && Get<size_t>("num_bins", 0) >= 1024 && data() == "outlier";
  }
  std::string data() const { return row_["data"]; }
  std::string method() const { return row_["source"].get<std::string>() + " " + row_["method"].get<std::string>(); }
  std::string text() const { return row_.dump(); }
  bool is_error() const { return row_.contains("error"); }
  bool Matches(const Result<Range>& ours) const {
    if (is_error()) return !ours.ok();
    return ours.ok() && Bits(ours->min) == BitsOf("rmin_hex") && Bits(ours->max) == BitsOf("rmax_hex");
  }

 private:
  static uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
  uint32_t BitsOf(const char* column) const {
    return BitsFromHex(row_[column].get<std::string>());
  }
  template <typename T>
  T Get(const char* name, T otherwise) const {
    return row_["options"].value(name, otherwise);
  }
  DataType Type() const { return *ParseIntType(row_["activation_type"].get<std::string>()); }

  Json row_;
};

/// A data set as the calibrators of a row see it.
struct DataSet {
  explicit DataSet(const std::string& name) : tensors(ReadBatches(name)) {
    for (const Tensor& batch : tensors) {
      batches.push_back(batch.floats());
      all.insert(all.end(), batch.floats().begin(), batch.floats().end());
      even &= batch.shape() == tensors.front().shape();
    }
    block = all;
  }
  std::vector<Tensor> tensors;
  std::vector<std::span<const float>> batches;
  std::vector<float> all;
  std::span<const float> block;
  bool even = true;
};

struct Compared {
  std::map<std::string, int> matched;
  int uneven = 0;  ///< the runtime can't make one block of them; rows of its collector, batch by batch, stand for these
};

/// Compares the rows that `wanted` picks; none may differ.
template <typename Wanted>
Compared CompareRows(const Wanted& wanted) {
  std::ifstream file(Vectors() / "ranges.json");
  const Json table = Json::parse(file);
  std::map<std::string, DataSet> sets;
  Compared compared;
  for (const Json& entry : table["rows"]) {
    const Row row(entry);
    if (!wanted(row)) continue;
    const DataSet& set = sets.try_emplace(row.data(), row.data()).first->second;
    if (row.in_one_block() && !set.even) {
      EXPECT_TRUE(row.is_error()) << row.text();
      ++compared.uneven;
      continue;
    }
    const Result<Range> ours =
        row.Ours(row.in_one_block() ? compat::Batches(&set.block, 1) : compat::Batches(set.batches));
    EXPECT_TRUE(row.Matches(ours)) << row.text() << "\nours: " << (ours.ok() ? ours->min : NAN) << ' '
                                   << (ours.ok() ? ours->max : NAN) << ours.status().ToString();
    ++compared.matched[row.method()];
  }
  return compared;
}

// Counts of what was stored: a row that is no longer compared would go unnoticed otherwise.
TEST(RangesOfTheReference, AllStoredRuns) {
  if (!std::filesystem::exists(Vectors())) GTEST_SKIP() << Vectors() << " is not there (set PREON_DATA)";
  const Compared compared = CompareRows([](const Row& row) { return !row.is_slow(); });
  const std::map<std::string, int> counts = {{"onnxruntime Distribution", 14},
                                             {"onnxruntime Entropy", 14},
                                             {"onnxruntime MinMax", 40},
                                             {"onnxruntime Percentile", 42},
                                             {"onnxruntime collector, batch by batch Distribution", 6},
                                             {"onnxruntime collector, batch by batch Entropy", 6},
                                             {"onnxruntime collector, batch by batch Percentile", 18},
                                             {"quark Distribution", 30},
                                             {"quark Entropy", 48},
                                             {"quark LayerWisePercentile", 180},
                                             {"quark MinMSE", 160},
                                             {"quark MinMax", 40},
                                             {"quark NonOverflow", 10},
                                             {"quark Percentile", 120}};
  EXPECT_EQ(compared.matched, counts);
  EXPECT_EQ(compared.uneven, 30);
}

TEST(RangesOfTheReference, SlowEntropyOfManyBins) {
  if (!std::filesystem::exists(Vectors())) GTEST_SKIP() << Vectors() << " is not there (set PREON_DATA)";
  const Compared compared = CompareRows([](const Row& row) { return row.is_slow(); });
  EXPECT_EQ(compared.matched, (std::map<std::string, int>{{"quark Entropy", 2}}));
}

// What the batches are makes a difference there, and none to the methods over sketches.
TEST(RangesOfTheReference, DependOnTheOrderOfTheBatches) {
  const std::vector<float> narrow = {-0.5f, 0.25f, 0.125f}, wide = {3, -1, 0.7f};
  const std::span<const float> forward[] = {narrow, wide}, backward[] = {wide, narrow};
  EXPECT_NE(*compat::Percentile(forward, {.percentile = 90}), *compat::Percentile(backward, {.percentile = 90}));
  EXPECT_EQ(compat::MinMax(forward, {}), compat::MinMax(backward, {}));
}

}  // namespace
}  // namespace preon

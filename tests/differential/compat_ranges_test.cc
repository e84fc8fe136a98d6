// Ranges of compat/ against all stored runs of Quark and of ONNX Runtime's calibrators, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "config/builtins.h"
#include "data/files/array_file.h"
#include "differential/quark_vectors.h"
#include "formats/tensor_type.h"
#include "ranges/compat/compat_method.h"
#include "ranges/compat/compat_ranges.h"

namespace preon {
namespace {

using Json = nlohmann::json;

std::filesystem::path CalibrationVectors() { return QuarkVectors() / "calibration"; }

/// A data set: its batches in order.
std::vector<Tensor> ReadBatches(const std::string& name) {
  const auto file = std::make_shared<const RandomAccessFile>(
      *RandomAccessFile::Open((CalibrationVectors() / (name + ".npz")).string()));
  std::vector<StoredArray> arrays = *ListArrays(file);
  std::sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<Tensor> batches;
  for (const StoredArray& array : arrays) batches.push_back(*ArrayReader(file, array).Read(0, array.header.shape));
  return batches;
}

using Batches = std::span<const std::span<const float>>;

Result<Range> RangeOf(RangeCollector& collector, Batches batches) {
  for (const std::span<const float> batch : batches) collector.Add(batch);
  return collector.Finish([&](const std::function<void(std::span<const float>)>& visit) {
    for (const std::span<const float> batch : batches) visit(batch);
    return Status::Ok();
  });
}

/// Of Quark's spelling inside; empty for those that change no number.
std::string_view OptionName(const std::string& internal) {
  static const std::map<std::string, std::string_view> names = {{"symmetric", "symmetric"},
                                                                {"moving_average", "CalibMovingAverage"},
                                                                {"averaging_constant", "CalibMovingAverageConstant"},
                                                                {"num_bins", "NumBins"},
                                                                {"num_quantized_bins", "NumQuantizedBins"},
                                                                {"percentile", "Percentile"},
                                                                {"scenario", "Scenario"},
                                                                {"lwp_metric", "LWPMetric"},
                                                                {"percentile_candidates", "PercentileCandidates"},
                                                                {"lwp_use_histogram", "LWPUseHistogram"},
                                                                {"minmse_mode", "MinMSEModePof2Scale"},
                                                                {"optimize_mem", "CalibOptimizeMem"}};
  const auto name = names.find(internal);
  return name == names.end() ? "" : name->second;
}

class RangeRow {
 public:
  explicit RangeRow(const Json& row) : row_(row) {}

  /// By way of the product's options.
  Result<Range> Ours(Batches batches) const {
    MethodOptions options;
    for (const auto& [key, value] : row_["options"].items()) {
      const std::string_view name = OptionName(key);
      if (!name.empty()) options[std::string(name)] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    // Its collector, batch by batch, is Quark's.
    const Compat tool = row_["source"] == "onnxruntime" ? Compat::kOnnxRuntime : Compat::kQuark;
    static const Builtins builtins = MakeBuiltins();
    const std::string_view ours = (*builtins.methods.Find(method_name()))->name();
    PREON_ASSIGN_OR_RETURN(const auto method, compat::MakeCompatMethod(tool, ours, options, Type()));
    const ScaleType scale_type = method_name() == "MinMSE" ? ScaleType::kPowerOfTwo : ScaleType::kFloat32;
    if (!method->collects()) {
      TensorSketch sketch;
      for (const std::span<const float> batch : batches) sketch.Update(batch);
      return method->Choose(sketch, {{Type()}, scale_type});
    }
    PREON_ASSIGN_OR_RETURN(const auto collector, method->Collect({{Type()}, scale_type}));
    EXPECT_TRUE(collector->by_run());
    return RangeOf(*collector, batches);
  }

  /// The runtime's histogram calibrators make one block of all batches first.
  bool in_one_block() const { return row_["source"] == "onnxruntime" && row_["method"] != "MinMax"; }
  /// An outlier makes tens of thousands of bins of 1024, and the search is quadratic in them.
  bool is_slow() const {
    return row_["method"] == "Entropy" && Get<size_t>("num_bins", 0) >= 1024 && data() == "outlier";
  }
  std::string data() const { return row_["data"]; }
  std::string method_name() const { return row_["method"]; }
  std::string method() const { return row_["source"].get<std::string>() + " " + row_["method"].get<std::string>(); }
  std::string text() const { return row_.dump(); }
  bool is_error() const { return row_.contains("error"); }
  bool Matches(const Result<Range>& ours) const {
    if (is_error()) return !ours.ok();
    return ours.ok() && Bits(ours->min) == BitsOf("rmin_hex") && Bits(ours->max) == BitsOf("rmax_hex");
  }

 private:
  static uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
  uint32_t BitsOf(const char* column) const { return BitsFromHex(row_[column].get<std::string>()); }
  template <typename T>
  T Get(const char* name, T otherwise) const {
    return row_["options"].value(name, otherwise);
  }
  DataType Type() const {
    if (!row_.contains("activation_type")) return DataType::kUInt8;  // the runtime's ranges don't depend on one
    return ParseTensorType(row_["activation_type"].get<std::string>())->type();
  }

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
  std::ifstream file(CalibrationVectors() / "ranges.json");
  const Json table = Json::parse(file);
  std::map<std::string, DataSet> sets;
  Compared compared;
  for (const Json& entry : table["rows"]) {
    const RangeRow row(entry);
    if (!wanted(row)) continue;
    const DataSet& set = sets.try_emplace(row.data(), row.data()).first->second;
    if (row.in_one_block() && !set.even) {
      EXPECT_TRUE(row.is_error()) << row.text();
      ++compared.uneven;
      continue;
    }
    const Result<Range> ours = row.Ours(row.in_one_block() ? Batches(&set.block, 1) : Batches(set.batches));
    EXPECT_TRUE(row.Matches(ours)) << row.text() << "\nours: " << (ours.ok() ? ours->min : NAN) << ' '
                                   << (ours.ok() ? ours->max : NAN) << ours.status().ToString();
    ++compared.matched[row.method()];
  }
  return compared;
}

// Counts of what was stored: a row that is no longer compared would go unnoticed otherwise.
TEST(RangesOfQuark, AllStoredRuns) {
  const Compared compared = CompareRows([](const RangeRow& row) { return !row.is_slow(); });
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

TEST(RangesOfQuark, EntropyOfManyBinsTakesLong) {
  const Compared compared = CompareRows([](const RangeRow& row) { return row.is_slow(); });
  EXPECT_EQ(compared.matched, (std::map<std::string, int>{{"quark Entropy", 2}}));
}

// What the batches are makes a difference there, and none to the methods over sketches.
TEST(RangesOfQuark, DependOnTheOrderOfTheBatches) {
  const std::vector<float> narrow = {-0.5f, 0.25f, 0.125f}, wide = {3, -1, 0.7f};
  const std::span<const float> forward[] = {narrow, wide}, backward[] = {wide, narrow};
  const auto percentile = [](Batches batches) {
    return *RangeOf(*compat::CollectPercentile({.percentile = 90}), batches);
  };
  const auto min_max = [](Batches batches) { return *RangeOf(*compat::CollectMinMax({}), batches); };
  EXPECT_NE(percentile(forward), percentile(backward));
  EXPECT_EQ(min_max(forward), min_max(backward));
}

// Quark makes billions of bins of it, and dies.
TEST(RangesOfQuark, ATinyFirstBatchIsAnError) {
  const std::vector<float> tiny = {1e-30f, 2e-30f}, usual = {1, 2};
  const std::span<const float> batches[] = {tiny, usual};
  EXPECT_EQ(RangeOf(*compat::CollectPercentile({}), batches).status().id(), ErrorId::kOutOfMemory);
  EXPECT_EQ(RangeOf(*compat::CollectPercentile({.symmetric = false}), batches).status().id(), ErrorId::kOutOfMemory);
  EXPECT_EQ(RangeOf(*compat::CollectMinMse({}), batches).status().id(), ErrorId::kOutOfMemory);
  EXPECT_TRUE(RangeOf(*compat::CollectPercentile({.one_block = true}), batches).ok());
}

}  // namespace
}  // namespace preon

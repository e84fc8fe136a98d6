#include "data/test_set.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "data/array_layout.h"
#include "data/convert.h"
#include "data/files/quoted_names.h"
#include "ir/tensor_pb.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSetPrefix = "test_data_set_";

// The number in `prefix<number>suffix`.
std::optional<int> NumberIn(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  return ParseNumber<int>(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
}

Result<NamedTensor> ReadTensor(const std::string& path) {
  PREON_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ParseTensorProto(std::as_bytes(std::span(bytes)), path);
}

// The files prefix_K.pb of a folder in the order of K.
std::map<int, std::string> NumberedFiles(const std::string& folder, std::string_view prefix) {
  std::map<int, std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (const auto number = NumberIn(entry.path().filename().string(), prefix, ".pb"))
      files[*number] = entry.path().string();
  }
  return files;
}

Status CheckFits(const Tensor& tensor, const TensorSpec& input, const std::string& where) {
  if (tensor.type() != input.type) {
    return Error(ErrorId::kDataType, where, ": type ", DataTypeName(tensor.type()), ", wanted ",
                 DataTypeName(input.type));
  }
  // No dimensions: a scalar, or an input whose rank is not known.
  if (!input.shape.empty() && !FitsShape(tensor.shape(), input.shape)) {
    return Error(ErrorId::kDataShape, where, ": shape ", ShapeToString(tensor.shape()), ", wanted ",
                 ShapeToString(input.shape));
  }
  return CheckFinite(tensor, where + ": it");
}

class TestSets : public SampleSet {
 public:
  TestSets(std::vector<std::string> folders, std::span<const TensorSpec> inputs)
      : folders_(std::move(folders)), inputs_(inputs.begin(), inputs.end()) {}

  int64_t size() const override { return static_cast<int64_t>(folders_.size()); }
  bool single() const override { return true; }
  std::string Key(int64_t index) const override { return fs::path(Name(index)).filename().string(); }
  std::string Name(int64_t index) const override { return folders_[static_cast<size_t>(index)]; }

  Result<Sample> Read(int64_t index) override {
    const std::string& folder = folders_[static_cast<size_t>(index)];
    Sample sample;
    for (const auto& [number, path] : NumberedFiles(folder, "input_")) {
      PREON_ASSIGN_OR_RETURN(NamedTensor tensor, ReadTensor(path));
      const TensorSpec* input = FindInput(tensor.name, number);
      if (input == nullptr || std::ranges::find(sample.feeds, input->name, &Feed::input) != sample.feeds.end()) {
        return Error(ErrorId::kDataInputName, path, ": tensor '", tensor.name, "' is input ", number, " of ",
                     inputs_.size(), "; the model has: ", QuotedNames(inputs_, &TensorSpec::name));
      }
      PREON_RETURN_IF_ERROR(CheckFits(tensor.tensor, *input, path + ": '" + input->name + "'"));
      sample.feeds.push_back({input->name, std::move(tensor.tensor), FeedKind::kWhole});
    }
    for (const TensorSpec& input : inputs_) {
      if (std::ranges::find(sample.feeds, input.name, &Feed::input) != sample.feeds.end()) continue;
      return Error(ErrorId::kDataInputName, folder, ": no input_K.pb for input '", input.name, "'");
    }
    for (const auto& [number, path] : NumberedFiles(folder, "output_")) {
      PREON_ASSIGN_OR_RETURN(NamedTensor tensor, ReadTensor(path));
      sample.expected.push_back(std::move(tensor));
    }
    return sample;
  }

 private:
  const TensorSpec* FindInput(const std::string& name, int number) const {
    const auto input = std::ranges::find(inputs_, name, &TensorSpec::name);
    if (input != inputs_.end()) return &*input;
    return static_cast<size_t>(number) < inputs_.size() ? &inputs_[static_cast<size_t>(number)] : nullptr;
  }

  const std::vector<std::string> folders_;
  const std::vector<TensorSpec> inputs_;
};

bool IsTestFile(const std::string& name) { return NumberIn(name, "input_", ".pb") || NumberIn(name, "output_", ".pb"); }

}  // namespace

bool HasTestSets(const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [](const std::string& name) { return NumberIn(name, kSetPrefix, "") || IsTestFile(name); });
}

Result<std::unique_ptr<SampleSet>> OpenTestSets(const std::string& folder, const std::vector<std::string>& names,
                                                std::span<const TensorSpec> inputs) {
  std::map<int, std::string> by_number;
  for (const std::string& name : names) {
    if (const auto number = NumberIn(name, kSetPrefix, "")) by_number[*number] = (fs::path(folder) / name).string();
  }
  std::vector<std::string> folders;
  for (const auto& [number, path] : by_number) folders.push_back(path);
  if (folders.empty()) folders.push_back(folder);
  auto sets = std::make_unique<TestSets>(std::move(folders), inputs);
  PREON_RETURN_IF_ERROR(sets->Read(0).status());
  return std::unique_ptr<SampleSet>(std::move(sets));
}

}  // namespace preon

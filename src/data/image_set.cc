#include "data/image_set.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/spelling.h"
#include "data/array_layout.h"
#include "data/files/quoted_names.h"
#include "data/images/decode_image.h"
#include "data/images/image_plan.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRead[] = {".jpg", ".jpeg", ".png", ".bmp"};
constexpr std::string_view kNotRead[] = {".webp", ".gif", ".tif", ".tiff", ".heic", ".avif", ".jp2", ".ppm", ".pgm"};

bool EndsWithOneOf(const std::string& name, std::span<const std::string_view> endings) {
  const fs::path path(name);
  if (path.filename().string().starts_with('.')) return false;
  return std::ranges::find(endings, ToLower(path.extension().string())) != endings.end();
}

class ImageSet : public SampleSet {
 public:
  ImageSet(std::string folder, std::vector<std::string> keys, std::string input, ImagePlan plan, bool single,
           const SourceContext& context)
      : folder_(std::move(folder)),
        keys_(std::move(keys)),
        input_(std::move(input)),
        plan_(std::move(plan)),
        single_(single),
        classes_(context.classes),
        pool_(context.pool) {
    for (const std::string& key : keys_) {
      if (const auto name = ClassOf(key)) classes_->Add(*name);
    }
  }

  int64_t size() const override { return static_cast<int64_t>(keys_.size()); }
  bool single() const override { return single_; }
  std::string Key(int64_t index) const override { return keys_[static_cast<size_t>(index)]; }
  std::string Name(int64_t index) const override { return (fs::path(folder_) / Key(index)).string(); }

  Result<Sample> Read(int64_t index) override {
    const std::string path = Name(index);
    PREON_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
    PREON_ASSIGN_OR_RETURN(const Pixels pixels, DecodeImage(std::as_bytes(std::span(bytes)), path));
    PREON_ASSIGN_OR_RETURN(Tensor tensor, plan_.Apply(pixels, path, pool_));
    Sample sample;
    sample.feeds.push_back({input_, std::move(tensor), FeedKind::kRow});
    if (const auto name = ClassOf(Key(index))) sample.label = classes_->IndexOf(*name);
    return sample;
  }

 private:
  static std::optional<std::string> ClassOf(const std::string& key) {
    const size_t slash = key.find('/');
    return slash == std::string::npos ? std::nullopt : std::optional(key.substr(0, slash));
  }

  const std::string folder_;
  const std::vector<std::string> keys_;  // paths below the folder
  const std::string input_;
  const ImagePlan plan_;
  const bool single_;
  const std::shared_ptr<ClassNames> classes_;
  const TensorPool pool_;
};

Result<std::unique_ptr<SampleSet>> MakeSet(const std::string& folder, std::vector<std::string> keys,
                                           std::span<const TensorSpec> inputs, const SourceContext& context) {
  if (inputs.size() != 1) {
    return Error(ErrorId::kDataInputName, "--data: ", folder, ": images feed one input, the model has ", inputs.size(),
                 ": ", QuotedNames(inputs, &TensorSpec::name))
        .WithHint("give --input NAME=SRC for all inputs but one");
  }
  const TensorSpec& input = inputs[0];
  PREON_ASSIGN_OR_RETURN(ImagePlan plan, ImagePlan::Make(context.preprocess, input));
  if (!StacksRows(input, context.fixed_batch)) {
    return Error(ErrorId::kDataShape, "--data: ", folder, ": images can't feed '", input.name, "' of shape ",
                 ShapeToString(input.shape), " beside a batch of ", context.fixed_batch);
  }
  return std::unique_ptr<SampleSet>(
      std::make_unique<ImageSet>(folder, std::move(keys), input.name, std::move(plan), input.shape[0] == 1, context));
}

}  // namespace

bool IsImageName(const std::string& name) { return EndsWithOneOf(name, kRead); }

Result<std::unique_ptr<SampleSet>> OpenImageFolder(const std::string& folder, std::span<const TensorSpec> inputs,
                                                   const SourceContext& context) {
  std::vector<std::string> keys;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string key = entry->path().lexically_relative(folder).generic_string();
    std::error_code ignored;
    if (entry->is_directory(ignored)) continue;
    if (EndsWithOneOf(key, kNotRead)) {
      return Error(ErrorId::kDataUnsupported, entry->path().string(),
                   ": an unsupported image format; wanted JPEG, PNG or BMP");
    }
    if (IsImageName(key)) keys.push_back(key);
  }
  if (error) return Error(ErrorId::kIoRead, folder, ": can't read: ", error.message());
  if (keys.empty()) {
    return Error(ErrorId::kDataEmpty, "--data: ", folder,
                 ": no samples; wanted .npz or .npy files, test_data_set_* folders, or JPEG, PNG or BMP images");
  }
  std::ranges::sort(keys);
  return MakeSet(folder, std::move(keys), inputs, context);
}

Result<std::unique_ptr<SampleSet>> OpenImageFile(const std::string& path, std::span<const TensorSpec> inputs,
                                                 const SourceContext& context) {
  const fs::path file(path);
  return MakeSet(file.parent_path().string(), {file.filename().string()}, inputs, context);
}

}  // namespace preon

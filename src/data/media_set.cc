#include "data/media_set.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "data/array_layout.h"
#include "data/convert.h"
#include "data/files/quoted_names.h"
#include "data/files/random_access_file.h"
#include "data/images/decode_image.h"
#include "data/images/image_plan.h"
#include "data/sound/sound_plan.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

// Turns files into feeds.
class MediaReader {
 public:
  virtual ~MediaReader() = default;
  // How many samples the file at `path` is.
  virtual Result<int64_t> Count(const std::string& path) = 0;
  // The `part`-th of them.
  virtual Result<Tensor> Read(const std::string& path, int64_t part) = 0;
  virtual void Close() {}
};

class ImageReader final : public MediaReader {
 public:
  ImageReader(ImagePlan plan, TensorPool pool) : plan_(std::move(plan)), pool_(std::move(pool)) {}

  Result<int64_t> Count(const std::string&) override { return 1; }
  Result<Tensor> Read(const std::string& path, int64_t) override {
    PREON_ASSIGN_OR_RETURN(const RandomAccessFile file, RandomAccessFile::Open(path));
    PREON_ASSIGN_OR_RETURN(const std::string bytes, file.ReadAll());
    PREON_ASSIGN_OR_RETURN(const Pixels pixels, DecodeImage(std::as_bytes(std::span(bytes)), path));
    return plan_.Apply(pixels, path, pool_);
  }

 private:
  const ImagePlan plan_;
  const TensorPool pool_;
};

class SoundReader final : public MediaReader {
 public:
  SoundReader(SoundPlan plan, DataType type, TensorPool pool) : plan_(plan), type_(type), pool_(std::move(pool)) {}

  Result<int64_t> Count(const std::string& path) override {
    PREON_ASSIGN_OR_RETURN(const WavFile file, WavFile::Open(path));
    PREON_RETURN_IF_ERROR(plan_.Check(file));
    if (first_path_.empty()) {
      first_path_ = path;
      rate_hz_ = file.rate_hz();
    }
    if (file.rate_hz() != rate_hz_) {
      return Error(ErrorId::kDataUnsupported, path, ": it has ", file.rate_hz(), " Hz, ", first_path_, " has ",
                   rate_hz_, "; wanted one rate for all");
    }
    return plan_.CountWindows(file.frames());
  }

  Result<Tensor> Read(const std::string& path, int64_t part) override {
    if (!open_ || open_->path() != path) {
      PREON_ASSIGN_OR_RETURN(WavFile file, WavFile::Open(path));
      PREON_RETURN_IF_ERROR(plan_.Check(file));
      open_.emplace(std::move(file));
    }
    PREON_ASSIGN_OR_RETURN(const Tensor sound, plan_.Window(*open_, part, pool_));
    PREON_RETURN_IF_ERROR(CheckFinite(sound, path + ": it"));
    Result<Tensor> converted = ConvertElements(sound, type_, pool_);
    if (!converted.ok()) return std::move(converted).status().WithContext(path);
    return converted;
  }

  void Close() override { open_.reset(); }

 private:
  const SoundPlan plan_;
  const DataType type_;
  const TensorPool pool_;
  std::string first_path_;  // the file whose rate all have
  int64_t rate_hz_ = 0;
  std::optional<WavFile> open_;
};

class MediaSet final : public SampleSet {
 public:
  MediaSet(std::string folder, std::vector<std::string> keys, const TensorSpec& input,
           std::unique_ptr<MediaReader> reader, std::shared_ptr<ClassNames> classes)
      : folder_(std::move(folder)),
        keys_(std::move(keys)),
        input_(input.name),
        single_(input.shape[0] == 1),
        reader_(std::move(reader)),
        classes_(std::move(classes)) {}

  Status CountSamples() {
    for (const std::string& key : keys_) {
      if (const auto name = ClassOfKey(key)) classes_->Add(*name);
      PREON_ASSIGN_OR_RETURN(const int64_t count, reader_->Count((fs::path(folder_) / key).string()));
      begins_.push_back(begins_.back() + count);
    }
    return Status::Ok();
  }

  int64_t size() const override { return begins_.back(); }
  bool single() const override { return single_; }
  std::string Key(int64_t index) const override {
    const auto [file, part] = Find(index);
    return begins_[file + 1] - begins_[file] == 1 ? keys_[file] : StrCat(keys_[file], "[", part, "]");
  }
  std::string Name(int64_t index) const override { return (fs::path(folder_) / Key(index)).string(); }
  void Close() override { reader_->Close(); }

  Result<Sample> Read(int64_t index) override {
    const auto [file, part] = Find(index);
    PREON_ASSIGN_OR_RETURN(Tensor tensor, reader_->Read((fs::path(folder_) / keys_[file]).string(), part));
    Sample sample;
    sample.feeds.push_back({input_, std::move(tensor), FeedKind::kRow});
    if (const auto name = ClassOfKey(keys_[file])) sample.label = classes_->IndexOf(*name);
    return sample;
  }

 private:
  // The file that holds a sample, and which of the file's samples it is.
  std::pair<size_t, int64_t> Find(int64_t index) const {
    const auto next = std::ranges::upper_bound(begins_, index);
    return {static_cast<size_t>(next - begins_.begin()) - 1, index - *std::prev(next)};
  }

  const std::string folder_;
  const std::vector<std::string> keys_;  // paths below the folder
  std::vector<int64_t> begins_ = {0};    // the first sample of each file, and the number of all
  const std::string input_;
  const bool single_;
  const std::unique_ptr<MediaReader> reader_;
  const std::shared_ptr<ClassNames> classes_;
};

Result<std::unique_ptr<MediaReader>> MakeReader(MediaKind kind, const SourceContext& context, const TensorSpec& input) {
  if (kind == MediaKind::kImage) {
    PREON_ASSIGN_OR_RETURN(ImagePlan plan, ImagePlan::Make(context.preprocess, input));
    return std::unique_ptr<MediaReader>(std::make_unique<ImageReader>(std::move(plan), context.pool));
  }
  PREON_ASSIGN_OR_RETURN(const SoundPlan plan, SoundPlan::Make(context.preprocess, input));
  return std::unique_ptr<MediaReader>(std::make_unique<SoundReader>(plan, input.type, context.pool));
}

}  // namespace

Result<std::unique_ptr<SampleSet>> MakeMediaSet(const std::string& folder, MediaFolder files,
                                                std::span<const TensorSpec> inputs, const SourceContext& context) {
  const std::string_view what = files.kind == MediaKind::kImage ? "images" : "sound files";
  if (inputs.size() != 1) {
    return Error(ErrorId::kDataInputName, "--data: ", folder, ": ", what, " feed one input, the model has ",
                 inputs.size(), ": ", QuotedNames(inputs, &TensorSpec::name))
        .WithHint("give --input NAME=SRC for all inputs but one");
  }
  const TensorSpec& input = inputs[0];
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<MediaReader> reader, MakeReader(files.kind, context, input));
  if (!StacksRows(input, context.fixed_batch)) {
    return Error(ErrorId::kDataShape, "--data: ", folder, ": ", what, " can't feed '", input.name, "' of shape ",
                 ShapeToString(input.shape), " beside a batch of ", context.fixed_batch);
  }
  auto set = std::make_unique<MediaSet>(folder, std::move(files.keys), input, std::move(reader), context.classes);
  PREON_RETURN_IF_ERROR(set->CountSamples());
  return std::unique_ptr<SampleSet>(std::move(set));
}

}  // namespace preon

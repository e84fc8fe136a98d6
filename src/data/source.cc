#include "data/source.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/text.h"
#include "data/array_set.h"
#include "data/combined_sets.h"
#include "data/media_set.h"
#include "data/random_set.h"
#include "data/test_set.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

bool IsArrayFile(const fs::path& path) { return path.extension() == ".npz" || path.extension() == ".npy"; }

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return Error(ErrorId::kIoRead, folder, ": can't read: ", error.message());
  std::ranges::sort(names);
  return names;
}

Result<std::unique_ptr<SampleSet>> OpenFolder(const std::string& folder, std::span<const TensorSpec> inputs,
                                              const SourceContext& context) {
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  if (HasTestSets(names)) return OpenTestSets(folder, names, inputs);
  std::vector<std::unique_ptr<SampleSet>> files;
  for (const std::string& name : names) {
    if (!IsArrayFile(name)) continue;
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<SampleSet> file,
                           OpenArrayFile((fs::path(folder) / name).string(), name, inputs, context));
    files.push_back(std::move(file));
  }
  if (files.empty()) {
    PREON_ASSIGN_OR_RETURN(MediaFolder media, ListMedia(folder));
    return MakeMediaSet(folder, std::move(media), inputs, context);
  }
  const auto media = std::ranges::find_if(names, [](auto& name) { return MediaKindOf(name) != MediaKind::kNone; });
  if (media != names.end()) {
    return Error(ErrorId::kDataUnsupported, "--data: ", folder, ": arrays beside '", *media, "' in one folder")
        .WithHint("put them into folders of their own");
  }
  return ChainSets(std::move(files));
}

}  // namespace

bool MayHoldMedia(const std::string& source) { return !IsRandomSource(source) && !IsArrayFile(source); }

std::string StateOfSource(const std::string& source) {
  std::error_code error;
  std::vector<fs::path> files = {source};
  if (fs::is_directory(source, error)) {
    files.clear();
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source, error)) {
      const fs::path& file = entry.path();
      if (IsArrayFile(file) || MediaKindOf(file.string()) != MediaKind::kNone || file.extension() == ".pb")
        files.push_back(file);
    }
    std::ranges::sort(files);
  }
  std::string text;
  for (const fs::path& file : files) {
    if (!fs::is_regular_file(file, error)) continue;
    text += StrCat(file.string(), ' ', fs::file_size(file, error), ' ',
                   fs::last_write_time(file, error).time_since_epoch().count(), '\n');
  }
  return text;
}

Result<std::unique_ptr<SampleSet>> OpenSource(const std::string& source, std::span<const TensorSpec> inputs,
                                              const SourceContext& context) {
  if (IsRandomSource(source)) {
    const Result<int64_t> count = ParseCount(source.substr(kRandomPrefix.size()));
    if (!count.ok() || *count < 1) {
      return Error(ErrorId::kBadOptionValue, "--data: got '", source, "', wanted random:N with a number N above 0");
    }
    return MakeRandomSet(*count, context.random.seed, inputs, context.fixed_batch, context.random.values);
  }
  std::error_code ignored;
  if (!fs::exists(source, ignored))
    return Error(ErrorId::kDataNotFound, "--data: ", source, ": no such file or folder");
  if (fs::is_directory(source, ignored)) return OpenFolder(source, inputs, context);
  const fs::path path(source);
  if (IsArrayFile(path)) return OpenArrayFile(source, path.filename().string(), inputs, context);
  if (const MediaKind kind = MediaKindOf(source); kind != MediaKind::kNone)
    return MakeMediaSet(path.parent_path().string(), {kind, {path.filename().string()}}, inputs, context);
  return Error(ErrorId::kDataUnsupported, "--data: ", source,
               ": an unsupported kind of data; wanted .npz, .npy, .jpg, .png, .bmp, .webp, .wav or a folder");
}

}  // namespace preon

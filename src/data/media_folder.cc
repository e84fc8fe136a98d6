#include "data/media_folder.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/spelling.h"

namespace preon {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kImages[] = {".jpg", ".jpeg", ".png", ".bmp", ".webp"};
constexpr std::string_view kOtherImages[] = {".gif", ".tif", ".tiff", ".heic", ".avif", ".jp2", ".ppm", ".pgm"};
constexpr std::string_view kSounds[] = {".wav"};
constexpr std::string_view kOtherSounds[] = {".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aac", ".aif", ".aiff"};

bool EndsWithOneOf(const std::string& name, std::span<const std::string_view> endings) {
  const fs::path path(name);
  if (path.filename().string().starts_with('.')) return false;
  return std::ranges::find(endings, ToLower(path.extension().string())) != endings.end();
}

}  // namespace

MediaKind MediaKindOf(const std::string& name) {
  if (EndsWithOneOf(name, kImages)) return MediaKind::kImage;
  return EndsWithOneOf(name, kSounds) ? MediaKind::kSound : MediaKind::kNone;
}

Result<MediaFolder> ListMedia(const std::string& folder) {
  MediaFolder media;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string key = entry->path().lexically_relative(folder).generic_string();
    std::error_code ignored;
    if (entry->is_directory(ignored)) continue;
    for (const auto& [endings, wanted] :
         {std::pair(std::span<const std::string_view>(kOtherImages), "image format; wanted JPEG, PNG, BMP or WebP"),
          std::pair(std::span<const std::string_view>(kOtherSounds), "sound format; wanted WAV")}) {
      if (EndsWithOneOf(key, endings))
        return Error(ErrorId::kDataUnsupported, entry->path().string(), ": an unsupported ", wanted);
    }
    const MediaKind kind = MediaKindOf(key);
    if (kind == MediaKind::kNone) continue;
    if (!media.keys.empty() && kind != media.kind) {
      return Error(ErrorId::kDataUnsupported, "--data: ", folder, ": images and sound ('", media.keys.front(),
                   "' and '", key, "') in one folder")
          .WithHint("put them into folders of their own");
    }
    media.kind = kind;
    media.keys.push_back(key);
  }
  if (error) return Error(ErrorId::kIoRead, folder, ": can't read: ", error.message());
  if (media.keys.empty()) {
    return Error(ErrorId::kDataEmpty, "--data: ", folder,
                 ": no samples; wanted .npz or .npy files, test_data_set_* folders, JPEG, PNG, BMP or WebP images, or "
                 "WAV sound");
  }
  std::ranges::sort(media.keys);
  return media;
}

std::optional<std::string> ClassOfKey(const std::string& key) {
  const size_t slash = key.find('/');
  return slash == std::string::npos ? std::nullopt : std::optional(key.substr(0, slash));
}

}  // namespace preon

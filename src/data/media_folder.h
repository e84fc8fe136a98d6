// Which files of a folder are images or sound, by the ends of their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

enum class MediaKind { kNone, kImage, kSound };

/// By the name's ending, in any case: .jpg, .jpeg, .png, .bmp and .webp are images, .wav is sound. Hidden files are
/// none.
MediaKind MediaKindOf(const std::string& name);

struct MediaFolder {
  MediaKind kind = MediaKind::kNone;  ///< of all files
  std::vector<std::string> keys;      ///< paths below the folder, in byte order
};

/// All images or all sound below `folder`. Files of other kinds are left alone, but images and sound in a format that
/// is not read are an error: half of a folder is no calibration set. Errors: kDataEmpty, kDataUnsupported (also for
/// images beside sound), kIoRead.
Result<MediaFolder> ListMedia(const std::string& folder);

/// The class that a sample's path below its source says: its first folder.
std::optional<std::string> ClassOfKey(const std::string& key);

}  // namespace preon

// Settings that change nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"

namespace preon {

/// An option as the user has set it: by a key of Quark's, or by its own name with dashes.
std::string NameOf(std::string_view option, const SettingOrigins& origins);

/// A message that begins with an option which a key stood for begins with the key instead: "--opset: got 99" becomes
/// "ConvertOpsetVersion: got 99 (here --opset)"; so does what follows "got": "got --symmetric false".
std::string NamedByKey(std::string message, const SettingOrigins& origins);
/// The same for an error.
Status NamedByKey(Status status, const SettingOrigins& origins);

/// `setting`: a key, or an option with its dashes; `where`: the rest of "SETTING: has no effect …". A warning where it
/// came with a QConfig, whose keys other quantizers of Quark may read. Errors: kConflictingOptions for other settings.
Status ReportIgnored(const SettingOrigins& origins, std::string_view setting, std::string_view where,
                     std::vector<std::string>* warnings);

}  // namespace preon

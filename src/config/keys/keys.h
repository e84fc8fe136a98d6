// Finding keys, and setting options by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/keys/key_spec.h"

namespace preon {

std::span<const KeySpec> KeysOf(KeyGroup group);
/// Case is ignored. Null for unknown names.
const KeySpec* FindKey(std::string_view name);
/// The stage of a run that reads keys of the group.
std::string_view StageOf(KeyGroup group);

/// MatMulNBitsParams count where the target has weights in blocks, whether it was chosen before or after them. Errors:
/// those of the options that they stand for.
Status SettleBlockParameters(Options& options);

/// Is the text what counts where the key is absent?
bool IsDefault(std::string_view key, const std::string& text);

/// The value that the text stands for; nothing for None, which is the default. Errors: kBadOptionValue.
Result<std::optional<KeyValue>> ParseKeyValue(const KeySpec& key, const std::string& text);

}  // namespace preon

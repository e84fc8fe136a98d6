#include "config/keys/key_setters.h"

namespace preon {

Status SetNothing(Options&, const KeyValue&) { return Status::Ok(); }

Status SetIfOn(Options& options, const KeyValue& value, std::string_view option, const std::string& to) {
  return value.on ? SetOption(options, option, to) : Status::Ok();
}

Status SetIfOff(Options& options, const KeyValue& value, std::string_view option, const std::string& to) {
  return value.on ? Status::Ok() : SetOption(options, option, to);
}

}  // namespace preon

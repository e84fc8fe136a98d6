// How sections of a .calib file hold maps by name.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "calib/malformed_file.h"
#include "stats/wire.h"

namespace preon {

/// Reads a count and so many entries, whose keys ascend; `read` gets each key and makes the entry's value.
template <typename Value, typename ReadValue>
Status ReadMap(WireReader& in, std::map<std::string, Value>& map, const ReadValue& read) {
  for (uint64_t count = in.Varint(); count > 0 && in.ok(); --count) {
    std::string key(in.Bytes());
    if (!map.empty() && key <= map.rbegin()->first) return Malformed("names are not in order");
    PREON_ASSIGN_OR_RETURN(Value value, read());
    map.emplace_hint(map.end(), std::move(key), std::move(value));
  }
  return Status::Ok();
}

}  // namespace preon

// The order in which help shows options: those that most runs need first, the others under what they are about.
#pragma once

#include <span>
#include <string_view>

namespace preon {

struct OptionGroup {
  std::string_view title;
  std::span<const std::string_view> names;  ///< of the option table, and the few that the command line itself reads
};

/// Every option for users is in exactly one of them.
std::span<const OptionGroup> OptionGroups();

/// The title of its group; "" for what is not for users.
std::string_view GroupOf(std::string_view option);

}  // namespace preon

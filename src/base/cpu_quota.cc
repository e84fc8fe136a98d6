#include "base/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace preon {
namespace {

namespace fs = std::filesystem;

// "max 100000" (no quota), "150000 100000": microseconds of processor time in each period.
std::optional<double> QuotaOf(std::istream&& quota, std::istream&& period) {
  double used = 0, every = 0;
  if (!(quota >> used) || !(period >> every) || used <= 0 || every <= 0) return std::nullopt;
  return used / every;
}

std::optional<double> QuotaOf(const fs::path& group) {
  if (std::ifstream both(group / "cpu.max"); both) {
    std::string used, every;
    both >> used >> every;
    return QuotaOf(std::istringstream(used), std::istringstream(every));
  }
  return QuotaOf(std::ifstream(group / "cpu.cfs_quota_us"), std::ifstream(group / "cpu.cfs_period_us"));
}

}  // namespace

std::optional<int> CoresOfQuota(const std::string& cgroups, const fs::path& mount) {
  std::optional<double> smallest;
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);) {  // "number:controllers:/path"; version 2 names no controllers
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers != ",," && controllers.find(",cpu,") == std::string::npos) continue;
    const fs::path root = controllers == ",," ? mount : mount / "cpu";
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    // Inside of a container the path may be the host's, and only the root is there.
    for (fs::path group = path;; group = group.parent_path()) {
      if (const auto quota = QuotaOf(root / group)) smallest = std::min(smallest.value_or(*quota), *quota);
      if (group.empty()) break;
    }
  }
  if (!smallest) return std::nullopt;
  return static_cast<int>(std::clamp(std::ceil(*smallest), 1.0, 1e6));
}

}  // namespace preon

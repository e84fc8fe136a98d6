// CPU quota: how many cores the control groups of a process pay for (containers, systemd units, batch jobs).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace preon {

/// The smallest quota of the process's control group and those above it, in cores, rounded up and at least 1; nothing
/// without a quota. `cgroups`: the text of /proc/self/cgroup (cgroups(7)); `mount`: /sys/fs/cgroup. Reads version 2
/// (cpu.max) and version 1 (cpu.cfs_quota_us over cpu.cfs_period_us).
std::optional<int> CoresOfQuota(const std::string& cgroups, const std::filesystem::path& mount);

}  // namespace preon

#include "base/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/output/temp_dir.h"

namespace preon {
namespace {

namespace fs = std::filesystem;

class CpuQuota : public ::testing::Test {
 protected:
  void Put(const fs::path& file, const std::string& text) {
    fs::create_directories((mount_ / file).parent_path());
    std::ofstream(mount_ / file) << text << "\n";
  }

  TempDir dir_ = *TempDir::Create(::testing::TempDir());
  const fs::path mount_ = dir_.path();
};

TEST_F(CpuQuota, NoneWithoutGroups) {
  EXPECT_EQ(CoresOfQuota("", mount_), std::nullopt);
  EXPECT_EQ(CoresOfQuota("0::/\n", mount_), std::nullopt);
  EXPECT_EQ(CoresOfQuota("not a line of it\n:\n::\n", mount_), std::nullopt);
}

TEST_F(CpuQuota, Version2IsRoundedUp) {
  Put("job/cpu.max", "150000 100000");
  EXPECT_EQ(CoresOfQuota("0::/job\n", mount_), 2);
  Put("job/cpu.max", "10000 100000");
  EXPECT_EQ(CoresOfQuota("0::/job\n", mount_), 1);
  Put("job/cpu.max", "max 100000");
  EXPECT_EQ(CoresOfQuota("0::/job\n", mount_), std::nullopt);
}

TEST_F(CpuQuota, TheSmallestOfThoseAboveCounts) {
  Put("slice/cpu.max", "300000 100000");
  Put("slice/job/cpu.max", "800000 100000");
  EXPECT_EQ(CoresOfQuota("0::/slice/job\n", mount_), 3);
}

TEST_F(CpuQuota, Version1AmongOtherControllers) {
  Put("cpu/docker/abc/cpu.cfs_quota_us", "400000");
  Put("cpu/docker/abc/cpu.cfs_period_us", "100000");
  Put("memory/cpu.cfs_quota_us", "100000");
  EXPECT_EQ(CoresOfQuota("4:memory:/\n2:cpu,cpuacct:/docker/abc\n0::/\n", mount_), 4);
  Put("cpu/docker/abc/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(CoresOfQuota("2:cpu,cpuacct:/docker/abc\n", mount_), std::nullopt);
}

TEST_F(CpuQuota, AContainerSeesItsOwnGroupAsTheRoot) {
  Put("cpu.max", "200000 100000");
  EXPECT_EQ(CoresOfQuota("0::/system.slice/docker-1234.scope\n", mount_), 2);
}

}  // namespace
}  // namespace preon

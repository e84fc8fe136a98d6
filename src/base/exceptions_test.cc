#include "base/exceptions.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace preon {
namespace {

TEST(Exceptions, MemoryAndThreadsAreNoBugs) {
  EXPECT_EQ(StatusOf(std::bad_alloc()).id(), ErrorId::kOutOfMemory);
  for (const int code : {EAGAIN, ENOMEM}) {
    const Status status = StatusOf(std::system_error(code, std::generic_category()));
    EXPECT_EQ(status.id(), ErrorId::kOutOfMemory);
    EXPECT_NE(status.hint().find("ulimit"), std::string::npos);
  }
  EXPECT_EQ(StatusOf(std::system_error(EPERM, std::generic_category())).id(), ErrorId::kInternal);
  EXPECT_EQ(StatusOf(std::logic_error("bug")).id(), ErrorId::kInternal);
}

}  // namespace
}  // namespace preon

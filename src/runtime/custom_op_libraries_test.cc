#include "runtime/custom_op_libraries.h"

#include <gtest/gtest.h>

#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

TEST(CustomOpLibraries, NoneAreNone) {
  const auto opened = CustomOpLibraries::Open({});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_TRUE((*opened)->libraries().empty());
}

TEST(CustomOpLibraries, FilesThatAreMissingOrNoLibrary) {
  const auto folder = TempDir::Create("/tmp");
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(CustomOpLibraries::Open({folder->File("missing.so")}).status().id(), ErrorId::kFileNotFound);
  EXPECT_EQ(CustomOpLibraries::Open({folder->File("")}).status().id(), ErrorId::kFileNotFound);
  const std::string text = folder->File("text.so");
  ASSERT_TRUE(WriteFileAtomically(text, "no library").ok());
  const Status no_library = CustomOpLibraries::Open({text}).status();
  EXPECT_EQ(no_library.id(), ErrorId::kCustomOpLibrary);
  EXPECT_NE(no_library.message().find(text + ": the system can't load it as a library: "), std::string::npos)
      << no_library.message();
  EXPECT_EQ(no_library.message().find(text, text.size()), std::string::npos) << no_library.message();
}

TEST(CustomOpLibraries, ALibraryOfSomethingElse) {
  const Status of_system = CustomOpLibraries::Open({"/proc/self/exe"}).status();
  EXPECT_EQ(of_system.id(), ErrorId::kCustomOpLibrary);
}

}  // namespace
}  // namespace preon

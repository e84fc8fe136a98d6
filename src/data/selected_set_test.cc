#include "data/selected_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_options.h"
#include "data/data_source.h"
#include "data/files/test_files.h"
#include "data/open_data_source.h"

namespace preon {
namespace {

using test::FloatNpy;
using test::TestFolder;
using ::testing::HasSubstr;

class SelectedSamples : public ::testing::Test {
 protected:
  /// The names of the samples that the list leaves, or the error.
  Result<std::vector<std::string>> Names(const std::string& list, int64_t limit = -1) {
    DataOptions options{.from = {.sources = {array_}}, .only = folder_.Write("only.txt", list), .limit = limit};
    PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source,
                           OpenDataSource(options, {{"x", DataType::kFloat, {kDynamicDim, 2}}}));
    std::vector<std::string> names;
    for (;;) {
      PREON_ASSIGN_OR_RETURN(std::optional<Batch> batch, source->Next());
      if (!batch) return names;
      names.push_back(batch->names[0].substr(batch->names[0].rfind('/') + 1));
      EXPECT_EQ(batch->first_sample, static_cast<int64_t>(names.size()) - 1);  // numbered anew
      const auto place = static_cast<float>(names.back()[6] - '0');
      EXPECT_EQ(batch->feeds[0].tensor.floats()[0], 2 * place);
    }
  }
  Status Refusal(const std::string& list) { return Names(list).status(); }

  const TestFolder folder_;
  const std::string array_ = folder_.Write("x.npy", FloatNpy({7, 2}));  // sample k starts with 2k
};

using Strings = std::vector<std::string>;

TEST_F(SelectedSamples, ByPlaceInTheOrderOfTheData) {
  EXPECT_EQ(Names("# two\n5\n\n1\r\n").value(), (Strings{"x.npy[1]", "x.npy[5]"}));
  EXPECT_EQ(Names("6\n2\n4", 2).value(), (Strings{"x.npy[2]", "x.npy[4]"}));
}

TEST_F(SelectedSamples, ANameHasToFit) {
  EXPECT_EQ(Names(StrCat("3\t", array_, "[3]\n")).value(), (Strings{"x.npy[3]"}));
  const Status other = Refusal(StrCat("2\t", array_, "[3]\n"));
  EXPECT_EQ(other.id(), ErrorId::kSampleList);
  EXPECT_THAT(other.message(), HasSubstr("only.txt:1: sample 2 is '"));
}

TEST_F(SelectedSamples, Mistakes) {
  for (const auto& [list, says] : {std::pair{"0\nx\n", "only.txt:2: got 'x', wanted POSITION or POSITION<TAB>NAME"},
                                   {"7", "only.txt:1: sample 7 of data with 7"},
                                   {"-1", "sample -1 of data with 7"},
                                   {"1 x.npy[1]", "got '1 x.npy[1]'"},
                                   {"1\n3\n1\n", "sample 1 is listed twice"},
                                   {"# nothing\n", "lists no sample"},
                                   {"", "lists no sample"}}) {
    const Status status = Refusal(list);
    EXPECT_EQ(status.id(), ErrorId::kSampleList) << list;
    EXPECT_THAT(status.message(), HasSubstr(says));
  }
  DataOptions absent{.from = {.sources = {array_}}, .only = "absent.txt"};
  EXPECT_EQ(OpenDataSource(absent, {{"x", DataType::kFloat, {kDynamicDim, 2}}}).status().id(), ErrorId::kDataNotFound);
}

}  // namespace
}  // namespace preon

#include "data/sound/wav_file.h"

#include <gtest/gtest.h>

#include "data/sound/test_sounds.h"

namespace preon {
namespace {

using test::Raw;
using test::RawAll;
using test::Wav;

class WavFileTest : public ::testing::Test {
 protected:
  Result<WavFile> Open(const std::string& bytes) { return WavFile::Open(folder_.Write("a.wav", bytes)); }
  std::vector<float> All(const std::string& bytes) {
    Result<WavFile> file = Open(bytes);
    EXPECT_TRUE(file.ok()) << file.status().ToString();
    Result<std::vector<float>> sound = file->Read(0, file->frames());
    EXPECT_TRUE(sound.ok()) << sound.status().ToString();
    return *sound;
  }
  Status Refusal(const std::string& bytes) { return Open(bytes).status(); }

  test::TestFolder folder_;
};

TEST_F(WavFileTest, EveryCodingHasSilenceAtZeroAndFullScaleAtOne) {
  const std::vector<float> wanted = {0, 0.5, -1};
  EXPECT_EQ(All(Wav(1, 8, 1, {char(128), char(192), char(0)})), wanted);
  EXPECT_EQ(All(Wav({0, 16384, -32768})), wanted);
  EXPECT_EQ(All(Wav(1, 24, 1, std::string("\0\0\0\0\0\x40\0\0\x80", 9))), wanted);
  EXPECT_EQ(All(Wav(1, 32, 1, RawAll<int32_t>({0, 1 << 30, INT32_MIN}))), wanted);
  EXPECT_EQ(All(Wav(3, 32, 1, RawAll<float>(wanted))), wanted);
  EXPECT_EQ(All(Wav(3, 64, 1, RawAll<double>({0, 0.5, -1}))), wanted);
}

TEST_F(WavFileTest, PartsOfTwoChannels) {
  Result<WavFile> file = Open(Wav({1, 2, 3, 4, 5, 6}, 2, 8000));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->rate_hz(), 8000);
  EXPECT_EQ(file->channels(), 2);
  EXPECT_EQ(file->frames(), 3);
  for (const int64_t first : {1, 0, 1}) {
    const Result<std::vector<float>> part = file->Read(first, 2);
    ASSERT_TRUE(part.ok());
    for (size_t at = 0; at < 4; ++at)
      EXPECT_EQ((*part)[at] * 32768, 2 * static_cast<float>(first) + 1 + static_cast<float>(at));
  }
}

TEST_F(WavFileTest, OtherChunksAreLeftOut) {
  std::string file = Wav({7, 8});
  file.insert(12, "LIST" + Raw(uint32_t{5}) + "words" + '\0');
  EXPECT_EQ(All(file + "id3 " + Raw(uint32_t{2}) + "xx"), (std::vector<float>{7.0f / 32768, 8.0f / 32768}));
}

TEST_F(WavFileTest, NamesWhatIsNoWav) {
  for (const auto& [bytes, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "0 bytes"},
           {"<!doctype html><p>not found", "HTML page"},
           {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
           {"PK\x03\x04" + std::string(40, 'x'), "zip archive"},
           {Wav({1, 2}).substr(0, 30), "30 bytes"}}) {
    const Status status = Refusal(bytes);
    EXPECT_EQ(status.id(), ErrorId::kDataMalformed) << status.ToString();
    EXPECT_NE(status.message().find(said), std::string::npos) << status.ToString();
  }
  EXPECT_EQ(Refusal(Wav(0x55, 16, 1, std::string(64, 'x'))).id(), ErrorId::kDataUnsupported);
  EXPECT_EQ(WavFile::Open(folder_.path() + "/none.wav").status().id(), ErrorId::kDataNotFound);
}

TEST_F(WavFileTest, RefusesFilesCutShort) {
  const std::string file = Wav({1, 2, 3, 4});
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_EQ(Refusal(file.substr(0, length)).id(), ErrorId::kDataMalformed) << length;
}

TEST_F(WavFileTest, SurvivesDamage) {
  int good = 0, refused = 0;
  test::Damage(Wav({1, 2, 3, 4}, 2), [&](const std::string& bytes) {
    Result<WavFile> file = Open(bytes);
    file.ok() && file->frames() < 100 && file->Read(0, file->frames()).ok() ? ++good : ++refused;
  });
  EXPECT_GT(good, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace preon

// Replays a corpus, then breaks its files at random for a while:
//   fuzz_NAME [--seconds N] [--seed N] [--found DIR] [CORPUS...]
// The input under test lies in DIR/current, so that whatever ends the process leaves it there. No coverage guidance: it
// needs no other compiler than the one at hand, and seeds are small enough for blind mutation to reach every field.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using Random = std::mt19937_64;

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void RunBytes(const fs::path& current, const std::string& bytes) {
  std::ofstream(current, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  FuzzOne(current.string());
}

size_t Below(Random& random, size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); }

// One change: bits, bytes, numbers that break things, a cut, a hole, a copy, a piece of another seed.
void Mutate(std::string& bytes, const std::vector<std::string>& seeds, Random& random) {
  static constexpr uint64_t kNumbers[] = {
      0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, ~0ull};
  if (bytes.empty()) bytes = seeds[Below(random, seeds.size())];
  if (bytes.empty()) return;
  const size_t at = Below(random, bytes.size());
  const size_t span = std::min(bytes.size() - at, size_t{1} << Below(random, 7));
  switch (Below(random, 7)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(random, 8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(Below(random, 256));
      break;
    case 2: {
      const uint64_t number = kNumbers[Below(random, std::size(kNumbers))];
      std::memcpy(bytes.data() + at, &number, std::min(span, sizeof(number)));
      break;
    }
    case 3:
      bytes.resize(at);
      break;
    case 4:
      bytes.erase(at, span);
      break;
    case 5:
      bytes.insert(at, bytes.substr(at, span));
      break;
    default: {
      const std::string& other = seeds[Below(random, seeds.size())];
      if (!other.empty()) bytes.replace(at, span, other.substr(Below(random, other.size()), span));
    }
  }
}

int Main(int argc, char** argv) {
  double seconds = 0;
  uint64_t seed = 1;
  fs::path found = fs::temp_directory_path();
  std::vector<std::string> seeds;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seconds" && i + 1 < argc)
      seconds = std::stod(argv[++i]);
    else if (word == "--seed" && i + 1 < argc)
      seed = std::stoull(argv[++i]);
    else if (word == "--found" && i + 1 < argc)
      found = argv[++i];
    else
      for (const auto& entry : fs::recursive_directory_iterator(word))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const fs::path current = found / ("current-" + fs::path(argv[0]).filename().string());
  for (const fs::path& file : files) {
    seeds.push_back(Read(file));
    RunBytes(current, seeds.back());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 2;
  }
  Random random(seed);
  int64_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    std::string bytes = seeds[Below(random, seeds.size())];
    for (size_t changes = 1 + Below(random, 4); changes > 0; --changes) Mutate(bytes, seeds, random);
    RunBytes(current, bytes);
    ++runs;
  }
  fs::remove(current);
  std::printf("%zu seeds replayed, %lld mutations, none broke it (seed %llu)\n", seeds.size(),
              static_cast<long long>(runs), static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace
}  // namespace preon

int main(int argc, char** argv) { return preon::Main(argc, argv); }

// Readers of sample files: the file is offered under each ending that has a reader.
#include <filesystem>

#include "data/data_options.h"
#include "data/data_source.h"
#include "data/open_data_source.h"
#include "fuzz.h"

namespace preon {

void FuzzOne(const std::string& path) {
  const std::vector<TensorSpec> sound = {{.name = "x", .type = DataType::kFloat, .shape = {-1, 8}}};
  const std::vector<TensorSpec> images = {{.name = "x", .type = DataType::kFloat, .shape = {-1, 3, 4, 4}}};
  for (const std::string_view ending : {".npz", ".npy", ".png", ".jpg", ".bmp", ".webp", ".wav"}) {
    // A folder of its own: images are read from folders, arrays from files.
    const std::filesystem::path folder = StrCat(path, ending, ".d");
    std::filesystem::create_directory(folder);
    const std::filesystem::path file = folder / StrCat("f", ending);
    std::filesystem::copy_file(path, file, std::filesystem::copy_options::overwrite_existing);
    const bool array = ending[1] == 'n';
    DataOptions options;
    options.from.sources = {array ? file.string() : folder.string()};
    const bool is_sound = ending == ".wav";
    if (!array && !is_sound) options.preprocess = "unit,resize=4,crop=4";
    if (Result<std::unique_ptr<DataSource>> source = OpenDataSource(options, is_sound ? sound : images); source.ok()) {
      for (int batch = 0; batch < 64; ++batch) {
        const auto next = (*source)->Next();
        if (!next.ok() || !next->has_value()) break;
      }
    }
    std::filesystem::remove_all(folder);
  }
}

}  // namespace preon

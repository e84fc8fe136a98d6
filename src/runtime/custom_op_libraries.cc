#include "runtime/custom_op_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file.h"
#include "base/text.h"
#include "ir/graph.h"
#include "runtime/ort_guard.h"
#include "runtime/session_impl.h"

namespace preon {
namespace {

constexpr const char* kSymbol = "RegisterCustomOps";

OrtStatus* ORT_API_CALL FunctionOfNewerRuntime() {
  return Ort::GetApi().CreateStatus(ORT_NOT_IMPLEMENTED, "the library calls a function of a newer ONNX Runtime");
}

// What a library gets that asks for a newer API than the runtime has: most libraries do not look whether they get
// one, and would crash. Newer APIs have the same functions first and more behind them, which fail here.
struct NewerApi {
  NewerApi() { beyond.fill(&FunctionOfNewerRuntime); }
  OrtApi known = Ort::GetApi();
  std::array<OrtStatus*(ORT_API_CALL*)(), 512> beyond;
};

// Of the runtime that is there, which may be newer than the headers that preon is built with: 30 of "1.30.0".
uint32_t NewestApi() {
  static const uint32_t newest = [] {
    const std::vector<std::string> parts = Split(RuntimeVersion(), '.');
    return parts.size() > 1 ? ParseNumber<uint32_t>(parts[1]).value_or(ORT_API_VERSION) : ORT_API_VERSION;
  }();
  return newest;
}

thread_local uint32_t newest_asked = 0;

const OrtApi* ORT_API_CALL ApiOf(uint32_t version) noexcept {
  newest_asked = std::max(newest_asked, version);
  if (version <= NewestApi()) return OrtGetApiBase()->GetApi(version);
  static const NewerApi newer;
  return &newer.known;
}

const char* ORT_API_CALL VersionOfRuntime() noexcept { return OrtGetApiBase()->GetVersionString(); }

Status Unusable(const std::string& path, std::string_view why) {
  return Error(ErrorId::kCustomOpLibrary, path, ": ", why);
}

// The loader puts the file in front of what it says, as it has it.
std::string LoaderWords(const std::string& file) {
  std::string words = dlerror();
  if (words.starts_with(file + ": ")) words.erase(0, file.size() + 2);
  return words;
}

Result<CustomOpLibrary::Register> OpenOnce(const std::string& path, const std::string& file) {
  static std::mutex opening;
  static std::map<std::string, CustomOpLibrary::Register> opened;  // by the file, whatever its path
  const std::lock_guard lock(opening);
  if (const auto found = opened.find(file); found != opened.end()) return found->second;
  // Operators that sessions hold are code of the library: it is never closed.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return Unusable(path, StrCat("the system can't load it as a library: ", LoaderWords(file)));
  void* const symbol = dlsym(library, kSymbol);
  if (symbol == nullptr)
    return Unusable(path, StrCat("has no function ", kSymbol, "; wanted a library of operators for ONNX Runtime"));
  return opened[file] = reinterpret_cast<CustomOpLibrary::Register>(symbol);
}

// In a session of its own, so that an error is that of this library.
Status TryAlone(const CustomOpLibrary& library) {
  static constexpr OrtApiBase kWatched{ApiOf, VersionOfRuntime};
  newest_asked = 0;
  std::string problem;
  try {
    Ort::SessionOptions options;
    Ort::ThrowOnError(library.add(options, &kWatched));
  } catch (const std::exception& error) {
    problem = error.what();
  } catch (...) {
    problem = "it threw what is no std::exception";
  }
  if (newest_asked > NewestApi()) {
    return Unusable(library.path,
                    StrCat("is built for ONNX Runtime 1.", newest_asked, " or later, but preon has ", RuntimeVersion()))
        .WithHint(StrCat("build it with the headers of ONNX Runtime 1.", NewestApi(), " or earlier"));
  }
  if (!problem.empty())
    return Unusable(library.path, StrCat(kSymbol, " of the library failed: ", Readable(problem).text));
  return Status::Ok();
}

// A model that needs none of them.
Model ModelWithoutCustomOps() {
  Model model;
  model.ir_version = 8;
  model.opsets[""] = 13;
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{1}});
  model.graph.AddNode("Identity", {"x"}, {"y"});
  model.graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{1}});
  return model;
}

}  // namespace

Result<std::shared_ptr<const CustomOpLibraries>> CustomOpLibraries::Open(const std::vector<std::string>& paths) {
  auto all = std::make_shared<CustomOpLibraries>();
  std::map<std::string, std::string> taken;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      return Error(ErrorId::kFileNotFound, path, ": is a folder; wanted a library");
    PREON_RETURN_IF_ERROR(MapFile(path).status());
    const std::string file = std::filesystem::canonical(path, error).string();
    if (!taken.emplace(file, path).second) continue;
    PREON_ASSIGN_OR_RETURN(const CustomOpLibrary::Register add, OpenOnce(path, file));
    all->libraries_.push_back({path, add});
    Status usable;
    PREON_RETURN_IF_ERROR(GuardOrt(ErrorId::kCustomOpLibrary, [&] {
      SharedOrtEnv();
      usable = TryAlone(all->libraries_.back());
    }));
    PREON_RETURN_IF_ERROR(usable);
    // The runtime learns domains of operators from the first session that has them, and not safely from several
    // threads: this is that session.
    static std::mutex learning;
    const std::lock_guard lock(learning);
    const Status opened =
        Session::Impl::OpenModel(ModelWithoutCustomOps(), {.optimization = Optimization::kOff}, {.libraries = all})
            .status();
    if (!opened.ok()) {
      constexpr std::string_view kOfTheModel = "can't load it: ";  // of which nobody knows
      const size_t at = opened.message().find(kOfTheModel);
      const std::string words = opened.message().substr(at == std::string::npos ? 0 : at + kOfTheModel.size());
      return Unusable(path, StrCat("the runtime can't take its operators: ", words)).WithHint(opened.hint());
    }
  }
  return std::shared_ptr<const CustomOpLibraries>(std::move(all));
}

std::shared_ptr<const CustomOpLibraries> CustomOpLibraries::Without(size_t index) const {
  auto others = std::make_shared<CustomOpLibraries>(*this);
  others->libraries_.erase(others->libraries_.begin() + static_cast<ptrdiff_t>(index));
  return others;
}

}  // namespace preon

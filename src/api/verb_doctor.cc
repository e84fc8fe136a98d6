#include "api/reference_catalog.h"
#include "api/reference_keys.h"
#include "api/verbs.h"
#include "base/system.h"
#include "formats/tensor_type.h"
#include "ir/model_io.h"
#include "kernels/target.h"
#include "runtime/session.h"

namespace preon {
namespace {

// What decides the speed of integer kernels.
std::vector<std::string> CpuFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) features.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) features.emplace_back("avx");
  if (__builtin_cpu_supports("avx2")) features.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) features.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) features.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512bw")) features.emplace_back("avx512bw");
  if (__builtin_cpu_supports("avx512vnni")) features.emplace_back("avx512vnni");
#endif
  return features;
}

template <typename T>
NamedLines Lines(const Registry<T>& registry) {
  NamedLines lines;
  for (const auto& entry : registry.entries()) lines.emplace_back(entry->name(), entry->summary());
  return lines;
}

}  // namespace

Result<DoctorResult> DoctorVerb(Job& job) {
  DoctorResult result{.cpu = CpuModel(),
                      .cpu_features = CpuFeatures(),
                      .kernels = std::string(KernelTargetName()),
                      .threads = job.context.ThreadCount(),
                      .runtime_version = RuntimeVersion(),
                      .newest_opset = NewestOpset(),
                      .methods = Lines(job.builtins.methods),
                      .targets = Lines(job.builtins.targets),
                      .passes = Lines(job.builtins.passes),
                      .types = TensorTypeNames()};
  for (size_t category = 0; category < kReferenceCategories.size(); ++category)
    result.reference_keys.emplace_back(kReferenceCategories[category], 0, 0);
  for (const CatalogKey& key : ReferenceCatalog()) {
    auto& [group, has, all] = result.reference_keys[static_cast<size_t>(key.category)];
    ++all;
    if (HasReferenceKey(key.name)) ++has;
    else result.missing_keys.emplace_back(key.name);
  }
  result.facts = job.clock.Finish("doctor");
  return result;
}

}  // namespace preon

// The module preon._preon: types and errors between Python and the library, no logic. python/preon is what users see.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "preon/preon.h"

namespace nb = nanobind;

namespace preon {
namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

ElementType TypeOf(const std::string& input, nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  if (code == Code::Bool) return ElementType::kBool;
  if (code == Code::Float && type.bits == 16) return ElementType::kFloat16;
  if (code == Code::Float && type.bits == 32) return ElementType::kFloat;
  if (code == Code::Float && type.bits == 64) return ElementType::kDouble;
  if (code == Code::Int && type.bits == 8) return ElementType::kInt8;
  if (code == Code::Int && type.bits == 16) return ElementType::kInt16;
  if (code == Code::Int && type.bits == 32) return ElementType::kInt32;
  if (code == Code::Int && type.bits == 64) return ElementType::kInt64;
  if (code == Code::UInt && type.bits == 8) return ElementType::kUInt8;
  if (code == Code::UInt && type.bits == 16) return ElementType::kUInt16;
  if (code == Code::UInt && type.bits == 32) return ElementType::kUInt32;
  if (code == Code::UInt && type.bits == 64) return ElementType::kUInt64;
  throw nb::type_error(("input '" + input + "': no element type of a model").c_str());
}

// Python's callbacks, called on the library's threads. What they raise ends the run and is raised again behind it.
class Callbacks {
 public:
  // `listener` is None, or has `progress`, a function or None, and a function `log`.
  Callbacks(nb::object reader, nb::object listener, nb::object distance)
      : reader_(std::move(reader)), listener_(std::move(listener)), distance_(std::move(distance)) {}

  void Attach(QuantizeOptions& options) {
    options.cancel = &cancel_;
    if (!reader_.is_none()) {
      options.reader_inputs = [this](const std::vector<InputInfo>& inputs) {
        Guarded([&] {
          nb::list told;
          for (const InputInfo& input : inputs)
            told.append(nb::make_tuple(input.name, static_cast<int>(input.type), input.shape));
          reader_.attr("begin")(told);
          return true;
        });
      };
      options.reader = [this](int64_t index, std::vector<InputArray>& inputs) {
        return Guarded([&] { return Read(index, inputs); });
      };
    }
    if (!distance_.is_none()) {
      options.precision_distance = [this](const std::vector<OutputArray>& reference,
                                          const std::vector<OutputArray>& quantized) {
        double distance = 0;
        const bool told = Guarded([&] {
          distance = nb::cast<double>(distance_(ListOf(reference), ListOf(quantized)));
          return true;
        });
        if (!told) throw std::runtime_error("see the exception");  // Rethrow() has it
        return distance;
      };
    }
    if (listener_.is_none()) return;
    options.log = [this](const std::string& line) { Tell("log", line); };
    if (listener_.attr("progress").is_none()) return;
    options.progress = [this](const std::string& stage, int64_t done, int64_t total) {
      Tell("progress", stage, done, total);
    };
  }

  void Cancel() { cancel_ = true; }
  void Rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <typename Body>
  bool Guarded(const Body& body) {
    const nb::gil_scoped_acquire gil;
    if (failure_) return false;
    try {
      return body();
    } catch (...) {
      failure_ = std::current_exception();
      Cancel();
      return false;
    }
  }

  template <typename... Parts>
  void Tell(const char* function, const Parts&... parts) {
    Guarded([&] { return listener_.attr(function)(parts...).is_valid(); });
  }

  // Copies, which may be kept.
  static nb::list ListOf(const std::vector<OutputArray>& outputs) {
    nb::list arrays;
    for (const OutputArray& output : outputs) {
      const std::vector<size_t> shape(output.shape.begin(), output.shape.end());
      arrays.append(nb::cast(nb::ndarray<nb::numpy, const float>(output.values, shape.size(), shape.data()),
                             nb::rv_policy::copy));
    }
    return arrays;
  }

  bool Read(int64_t index, std::vector<InputArray>& inputs) {
    arrays_.clear();
    const nb::object sample = reader_(index);
    if (sample.is_none()) return false;
    for (const auto& [name, value] : nb::cast<nb::dict>(sample)) {
      InputArray input;
      if (!nb::try_cast(name, input.name)) {
        const std::string got = nb::cast<std::string>(nb::repr(name));
        throw nb::type_error(
            ("get_next: sample " + std::to_string(index) + ": got " + got + " as the name of an input, wanted a str")
                .c_str());
      }
      Array& array = arrays_.emplace_back();
      if (!nb::try_cast(value, array)) {
        const std::string got = nb::cast<std::string>(nb::str(nb::handle(value.type()).attr("__name__")));
        throw nb::type_error(("input '" + input.name + "': got " + got + ", wanted a numpy array of numbers").c_str());
      }
      input.data = array.data();
      input.type = TypeOf(input.name, array.dtype());
      for (size_t axis = 0; axis < array.ndim(); ++axis) input.shape.push_back(static_cast<int64_t>(array.shape(axis)));
      inputs.push_back(std::move(input));
    }
    return true;
  }

  nb::object reader_, listener_, distance_;
  std::vector<Array> arrays_;  // until the next call
  std::atomic<bool> cancel_ = false;
  std::exception_ptr failure_;
};

// The runs that are under way in this process; a child of os.fork() has copies of its parent's, but not their threads.
// Python ends threads of its own kind without unwinding C++ when it exits, which would end
// the process with an abort; so all runs end before that.
class ActiveRuns {
 public:
  static ActiveRuns& OfProcess() {
    static ActiveRuns runs;
    return runs;
  }

  void Add(Callbacks* callbacks) {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid()) active_.clear();
    process_ = getpid();
    active_.insert(callbacks);
  }
  void Remove(Callbacks* callbacks) {
    const std::lock_guard lock(mutex_);
    active_.erase(callbacks);
  }
  // Waits for the runs of other threads, which need the interpreter to end, but not for ever: a reader may never
  // return.
  void EndAll() {
    constexpr std::chrono::seconds kPatience(20);
    const nb::gil_scoped_release released;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (CancelThoseLeft() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

 private:
  bool CancelThoseLeft() {
    const std::lock_guard lock(mutex_);
    if (process_ != getpid()) return false;
    for (Callbacks* callbacks : active_) callbacks->Cancel();
    return !active_.empty();
  }

  std::mutex mutex_;
  std::set<Callbacks*> active_;
  pid_t process_ = getpid();  // whose they are
};

class ActiveRun {
 public:
  explicit ActiveRun(Callbacks& callbacks) : callbacks_(&callbacks) { ActiveRuns::OfProcess().Add(callbacks_); }
  ~ActiveRun() { ActiveRuns::OfProcess().Remove(callbacks_); }
  ActiveRun(const ActiveRun&) = delete;
  ActiveRun& operator=(const ActiveRun&) = delete;

 private:
  Callbacks* const callbacks_;
};

// What becomes of a result that a run has in spite of Ctrl-C.
enum class Interrupted { kRaises, kGivesResult };

// Runs `work` on a thread of its own, so that this one can answer Ctrl-C.
template <Interrupted kInterrupted, typename Result>
Result RunWatched(Callbacks& callbacks, const std::function<Result()>& work) {
  std::future<Result> result = std::async(std::launch::async, work);
  std::exception_ptr interrupted;
  bool by_ctrl_c = false;  // not by what another signal's handler raises
  while (true) {
    std::future_status status;
    {
      const nb::gil_scoped_release released;
      status = result.wait_for(std::chrono::milliseconds(20));
    }
    if (status == std::future_status::ready) break;
    if (!interrupted && PyErr_CheckSignals() != 0) {
      by_ctrl_c = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
      interrupted = std::make_exception_ptr(nb::python_error());
      callbacks.Cancel();
    }
  }
  Result outcome = result.get();
  const bool is_wanted = kInterrupted == Interrupted::kGivesResult && by_ctrl_c && outcome;
  if (interrupted && !is_wanted) std::rethrow_exception(interrupted);
  callbacks.Rethrow();
  return outcome;
}

// (JSON, text), or (None, number, message, hint, exit status).
template <typename Report>
nb::tuple ToPython(const Outcome<Report>& outcome) {
  if (outcome) return nb::make_tuple(outcome->json, outcome->text);
  const Failure& failure = outcome.error();
  return nb::make_tuple(nb::none(), failure.number, failure.message, failure.hint, failure.exit_status);
}

using Settings = std::vector<std::pair<std::string, std::string>>;
using ShownAs = std::vector<std::pair<std::string, std::string>>;

template <Interrupted kInterrupted = Interrupted::kRaises, typename Body>
nb::tuple AnswerOf(QuantizeOptions options, nb::object reader, nb::object listener, const Body& body,
                   nb::object distance = nb::none()) {
  Callbacks callbacks(std::move(reader), std::move(listener), std::move(distance));
  callbacks.Attach(options);
  const ActiveRun active(callbacks);
  using Answered = decltype(body(options));
  return ToPython(RunWatched<kInterrupted, Answered>(callbacks, [&] { return body(options); }));
}

QuantizeOptions OptionsOf(std::string model, std::string output, Settings settings, ShownAs shown_as) {
  QuantizeOptions options;
  options.model = std::move(model);
  options.output = std::move(output);
  options.settings = std::move(settings);
  options.shown_as = std::move(shown_as);
  return options;
}

// A verb that takes a model or statistics, and may write to `output`.
template <auto kVerb, Interrupted kInterrupted = Interrupted::kRaises>
nb::tuple RunVerb(std::string model, std::string output, Settings settings, nb::object reader, nb::object listener,
                  ShownAs shown_as) {
  return AnswerOf<kInterrupted>(
      OptionsOf(std::move(model), std::move(output), std::move(settings), std::move(shown_as)), std::move(reader),
      std::move(listener), [](const QuantizeOptions& options) { return kVerb(options); });
}

nb::tuple RunQuantize(std::string model, std::string output, Settings settings, nb::object reader, nb::object listener,
                      const nb::kwargs& more) {
  ShownAs shown_as = more.contains("shown_as") ? nb::cast<ShownAs>(more["shown_as"]) : ShownAs();
  nb::object distance = more.contains("distance") ? nb::object(more["distance"]) : nb::none();
  return AnswerOf(
      OptionsOf(std::move(model), std::move(output), std::move(settings), std::move(shown_as)), std::move(reader),
      std::move(listener), [](const QuantizeOptions& options) { return Quantize(options); }, std::move(distance));
}

// A verb that takes two models.
template <auto kVerb>
nb::tuple RunVerbOnTwo(std::string model, std::string other, Settings settings, nb::object reader, nb::object listener,
                       ShownAs shown_as) {
  return AnswerOf(OptionsOf(std::move(model), "", std::move(settings), std::move(shown_as)), std::move(reader),
                  std::move(listener), [&](const QuantizeOptions& options) { return kVerb(options, other); });
}

nb::tuple RunValidate(std::string model, std::vector<std::string> quantized, Settings settings, nb::object reader,
                      nb::object listener, ShownAs shown_as) {
  return AnswerOf(OptionsOf(std::move(model), "", std::move(settings), std::move(shown_as)), std::move(reader),
                  std::move(listener), [&](const QuantizeOptions& options) { return Validate(options, quantized); });
}

// The first of the models is the float one.
nb::tuple RunReport(std::vector<std::string> models, std::string output, Settings settings, nb::object reader,
                    nb::object listener, ShownAs shown_as) {
  const std::vector<std::string> quantized(models.begin() + 1, models.end());
  return AnswerOf(OptionsOf(models.at(0), std::move(output), std::move(settings), std::move(shown_as)),
                  std::move(reader), std::move(listener),
                  [&](const QuantizeOptions& options) { return MakeReport(options, quantized); });
}

nb::tuple RunMerge(std::vector<std::string> files, std::string output, Settings settings, nb::object reader,
                   nb::object listener, ShownAs shown_as) {
  return AnswerOf(OptionsOf("", std::move(output), std::move(settings), std::move(shown_as)), std::move(reader),
                  std::move(listener), [&](const QuantizeOptions& options) { return Merge(options, files); });
}

}  // namespace
}  // namespace preon

NB_MODULE(_preon, module) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { preon::ActiveRuns::OfProcess().EndAll(); }));
  module.def("version", &preon::Version);
  const auto def = [&](const char* name, auto function, const char* second, const char* first = "model") {
    module.def(name, function, nb::arg(first), nb::arg(second), nb::arg("settings"), nb::arg("reader").none(),
               nb::arg("listener").none(), nb::arg("shown_as") = preon::ShownAs());
  };
  module.def("quantize", &preon::RunQuantize, nb::arg("model"), nb::arg("output"), nb::arg("settings"),
             nb::arg("reader").none(), nb::arg("listener").none(), nb::arg("more"));
  def("calibrate", &preon::RunVerb<&preon::Calibrate>, "output");
  def("merge", &preon::RunMerge, "output", "files");
  def("status", &preon::RunVerb<&preon::RunStatus>, "output");
  def("ranges", &preon::RunVerb<&preon::Ranges>, "output");
  def("analyze", &preon::RunVerb<&preon::Analyze>, "output");
  def("run", &preon::RunVerb<&preon::Run>, "output");
  def("inspect", &preon::RunVerb<&preon::Inspect>, "output");
  def("instrument", &preon::RunVerb<&preon::Instrument>, "output");
  def("passes", &preon::RunVerb<&preon::Passes>, "output");
  def("lint", &preon::RunVerb<&preon::Lint>, "output");
  def("retarget", &preon::RunVerb<&preon::Retarget>, "output");
  def("export_qat", &preon::RunVerb<&preon::ExportQat>, "output");
  def("encrypt", &preon::RunVerb<&preon::Encrypt>, "output");
  def("decrypt", &preon::RunVerb<&preon::Decrypt>, "output");
  module.def(
      "is_crypto_run",
      [](std::string model, preon::Settings settings) {
        return preon::IsCryptoRun(preon::OptionsOf(std::move(model), "", std::move(settings), {}));
      },
      nb::arg("model"), nb::arg("settings"));
  def("search", &preon::RunVerb<&preon::Search, preon::Interrupted::kGivesResult>, "output");
  def("sensitivity", &preon::RunVerb<&preon::Sensitivity>, "output");
  def("diff", &preon::RunVerbOnTwo<&preon::Diff>, "other");
  def("compare", &preon::RunVerbOnTwo<&preon::Compare>, "quantized");
  def("validate", &preon::RunValidate, "quantized");
  def("report", &preon::RunReport, "output", "models");
}

#include "cli/crash_guard.h"

#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/exceptions.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/complaint.h"
#include "report/error_json.h"

namespace preon::cli {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;
constexpr int kStatus = 1;

constexpr std::array kFaults = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};

/// What is printed of an error: on stderr, and with --json on stdout.
struct Told {
  std::string text, json;
};

/// Made before the handler may run: a handler can't make text.
struct Prepared {
  std::array<Told, kFaults.size()> crashed;
  Told before_file, behind_file;  ///< of a file that became shorter
  Told out_of_memory;
  bool json = false;
};
const Prepared* prepared = nullptr;

/// A line of text made without memory: all that a handler may use.
class SignalLine {
 public:
  SignalLine& operator<<(std::string_view text) {
    const size_t size = std::min(text.size(), line_.size() - size_);
    std::memcpy(line_.data() + size_, text.data(), size);
    size_ += size;
    return *this;
  }
  /// A path inside of a JSON text, or of a line.
  SignalLine& AddPath(std::string_view path) {
    for (const char& c : path) {
      if (c == '"' || c == '\\') *this << "\\";
      *this << (static_cast<unsigned char>(c) < ' ' ? std::string_view("?") : std::string_view(&c, 1));
    }
    return *this;
  }
  void Print(int stream) { static_cast<void>(!write(stream, line_.data(), size_)); }

 private:
  std::array<char, 8192> line_;
  size_t size_ = 0;
};

/// Lines of /proc/self/maps are "begin-end rwxp offset device inode   path".
class MapsReader {
 public:
  MapsReader() : fd_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  /// Of the mapping that holds the address; "" where there is none.
  std::string_view PathAt(uintptr_t address) {
    while (ReadLine()) {
      char* at = line_.data();
      const uintptr_t begin = Hex(at);
      const uintptr_t end = Hex(++at);
      if (address < begin || address >= end) continue;
      const char* path = std::strchr(at, '/');
      return path == nullptr ? std::string_view() : std::string_view(path);
    }
    return {};
  }

 private:
  bool ReadLine() {
    size_t size = 0;
    char c = '\0';
    while (fd_ >= 0 && read(fd_, &c, 1) == 1 && c != '\n')
      if (size + 1 < line_.size()) line_[size++] = c;
    line_[size] = '\0';
    return size > 0;
  }
  static uintptr_t Hex(char*& at) {
    uintptr_t value = 0;
    for (;; ++at) {
      if (*at >= '0' && *at <= '9')
        value = value * 16 + static_cast<uintptr_t>(*at - '0');
      else if (*at >= 'a' && *at <= 'f')
        value = value * 16 + static_cast<uintptr_t>(*at - 'a' + 10);
      else
        return value;
    }
  }
  int fd_;
  std::array<char, 4300> line_{};
};

std::string_view NameOf(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV, a read or write outside of memory, or a stack overflow";
    case SIGFPE:
      return "SIGFPE, a division by zero";
    case SIGBUS:
      return "SIGBUS, a read outside of a file";
    case SIGILL:
      return "SIGILL, an unknown instruction";
    default:
      return "SIGABRT, a failed check";
  }
}

Told Tell(const Status& error) { return {ErrorText(error), ErrorJson(error) + "\n"}; }

// The two sides of a mark that stands for what is known only then.
std::pair<Told, Told> Halves(const Told& told) {
  constexpr std::string_view kMark = "@@";
  const auto before = [&](const std::string& text) { return text.substr(0, text.find(kMark)); };
  const auto behind = [&](const std::string& text) { return text.substr(text.find(kMark) + kMark.size()); };
  return {{before(told.text), before(told.json)}, {behind(told.text), behind(told.json)}};
}

Prepared Prepare(int argc, const char* const* argv) {
  Prepared texts{.json = WantsJson(argc, argv)};
  std::string words;
  for (int word = 1; word < std::min(argc, 3); ++word) words += (word > 1 ? " " : "") + Printable(argv[word]);
  for (size_t fault = 0; fault < kFaults.size(); ++fault)
    texts.crashed[fault] = Tell(Error(ErrorId::kRuntimeCrash, words, ": crashed (", NameOf(kFaults[fault]),
                                      "); the usual cause is a model that ONNX Runtime can't run")
                                    .WithHint("if ONNX Runtime alone runs the model, please report it"));
  std::tie(texts.before_file, texts.behind_file) =
      Halves(Tell(Error(ErrorId::kIoRead, "@@: became shorter while it was being read")));
  texts.out_of_memory = Tell(StatusOf(std::bad_alloc()));
  return texts;
}

// Libraries crash where memory was refused to them and they did not look.
bool MemoryIsUsedUp() {
  constexpr size_t kLittle = size_t{32} << 20;
  void* memory = mmap(nullptr, kLittle, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return true;
  munmap(memory, kLittle);
  return false;
}

/// Says it in lines made of three parts, and ends the program.
[[noreturn]] void Exit(const Told& before, std::string_view path, const Told& behind) {
  for (const auto& [part, stream] : {std::pair(&Told::json, STDOUT_FILENO), std::pair(&Told::text, STDERR_FILENO)}) {
    if (stream == STDOUT_FILENO && !prepared->json) continue;
    SignalLine line;
    line << before.*part;
    line.AddPath(path) << behind.*part;
    line.Print(stream);
  }
  _exit(kStatus);
}

// Where several threads fail at once, the first one speaks and the others wait for the end of the program.
void LetOneThreadPass() {
  static std::atomic<pid_t> speaker = 0;
  pid_t nobody = 0;
  if (speaker.compare_exchange_strong(nobody, gettid())) return;
  if (speaker == gettid()) _exit(kStatus);  // a fault inside of the handler
  while (true) pause();
}

void OnFault(int signal, siginfo_t* info, void*) {
  LetOneThreadPass();
  const bool reading = signal == SIGBUS && info->si_code > 0;  // not sent by anybody
  MapsReader maps;                                             // holds the path
  const std::string_view file = reading ? maps.PathAt(reinterpret_cast<uintptr_t>(info->si_addr)) : std::string_view();
  if (!file.empty()) Exit(prepared->before_file, file, prepared->behind_file);
  if (MemoryIsUsedUp()) Exit(prepared->out_of_memory, "", {});
  const auto fault = static_cast<size_t>(std::ranges::find(kFaults, signal) - kFaults.begin());
  Exit(prepared->crashed[fault], "", {});
}

/// An exception in a place that lets none out: on a thread of the runtime, or while another one is on its way.
[[noreturn]] void OnTerminate() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      Exit(prepared->out_of_memory, "", {});
    } catch (const std::exception& problem) {
      Complain(StatusOf(problem), prepared->json);
      _exit(kStatus);
    } catch (...) {
    }
  }
  std::abort();
}

}  // namespace

void InstallCrashGuard(int argc, const char* const* argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool kSanitized = true;
#else
  constexpr bool kSanitized = false;
#endif
  if (kSanitized) return;  // the sanitizer has handlers of its own
  static const Prepared texts = Prepare(argc, argv);
  prepared = &texts;
  static std::array<char, 1 << 16> handler_stack;  // the faulting thread's own may be what has run out
  const stack_t stack{.ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = handler_stack.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : kFaults) sigaction(signal, &action, nullptr);
  std::set_terminate(OnTerminate);
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads the unwinder now: without memory, the end of a thread could not
}

int OnLargeStack(const std::function<int()>& body) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) return body();
  struct Call {
    const std::function<int()>* body;
    int result;
  } call{&body, kStatus};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  const auto run = [](void* given) -> void* {
    auto* there = static_cast<Call*>(given);
    there->result = (*there->body)();
    return nullptr;
  };
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return body();
  pthread_join(thread, nullptr);
  return call.result;
}

}  // namespace preon::cli

#include "plugin/worker/symbolize.h"

#include <backtrace.h>
#include <cxxabi.h>
#include <link.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "plugin/wire/worker_messages.h"
#include "sandbox/apply.h"

namespace host::plugin::worker {
namespace {

constexpr std::size_t kMostRequestBytes = 1u << 20u;

std::optional<WorkerConfig> read_request(int socket) {
  FrameReader reader;
  for (std::size_t all = 0; all < kMostRequestBytes;) {
    const auto room = reader.prepare();
    const ssize_t count = ::recv(socket, room.data(), room.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    all += static_cast<std::size_t>(count);
    reader.commit(static_cast<std::size_t>(count));
    const auto frame = reader.next();
    if (!frame) return std::nullopt;
    if (*frame) return read_config((*frame)->body);
  }
  return std::nullopt;
}

void write_all(int socket, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

bool symbolizing = false;

std::string readable_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

void add_field(std::string& out, const std::string& text, char end) {
  for (const char c : text) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  out += end;
}

struct Answer {
  std::string lines;
  bool found = false;
};

int on_place(void* data, std::uintptr_t, const char* file, int line, const char* function) {
  if (!file && !function) return 0;
  Answer& answer = *static_cast<Answer*>(data);
  answer.found = true;
  add_field(answer.lines, function ? readable_name(function) : "", '\t');
  add_field(answer.lines, file ? file : "", '\t');
  add_field(answer.lines, std::to_string(line), '\n');
  return 0;
}

void on_symbol(void* data, std::uintptr_t pc, const char* symbol, std::uintptr_t, std::uintptr_t) {
  if (symbol) on_place(data, pc, nullptr, 0, symbol);
}

void on_error(void*, const char*, int) {}

}  // namespace

// libbacktrace takes the file that it is given for the executable of its own process, asks where
// that is in memory, and reads all other libraries there too, which may take a second where the
// system's have debug information. In this process there is the one file, at address 0: the linker
// leads its question here (--wrap).
extern "C" int __real_dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data);
#ifdef __clang__  // its sanitizers ask here too, before they are ready
extern "C" __attribute__((disable_sanitizer_instrumentation)) int __wrap_dl_iterate_phdr(
    int (*visit)(dl_phdr_info*, std::size_t, void*), void* data);
#endif
extern "C" int __wrap_dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data) {
  if (!symbolizing) return __real_dl_iterate_phdr(visit, data);
  dl_phdr_info file{};
  file.dlpi_name = "";
  return visit(&file, sizeof file, data);
}

int symbolize(int socket) {
  const std::optional<WorkerConfig> request = read_request(socket);
  if (!request || !sandbox::apply(request->profile)) return 2;
  symbolizing = true;
  // Not thread-safe: the only thread is this one.
  backtrace_state* const state =
      backtrace_create_state(request->library.c_str(), 0, &on_error, nullptr);
  if (!state) return 3;
  std::uintptr_t offset = 0;
  std::istringstream offsets(request->settings);
  while (offsets >> std::hex >> offset) {
    Answer answer;
    backtrace_pcinfo(state, offset, &on_place, &on_error, &answer);
    if (!answer.found) backtrace_syminfo(state, offset, &on_symbol, &on_error, &answer);
    write_all(socket, answer.lines + "\n");
  }
  return 0;
}

}  // namespace host::plugin::worker

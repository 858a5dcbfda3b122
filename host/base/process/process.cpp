#include "base/process/process.h"

#include <unistd.h>

#include <sstream>

#include "base/text/file_text.h"

namespace host {
namespace {

constexpr int kFieldsBeforeStart = 19;  // proc(5), stat: from the state, which follows the name

std::string namespace_of_pids() {
  char name[64];
  const ssize_t length = ::readlink("/proc/self/ns/pid", name, sizeof name);
  return length > 0 ? std::string(name, static_cast<std::size_t>(length)) : std::string();
}

std::string_view boot_of(std::string_view mark) {
  return mark.substr(0, mark.find('/'));
}

// The boot and the PID namespace. An older host's mark has no namespace, and this gives its boot.
std::string_view place_of(std::string_view mark) {
  return mark.substr(0, mark.rfind('/'));
}

// The fields from the state on. Empty: there is no such process.
std::istringstream stat_of(pid_t pid) {
  const std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  return std::istringstream(name_end == std::string::npos ? "" : stat.substr(name_end + 1));
}

}  // namespace

std::string mark_of_process(pid_t pid) {
  std::istringstream fields = stat_of(pid);
  std::string field;
  for (int i = 0; i < kFieldsBeforeStart; ++i) fields >> field;
  std::string started;
  if (!(fields >> started)) return {};
  std::istringstream boot(file_text("/proc/sys/kernel/random/boot_id").value_or(""));
  std::string boot_id;
  boot >> boot_id;
  return boot_id + "/" + namespace_of_pids() + "/" + started;
}

bool has_ended(pid_t pid, std::string_view mark) {
  const std::string mine = mark_of_process(::getpid());
  const bool same_boot = boot_of(mark) == boot_of(mine);
  if (same_boot && place_of(mark) != place_of(mine) && place_of(mark) != boot_of(mark))
    return false;
  return mark_of_process(pid) != mark;
}

bool is_stopped(pid_t pid, std::string_view mark) {
  std::string state;
  stat_of(pid) >> state;
  return (state == "T" || state == "t") && mark_of_process(pid) == mark;
}

}  // namespace host

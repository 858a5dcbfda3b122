#include "plugin/process/worker_death.h"

#include <charconv>
#include <iterator>

namespace host::plugin {

std::string WorkerDeath::words() const {
  std::string text = how;
  // The kernel ends a worker without asking any handler, and does not say which call it was.
  if (!dump && how.starts_with("was killed by SIGSYS"))
    return text +
           ": the sandbox ends a worker for a system call such as ptrace, mount or io_uring_setup";
  if (!dump) return text;
  const std::string reason = describe(dump->header);
  if (!reason.empty()) text += ": " + reason;
  const std::string place = describe_own_place(trace);
  if (!place.empty()) return text + ", in " + place;
  if (dump->frames.empty()) return text;
  char offset[2 * sizeof(std::uint64_t)];
  const auto end = std::to_chars(offset, std::end(offset), dump->frames.front(), 16).ptr;
  text += ", in " + module + " at offset 0x" + std::string(offset, end);
  return build_id.empty() ? text : text + " (build id " + build_id + ")";
}

}  // namespace host::plugin

#include "plugin/process/worker_death.h"

#include <charconv>
#include <iterator>

namespace host::plugin {
namespace {

std::string reason_of(const WorkerDeath& death) {
  if (death.system_call.empty()) return describe(death.dump->header);
  return "its sandbox forbids the system call " + death.system_call;
}

}  // namespace

std::string WorkerDeath::words() const {
  std::string text = how;
  if (!dump) return text;
  const std::string reason = reason_of(*this);
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

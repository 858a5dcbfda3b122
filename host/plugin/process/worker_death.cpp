#include "plugin/process/worker_death.h"

#include <charconv>
#include <iterator>

#include "sandbox/call_name.h"

namespace host::plugin {
namespace {

std::string reason_of(const CrashDump::Header& header) {
  const std::string forbidden = header.system_call == CrashDump::kNoSystemCall
                                    ? std::string()
                                    : sandbox::name_of_system_call(header.system_call);
  if (forbidden.empty()) return describe(header);
  return "its sandbox forbids the system call " + forbidden;
}

}  // namespace

std::string WorkerDeath::words() const {
  std::string text = how;
  if (!dump) return text;
  const std::string reason = reason_of(dump->header);
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

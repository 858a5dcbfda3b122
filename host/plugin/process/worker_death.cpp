#include "plugin/process/worker_death.h"

namespace host::plugin {

std::string WorkerDeath::words() const {
  std::string text = how;
  if (!dump) return text;
  const std::string reason = describe(dump->header);
  if (!reason.empty()) text += ": " + reason;
  const std::string place = describe_own_place(trace);
  if (!place.empty()) text += ", in " + place;
  return text;
}

}  // namespace host::plugin

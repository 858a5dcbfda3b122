#include "task/room.h"

#include <vector>

namespace host::task {
namespace {

// A principal at its limit loses at least one of so many calls, so that not each of its calls has
// to make room.
constexpr std::size_t kAtOnce = 100;
constexpr std::string_view kAll = "limits.detached_calls";

}  // namespace

Error Room::full(std::string_view limit) const {
  if (limits_.on_refusal) limits_.on_refusal(limit);
  return {ErrorKind::Unavailable, "detached calls that have not ended leave no room (" +
                                      std::string(limit) + "): try again when some have ended"};
}

std::string_view Room::limit_reached(const Records::Sizes& own, std::size_t all, std::size_t bytes,
                                     Adds adds) const {
  if (own.bytes + bytes > limits_.bytes_per_principal) return "limits.detached_bytes_per_principal";
  if (adds == Adds::Bytes) return {};
  if (own.detached >= limits_.per_principal) return "limits.detached_calls_per_principal";
  return all >= limits_.all ? kAll : std::string_view();
}

bool Room::is_full_for(const std::string& principal, std::size_t bytes) const {
  const std::string_view limit =
      limit_reached(records_.sizes_of(principal), records_.sizes().detached, bytes, Adds::Record);
  return !limit.empty() && limit != kAll;
}

Result<void> Room::make(const std::string& principal, std::size_t bytes, Adds adds) {
  records_.expire();
  Records::Sizes own = records_.sizes_of(principal);
  std::size_t all = records_.sizes().detached;
  if (limit_reached(own, all, bytes, adds).empty()) return {};
  std::vector<std::string> oldest;
  const std::size_t at_least = limits_.per_principal / kAtOnce;
  records_.each_ended_of(principal, [&](const RecordPtr& record) {
    if (limit_reached(own, all, bytes, adds).empty() && oldest.size() >= at_least) return false;
    oldest.push_back(record->id);
    own.bytes -= record->bytes();
    --own.detached;
    --all;
    return true;
  });
  const std::string_view limit = limit_reached(own, all, bytes, adds);
  if (!limit.empty()) return full(limit);
  records_.remove(oldest);
  return {};
}

}  // namespace host::task

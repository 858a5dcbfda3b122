// Remembers the calls of this process that returned "pending", so that their approval requests can
// still be open. If such a call runs later without its approval request, for example because a rule
// now allows the call, the host withdraws the request. While no call has returned "pending", a
// look-up costs nothing.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "store/part/approval_store.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

class LeftRequests {
 public:
  // `until` is the time at which the request, or an approval of it, has certainly expired.
  void add(const store::ApprovalKey& key, WallTime until, WallTime now);
  void remove(const store::ApprovalKey& key);
  bool has(const store::ApprovalKey& key) const;
  // Returns false if has() is false for all calls of the same tool by the same principal.
  bool may_have(const tool::Call& call, const tool::Tool& tool) const;

 private:
  struct Left {
    store::ApprovalKey key;
    WallTime until{};
  };
  std::multimap<std::string, Left> all_;  // by the principal and the tool
};

}  // namespace host::approval

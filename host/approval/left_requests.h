// Remembers the calls of this process whose approval requests can still be open, although no call
// waits for them: the call returned "pending", or was refused after its approval. If such a call
// runs later without its approval request, for example because a rule now allows the call, the host
// withdraws the request. While there is no such call, a look-up costs nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/part/approval_store.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::approval {

class LeftRequests {
 public:
  struct Left {
    store::ApprovalKey key;
    std::string session;  // empty: none
    WallTime until{};  // the time at which the request, or an approval of it, has certainly expired
  };

  void add(Left left, WallTime now);
  // Removes and returns all that have this key, of every session.
  std::vector<Left> take(const store::ApprovalKey& key);
  // Undoes take().
  void put_back(std::vector<Left> taken);

  bool empty() const { return all_.empty(); }
  // A request of another session does not count: the other session may still need it.
  bool has(const store::ApprovalKey& key, const std::string& session, WallTime now) const;
  // Returns false if has() is false for all calls of the same tool by the same principal in the
  // same session.
  bool may_have(const tool::Call& call, const tool::Tool& tool, WallTime now) const;

 private:
  void insert(Left left);

  std::multimap<std::string, Left> all_;  // by the principal and the tool
};

}  // namespace host::approval

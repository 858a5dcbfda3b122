// Keeps the last calls of each session with their results in memory, for plugins that may read
// them. The history gets each call when the call has ended. If a session reaches a limit, its
// oldest calls are removed. If all sessions together reach a limit, the principal with the most
// bytes loses its oldest calls. The functions of this header are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace host::session {

struct PastCall {
  std::uint64_t number = 0;  // grows with each call of any session; add() sets it
  std::string principal;
  std::string call;  // the id of the call
  std::string tool;
  std::string arguments;  // JSON object text, as the client sent it
  std::string outcome;    // the outcome as the audit names it
  std::string result;     // a CallToolResult as JSON object text; empty: the call has no result
  bool left_out = false;  // true: arguments and result are empty because they were too large
  WallTime ended{};

  std::size_t bytes() const;
};

class History {
 public:
  struct Limits {
    std::size_t calls = 100;              // limits.history_calls: most calls of one session
    std::size_t bytes = 256u << 10u;      // limits.history_bytes_per_session
    std::size_t all_bytes = 64u << 20u;   // limits.history_bytes: for all sessions together
    std::size_t call_bytes = 64u << 10u;  // a larger call is stored without arguments and result
  };
  explicit History(Limits limits) : limits_(limits) {}

  void add(const std::string& session, PastCall call);
  // Removes the calls of a session that has ended.
  void forget(std::string_view session);

  struct Page {
    std::vector<const PastCall*> calls;  // the newest first; valid until the next add()
    bool more = false;                   // true: the session has older calls
  };
  // Returns the calls of the session and principal whose number is less than `before`, the newest
  // first. If `before` is 0, the function returns the newest calls.
  Page list(std::string_view session, std::string_view principal, std::uint64_t before,
            std::size_t most) const;

  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string session;
    PastCall call;
  };
  // A Group contains the calls of one session, or of one principal.
  struct Group {
    std::set<std::uint64_t> calls;  // numbers of calls, the oldest first
    std::size_t bytes = 0;
  };
  using Groups = std::map<std::string, Group, std::less<>>;

  void drop(std::uint64_t number);
  static void take_out(Groups& groups, const std::string& name, const PastCall& call);
  void drop_of_largest();

  const Limits limits_;
  std::unordered_map<std::uint64_t, Kept> calls_;
  Groups sessions_;
  Groups principals_;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace host::session

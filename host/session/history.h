// The last calls of each session with their results, in memory, for plugins that may read them. A
// call comes in at its end. The oldest calls make room for new ones. I/O thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace host::session {

struct PastCall {
  std::uint64_t number = 0;  // grows with each call of any session; given by add()
  std::string principal;
  std::string call;  // its id
  std::string tool;
  std::string arguments;  // JSON object text, as the client sent it
  std::string outcome;    // as in the audit
  std::string result;     // a CallToolResult, JSON object text; empty: the call had none
  bool left_out = false;  // arguments and result were too large, and are empty
  WallTime ended{};

  std::size_t bytes() const;
};

class History {
 public:
  struct Limits {
    std::size_t calls = 100;              // limits.history_calls, of one session
    std::size_t bytes = 256u << 10u;      // limits.history_bytes_per_session
    std::size_t all_bytes = 64u << 20u;   // limits.history_bytes
    std::size_t call_bytes = 64u << 10u;  // a larger call is kept without its texts
  };
  explicit History(Limits limits) : limits_(limits) {}

  void add(const std::string& session, PastCall call);
  // The session has ended.
  void forget(std::string_view session);

  struct Page {
    std::vector<const PastCall*> calls;  // the newest first; valid until the next add()
    bool more = false;                   // there are older ones
  };
  // Of this session and principal, older than the number `before`. 0: from the newest.
  Page list(std::string_view session, std::string_view principal, std::uint64_t before,
            std::size_t most) const;

  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string session;
    PastCall call;
  };
  using All = std::list<Kept>;  // the oldest first
  struct OfSession {
    std::list<All::iterator> calls;  // the oldest first
    std::size_t bytes = 0;
  };
  using BySession = std::map<std::string, OfSession, std::less<>>;

  void drop_oldest(BySession::iterator of);

  const Limits limits_;
  All all_;
  BySession sessions_;
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace host::session

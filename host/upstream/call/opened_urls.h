// The URLs that users must open before an upstream executes their calls. With protocol version
// 2025-11-25, an upstream refuses such a call with error -32042, and can later report that the user
// has finished at a URL. The functions of OpenedUrls are called on the I/O thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "tool/call/result.h"
#include "tool/definition/question.h"

namespace host::upstream {

class OpenedUrls {
 public:
  // The number of rounds of questions whose ends are known. If there are more rounds, the oldest
  // ones are forgotten.
  static constexpr std::size_t kMost = 256;

  // `server` is CallSettings::server.
  explicit OpenedUrls(std::string server) : server_(std::move(server)) {}

  // Returns the result that asks the client to open the URLs.
  tool::CallResult ask(std::vector<tool::Question> questions);
  // Returns true if ask() made the state, for this server or for a different one. No upstream gets
  // such a state.
  static bool is_state(std::string_view state);
  // Returns true if ask() made the state for this server.
  bool is_own(std::string_view state) const;
  // Returns false if ask() made the state, and the user did not agree to open all the URLs.
  static bool are_agreed(const tool::Continuation& resumed);
  // Returns the ends of the URLs at which the user has not finished. `state` can be any state.
  std::vector<std::shared_ptr<Cancel>> unfinished(std::string_view state) const;
  // After forget(), unfinished() returns no URLs for the state.
  void forget(std::string_view state);

 private:
  struct Asked {
    std::string state;
    std::vector<std::shared_ptr<Cancel>> ends;
  };
  const std::string server_;
  std::deque<Asked> asked_;  // the oldest is first
};

}  // namespace host::upstream

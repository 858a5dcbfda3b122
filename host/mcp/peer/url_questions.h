// The questions with a URL that one client was asked, and whose end a provider can still report. A
// user can finish at the URL of a question long after the client has answered the question, and
// also after the call has ended. The functions of UrlQuestions are called on the I/O thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "mcp/peer/outlet.h"

namespace host::mcp {

class UrlQuestions {
 public:
  // Sends the client a message that belongs to no request.
  using Tell = std::function<void(std::string_view message)>;
  // The maximum number of questions of one client. If a client has more than kMost questions, the
  // host forgets the oldest question, and sends no notification when this question ends.
  static constexpr std::size_t kMost = 64;

  // The function `tell` sends notifications about a question after the end of the request that
  // asked it. If `tell` is null, the client gets no notifications after the end of its request.
  explicit UrlQuestions(Tell tell) : tell_(std::move(tell)) {}

  // Notifies the client of the end of the question `id` when `ended` is requested. The notification
  // is sent on `outlet`, which is the outlet of the request that asks.
  void add(const std::string& id, const std::shared_ptr<Cancel>& ended, Outlet& outlet);
  // Reports that the request with this outlet has ended.
  void leave(const Outlet& outlet);
  void clear() { open_.clear(); }

 private:
  struct Open {
    std::string id;
    Outlet* outlet = nullptr;       // null: the request that asked has ended
    std::shared_ptr<Cancel> ended;  // while this pointer exists, the provider reports the end
    Cancel::Registration registration;
  };
  void end(const std::string& id);

  const Tell tell_;
  std::vector<Open> open_;  // the oldest is first
};

}  // namespace host::mcp

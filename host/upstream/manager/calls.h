// The calls of one upstream: calls that wait for a connection, and calls in progress. Each call is
// finished once, whatever happens to the connection.
//
// After its connection has ended, a call is sent once more, if no byte of it was sent, or if it
// only reads or is idempotent. Other calls are never repeated, because the upstream may have
// executed them. I/O thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "tool/invocation.h"
#include "upstream/connection/connection.h"
#include "upstream/provider/upstream_provider.h"

namespace host::upstream {

class Calls final : public CallTaker, public std::enable_shared_from_this<Calls> {
 public:
  struct Line {
    // The connection if calls can be sent on it now; otherwise null.
    std::function<Connection*()> connection;
    // Called when a call waits: connect, or call fail_waiting().
    std::function<void()> need;
    // The reason why this tool, as the caller saw it, cannot be called. Empty: it can.
    std::function<std::string(const tool::Tool&, const std::string& name)> objection;
    // The last call has ended.
    std::function<void()> on_idle;
  };

  Calls(std::string upstream, Line line) : upstream_(std::move(upstream)), line_(std::move(line)) {}

  void take(std::shared_ptr<tool::Invocation> invocation, const std::string& tool) override;
  void give_up(const std::shared_ptr<tool::Invocation>& invocation) override;

  // The upstream is connected. Sends the waiting calls.
  void connected();
  // The upstream cannot be reached now. Fails the waiting calls.
  void fail_waiting(const std::string& why);

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }

 private:
  struct Held {
    std::shared_ptr<tool::Invocation> invocation;
    std::string tool;
    bool sent_again = false;
    bool may_have_acted = false;  // the upstream may have begun the call
  };

  void send(Held held, Connection& connection);
  void take_answer(std::uint64_t key, Answer answer);
  void take_failure(Held held, const Answer& answer);
  void end(const Held& held, Result<tool::CallResult> result);
  void fail(const Held& held, const std::string& why);
  Request request_of(const Held& held, std::uint64_t key);

  const std::string upstream_;
  const Line line_;
  std::list<Held> waiting_;
  struct Running {
    Held held;
    RequestNumber number = 0;
  };
  std::map<std::uint64_t, Running> running_;
  std::uint64_t last_key_ = 0;
};

}  // namespace host::upstream

// Questions to people about calls: kept in the store, answered whenever a person comes to it, by
// this process or by another. A call waits for its answer a while, not longer than most clients do;
// the same call made again meets the same question, or its answer.
//
// I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "approval/verdict.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/desk.h"
#include "tool/call.h"

namespace host::approval {

class Approvals : public std::enable_shared_from_this<Approvals> {
 public:
  struct Settings {
    std::chrono::milliseconds wait{0};         // of a call for its answer
    std::chrono::milliseconds expire{0};       // of a question, and of a yes
    std::chrono::milliseconds sticky{0};       // a no is the answer to the same call for so long
    std::uint32_t pending_per_principal = 64;  // as the store has it, for what is told
    std::uint32_t most_argument_bytes = 1u << 20u;          // of one request
    std::function<void(std::string_view)> on_refusal = {};  // "limits.approvals_per_principal"
  };

  Approvals(boost::asio::any_io_executor io, const Settings& settings, const Clock& clock,
            std::shared_ptr<store::Desk> desk);

  // `fresh` says what is asked; id and times are filled in here. The record when the wait ended:
  // Approved, and then used up by this call; Rejected, Expired or Withdrawn; or Pending.
  // Unavailable: as many requests of its principal as may be are pending.
  // Where the call is cancelled its question is withdrawn. Where nobody listens for its answer any
  // more the wait ends, and the question is there for the same call when it comes again.
  boost::asio::awaitable<Result<store::ApprovalRecord>> settle(tool::Call& call,
                                                               store::ApprovalRecord fresh);
  // The two halves of settle(), for who acts between them. A question that was met is this call's
  // alone until wait() has ended, or until let_go() where it never began.
  // `code`: a one-time code that came along with the call, empty for none. It is used up where a
  // question or a yes is met, and nothing is met where it does not hold (Denied). `judged`, here
  // and below: gets what came of the code; null: nobody wants to know.
  boost::asio::awaitable<Result<store::ApprovalRecord>> meet(store::ApprovalRecord fresh,
                                                             std::string code = {},
                                                             identity::SharedJudgement judged = {});
  boost::asio::awaitable<Result<store::ApprovalRecord>> wait(tool::Call& call,
                                                             store::ApprovalRecord met);
  void let_go(const std::string& id);
  // Why a request with so many bytes of arguments is not made; nothing: it is.
  std::optional<std::string> too_large(std::size_t bytes) const;
  // Takes a question back; who waits for it sees that. What was answered stays so.
  boost::asio::awaitable<Result<void>> withdraw(std::string id);

  // For who answers.
  boost::asio::awaitable<Result<std::vector<store::ApprovalRecord>>> list(bool pending_only,
                                                                          std::uint32_t limit,
                                                                          std::string after);
  boost::asio::awaitable<Result<store::ApprovalRecord>> find(std::string id);
  // See approval::decide().
  boost::asio::awaitable<Result<Decided>> decide(std::string id, store::ApprovalDecision decision,
                                                 std::string code,
                                                 identity::SharedJudgement judged);
  // The call runs without a yes: what was one for it serves no other run.
  boost::asio::awaitable<Result<void>> use_up(store::ApprovalKey key);
  // A code that came along with a call. An error where it does not hold; it is used up where it
  // does.
  boost::asio::awaitable<Result<void>> use_code(std::string principal, std::string code,
                                                identity::SharedJudgement judged);
  // Whether there can be a code at all.
  boost::asio::awaitable<Result<bool>> has_codes(std::string principal);

  boost::asio::awaitable<Result<std::vector<store::RuleRecord>>> rules();
  boost::asio::awaitable<Result<store::RuleRecord>> remove_rule(std::string id);

  // Told after each change, by this process or, while anybody follows, by another. Until dropped.
  using Follower = std::shared_ptr<const std::function<void()>>;
  Follower follow(std::function<void()> on_change);

  // The host stops: no call waits any more, and all questions stand.
  void end_waits();

 private:
  struct Waiter;
  using Taken = std::set<std::string>;

  boost::asio::awaitable<Result<void>> leave_to_twin(std::string id);
  Error no_room(const std::string& principal) const;
  void refused(std::string_view limit) const;
  void wake(const std::string& id);
  void changed();
  bool is_followed();
  void watch_others();
  boost::asio::awaitable<void> watch();

  const boost::asio::any_io_executor io_;
  const Settings settings_;
  const Clock& clock_;
  const std::shared_ptr<store::Desk> desk_;
  // Of questions that a call of this process waits for: another call opens its own. On the store's
  // thread alone.
  const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
  std::set<Waiter*> waiters_;
  std::vector<std::weak_ptr<const std::function<void()>>> followers_;
  boost::asio::steady_timer look_again_;
  bool watching_ = false;
  bool stopping_ = false;
};

}  // namespace host::approval

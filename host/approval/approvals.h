// Handles approval requests. The store contains the approval requests. A reviewer can decide an
// approval request at any time, in this process or in another process. A call waits for the
// reviewer's decision, but only for a time that is shorter than the timeouts of most clients. If
// the client sends the same call again, the second call finds the approval request of the first
// call, or the decision about this request.
//
// Call the functions of this header on the I/O thread.
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

#include "approval/left_requests.h"
#include "approval/verdict.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/desk.h"
#include "store/part/webhook_store.h"
#include "tool/call/call.h"
#include "tool/call/receipt.h"

namespace host::approval {

class Approvals : public std::enable_shared_from_this<Approvals> {
 public:
  struct Settings {
    std::chrono::milliseconds wait{0};         // how long a call waits for a decision
    std::chrono::milliseconds expire{0};       // time until a request or an unused approval expires
    std::chrono::milliseconds sticky{0};       // how long a rejection applies to the same call
    std::uint32_t pending_per_principal = 64;  // the store's limit, for messages
    std::uint32_t most_argument_bytes = 1u << 20u;          // size limit of one request's arguments
    std::function<void(std::string_view)> on_refusal = {};  // "limits.approvals_per_principal"
    // A function that makes the webhook event about a new approval request. The host stores the
    // event in the same transaction as the approval request. The function that makes events can be
    // null.
    std::function<std::optional<store::WebhookEvent>(const store::ApprovalRecord&)> announce = {};
  };

  Approvals(boost::asio::any_io_executor io, const Settings& settings, const Clock& clock,
            std::shared_ptr<store::Desk> desk);

  // A Hold reserves an approval request, pending or approved, for one call. While the Hold exists,
  // no other call of this process can find the approval request. The function spend() marks the
  // approval as used.
  class Hold;
  struct Met {
    store::ApprovalRecord record;
    std::unique_ptr<tool::Receipt> hold;  // null unless the request is Pending or Approved
    // is_needless is true if the call does not need the decision any more, and the host has
    // withdrawn the approval request. is_needless is also true if the call cannot use the request,
    // because a call of a different session sent its one-time code. If is_needless is true, the
    // record is Withdrawn, and must not be used for the call.
    bool is_needless = false;
  };
  // Returns whether a call that waits still needs its approval. The host calls this function often,
  // so the function must return quickly if nothing has changed.
  using StillNeeded = std::function<boost::asio::awaitable<bool>()>;

  // Makes an approval request or finds an existing approval request, and waits for the decision.
  // `fresh` describes the request; settle() fills in the id and the times. Returns the record after
  // the wait, which is Approved, Rejected, Expired, Withdrawn or Pending. The Error Unavailable
  // means that the principal has too many pending requests. If the call is cancelled, settle()
  // withdraws its request. If the call's client disconnects, the wait ends but the request stays,
  // so that a later identical call finds the request.
  boost::asio::awaitable<Result<Met>> settle(tool::Call& call, store::ApprovalRecord fresh);
  // meet() and wait() are the two halves of settle(), for code that must do something between the
  // two halves. `code` is the one-time code that was sent with the call. `code` is empty if the
  // call came without a code. If the code is not valid, meet() returns the Error Denied, and
  // neither makes nor finds a request. If the code is valid, meet() uses up the code together with
  // the request or approval that meet() made or found. If the request was rejected or already has a
  // valid code, meet() does not check the code. In all functions of this class, `judged` receives
  // the result of the check of the one-time code. `judged` can be null.
  boost::asio::awaitable<Result<Met>> meet(store::ApprovalRecord fresh, std::string code = {},
                                           identity::SharedJudgement judged = {});
  // `still_needed` can be null.
  boost::asio::awaitable<Result<Met>> wait(tool::Call& call, Met met,
                                           StillNeeded still_needed = nullptr);
  // Call judge_again() when rules have changed. Each call that waits for an approval checks again
  // whether it still needs the approval.
  void judge_again();
  // Each call of one session that waits for an approval checks again whether it still needs the
  // approval. Call judge_session_again() when a change of the session's settings can decide about a
  // call.
  void judge_session_again(std::string_view session);
  // Returns the reason why the host refuses an approval request whose arguments have `bytes` bytes:
  // the end of a sentence about the call. Returns nullopt if the host accepts approval requests of
  // this size.
  std::optional<std::string> too_large(std::size_t bytes) const;
  // Withdraws a pending approval request, and wakes the call that waits for the request. The
  // function withdraw() does not change a decided request.
  boost::asio::awaitable<Result<void>> withdraw(std::string id);

  // The host calls list(), find() and decide() for reviewers.
  boost::asio::awaitable<Result<std::vector<store::ApprovalRecord>>> list(bool pending_only,
                                                                          std::uint32_t limit,
                                                                          std::string after);
  boost::asio::awaitable<Result<store::ApprovalRecord>> find(std::string id);
  // Stores a reviewer's decision about an approval request, see approval::decide().
  boost::asio::awaitable<Result<Decided>> decide(std::string id, store::ApprovalDecision decision,
                                                 std::string code,
                                                 identity::SharedJudgement judged);
  // LeftRequests::has() and LeftRequests::may_have(), at the current time.
  bool has_left(const store::ApprovalKey& key, const std::string& session) const {
    return !left_.empty() && left_.has(key, session, clock_.wall());
  }
  bool may_have_left(const tool::Call& call, const tool::Tool& tool) const {
    return !left_.empty() && left_.may_have(call, tool, clock_.wall());
  }
  struct UsedUp {
    std::vector<std::string> ids;          // of the used approvals
    std::vector<LeftRequests::Left> left;  // what use_up() took from the LeftRequests
  };
  // Uses up the approvals of a call that a rule allows, so that the approvals allow no other run,
  // and withdraws the call's pending requests. After an Error, nothing has changed.
  boost::asio::awaitable<Result<UsedUp>> use_up(store::ApprovalKey key);
  // Makes approvals usable again, because their call did not run.
  boost::asio::awaitable<void> give_back(UsedUp used);
  // Checks a one-time code that was sent with a call. The function use_code() uses up a valid code.
  // Returns an Error if the code is not valid.
  boost::asio::awaitable<Result<void>> use_code(std::string principal, std::string code,
                                                identity::SharedJudgement judged);
  // Makes a one-time code usable again, because its call did not run.
  boost::asio::awaitable<void> give_code_back(std::string principal, identity::UsedCode used);
  // Returns true if the principal is enrolled for one-time codes.
  boost::asio::awaitable<Result<bool>> has_codes(std::string principal);

  boost::asio::awaitable<Result<std::vector<store::RuleRecord>>> rules();
  boost::asio::awaitable<Result<store::RuleRecord>> remove_rule(std::string id);

  // The host calls `on_change` after each change that this process makes, until the returned
  // pointer is released. The host notices changes by other processes only while a pointer from
  // follow() exists.
  using Follower = std::shared_ptr<const std::function<void()>>;
  Follower follow(std::function<void()> on_change);

  // Ends the waits of all calls, because the host stops. The approval requests of the waiting calls
  // stay pending.
  void end_waits();

 private:
  struct Waiter;
  using Taken = std::set<std::string>;

  boost::asio::awaitable<Result<store::ApprovalRecord>> look(std::string id);
  boost::asio::awaitable<Result<void>> leave_to_twin(std::string id);
  void let_go(const std::string& id);
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
  // The ids of approval requests that are reserved for a call of this process. An identical call
  // does not find a reserved approval request, and makes a new one. Only the store's thread uses
  // `taken_`.
  const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
  std::set<Waiter*> waiters_;
  LeftRequests left_;
  std::vector<std::weak_ptr<const std::function<void()>>> followers_;
  boost::asio::steady_timer look_again_;
  bool watching_ = false;
  // rules_are_unread_ is true if the host could not read the stored rules, and must try again
  // later.
  bool rules_are_unread_ = false;
  bool stopping_ = false;
};

}  // namespace host::approval

// Approval requests. They are kept in the store, and a reviewer can decide them at any time, in
// this process or in another one. A call waits for the decision for a limited time, shorter than
// the timeouts of most clients. If the client makes the same call again, the call finds the same
// request, or its decision.
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
#include "store/part/webhook_store.h"
#include "tool/call/call.h"
#include "tool/call/receipt.h"

namespace host::approval {

class Approvals : public std::enable_shared_from_this<Approvals> {
 public:
  struct Settings {
    std::chrono::milliseconds wait{0};         // how long a call waits for the decision
    std::chrono::milliseconds expire{0};       // until a request, or an unused approval, expires
    std::chrono::milliseconds sticky{0};       // how long a rejection applies to the same call
    std::uint32_t pending_per_principal = 64;  // the store's limit, for messages
    std::uint32_t most_argument_bytes = 1u << 20u;          // of one request
    std::function<void(std::string_view)> on_refusal = {};  // "limits.approvals_per_principal"
    // Makes the event that webhooks are told with a new request; it is stored in the same
    // transaction. May be null.
    std::function<std::optional<store::WebhookEvent>(const store::ApprovalRecord&)> announce = {};
  };

  Approvals(boost::asio::any_io_executor io, const Settings& settings, const Clock& clock,
            std::shared_ptr<store::Desk> desk);

  // Reserves a request or an approval for one call. While the Hold exists, no other call of this
  // process can find the request. spend() uses the approval up.
  class Hold;
  struct Met {
    store::ApprovalRecord record;
    std::unique_ptr<tool::Receipt> hold;  // null unless it is Pending or Approved
    // The call does not need the decision any more, and its request is withdrawn.
    bool is_needless = false;
  };
  // Whether a call that waits still needs its approval. Called often, and quick if nothing changed.
  using StillNeeded = std::function<boost::asio::awaitable<bool>()>;

  // Makes or finds the request and waits for its decision. `fresh` describes the request; its id
  // and times are filled in here. Returns the record at the end of the wait: Approved, Rejected,
  // Expired, Withdrawn or Pending. Unavailable: the principal has too many pending requests. If the
  // call is cancelled, its request is withdrawn. If its client disconnects, the wait ends but the
  // request stays, and the same call finds it later.
  boost::asio::awaitable<Result<Met>> settle(tool::Call& call, store::ApprovalRecord fresh);
  // The two halves of settle(), for code that has to act between them. `code`: the one-time code
  // that was sent with the call; empty: none. If the code is not valid, the result is Denied and no
  // request is made or found. Otherwise the code is used up together with the request or approval
  // that was found. `judged`, here and below: receives the result of the code's check; may be null.
  boost::asio::awaitable<Result<Met>> meet(store::ApprovalRecord fresh, std::string code = {},
                                           identity::SharedJudgement judged = {});
  // `still_needed`: may be null.
  boost::asio::awaitable<Result<Met>> wait(tool::Call& call, Met met,
                                           StillNeeded still_needed = nullptr);
  // Rules or sessions have changed. Each call that waits asks whether it still needs its approval.
  void judge_again();
  // The reason why a request with this many bytes of arguments is refused; nullopt: it is not.
  std::optional<std::string> too_large(std::size_t bytes) const;
  // Withdraws a pending request, and wakes the call that waits for it. A decided request does not
  // change.
  boost::asio::awaitable<Result<void>> withdraw(std::string id);

  // Functions for reviewers.
  boost::asio::awaitable<Result<std::vector<store::ApprovalRecord>>> list(bool pending_only,
                                                                          std::uint32_t limit,
                                                                          std::string after);
  boost::asio::awaitable<Result<store::ApprovalRecord>> find(std::string id);
  // See approval::decide().
  boost::asio::awaitable<Result<Decided>> decide(std::string id, store::ApprovalDecision decision,
                                                 std::string code,
                                                 identity::SharedJudgement judged);
  // The call runs without an approval. Uses up the approvals that exist for this call, so that they
  // allow no other run. Returns their ids.
  boost::asio::awaitable<Result<std::vector<std::string>>> use_up(store::ApprovalKey key);
  // The call did not run: these approvals can be used again.
  boost::asio::awaitable<void> give_back(std::vector<std::string> ids);
  // Checks a code that was sent with a call. A valid code is used up. An Error: the code is not
  // valid.
  boost::asio::awaitable<Result<void>> use_code(std::string principal, std::string code,
                                                identity::SharedJudgement judged);
  // The call did not run: its code can be used again.
  boost::asio::awaitable<void> give_code_back(std::string principal, identity::UsedCode used);
  // True if the principal has one-time codes.
  boost::asio::awaitable<Result<bool>> has_codes(std::string principal);

  boost::asio::awaitable<Result<std::vector<store::RuleRecord>>> rules();
  boost::asio::awaitable<Result<store::RuleRecord>> remove_rule(std::string id);

  // A follower is called after each change by this process, until its pointer is released. Changes
  // by other processes are noticed only while at least one follower exists.
  using Follower = std::shared_ptr<const std::function<void()>>;
  Follower follow(std::function<void()> on_change);

  // The host stops: calls stop waiting, and their requests stay pending.
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
  // Ids of requests and approvals that are reserved for a call of this process. A second identical
  // call makes a new request. Used only on the store's thread.
  const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
  std::set<Waiter*> waiters_;
  std::vector<std::weak_ptr<const std::function<void()>>> followers_;
  boost::asio::steady_timer look_again_;
  bool watching_ = false;
  bool stopping_ = false;
};

}  // namespace host::approval

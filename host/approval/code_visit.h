// Sends a client's user to the console, where the user enters the one-time code for which a call
// waits. Call the functions of this header on the I/O thread.
#pragma once

#include <optional>
#include <string>

#include "approval/approvals.h"
#include "base/result.h"
#include "protocol/elicitation.h"
#include "tool/call/call.h"

namespace host::approval {

// If the client answers "accept", its user has only agreed to open the console. If the client
// answers "decline", the host withdraws the approval request.
class CodeVisit final : public tool::Visit {
 public:
  using Act = protocol::ElicitAnswer::Act;

  // `page` is the URL at which people open the console, without a slash at the end.
  // `still_needed` returns whether the waiting call still needs its approval, and can be null.
  CodeVisit(Approvals& people, tool::Call& call, Approvals::Met met, const std::string& page,
            Approvals::StillNeeded still_needed);

  const tool::Question& question() const override { return question_; }
  boost::asio::awaitable<bool> wait() override;
  boost::asio::awaitable<void> answered(const std::string& answer) override;

  // Returns the record of the approval request after the wait. Call take_met() after wait().
  Result<Approvals::Met> take_met() { return std::move(met_); }
  // Returns what the client answered if its user declined to enter a code. Returns nullopt if the
  // client did not decline, or if a reviewer had already decided.
  std::optional<Act> refusal() const;

 private:
  Approvals& people_;
  tool::Call& call_;
  const Approvals::StillNeeded still_needed_;
  const std::string id_;
  const tool::Question question_;
  Result<Approvals::Met> met_;
  std::optional<Act> refusal_;
};

}  // namespace host::approval

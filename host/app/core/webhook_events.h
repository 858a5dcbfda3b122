// Makes the events that webhooks tell of: where in the host each of them arises. Those of records
// and of approvals are stored in the transaction of what they tell of; those of calls whose client
// waits are stored before the answer leaves. I/O thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/sessions.h"
#include "store/part/approval_store.h"
#include "store/part/webhook_store.h"
#include "tool/call/end_watcher.h"
#include "tool/call/record.h"
#include "webhook/webhooks.h"

namespace host::app {

class WebhookEvents final : public tool::EndWatcher {
 public:
  // `webhooks` null: nothing is stored, and there are none. References outlive it.
  WebhookEvents(std::shared_ptr<webhook::Webhooks> webhooks,
                const std::shared_ptr<session::Sessions>& sessions)
      : webhooks_(std::move(webhooks)), sessions_(sessions) {}

  // Calls without a record. A record tells of its own end.
  std::optional<Names> begins(const tool::Call& call) const override;
  boost::asio::awaitable<void> ended(const tool::Call& call, const Result<tool::CallResult>& result,
                                     Names names) override;

  // Adds the webhooks of its session to a record that is made. The session may end before it.
  void add_webhooks(tool::Record& record) const;
  // The caller queues it in the same turn, with the transition or the approval request.
  std::optional<store::WebhookEvent> of_transition(const tool::Record& record,
                                                   const tool::Transition& transition);
  std::optional<store::WebhookEvent> of_approval(const store::ApprovalRecord& approval);

  void quarantined(const std::string& plugin, const std::string& reason);
  void held(const std::string& upstream, const std::vector<std::string>& tools);

 private:
  std::vector<std::string> named_by(const std::string& session) const;

  const std::shared_ptr<webhook::Webhooks> webhooks_;
  const std::shared_ptr<session::Sessions>& sessions_;
};

}  // namespace host::app

// Makes the events that the host sends to webhooks. The events are about calls, approval requests,
// quarantined plugins, and tools of upstreams whose definitions wait for the operator. The host
// stores an event about a record or an approval in the same transaction as the change that the
// event reports. If a client waits for a call, the host stores the event of the call before the
// client gets the response. Call the functions of this header on the I/O thread.
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
  // `webhooks` is null if there is no store, and so no webhook. Objects that are passed by
  // reference must outlive the WebhookEvents.
  WebhookEvents(std::shared_ptr<webhook::Webhooks> webhooks,
                const std::shared_ptr<session::Sessions>& sessions)
      : webhooks_(std::move(webhooks)), sessions_(sessions) {}

  // begins() and ended() report calls that have no record in the store. If a call has a record in
  // the store, of_transition() reports the end of the call.
  std::optional<Names> begins(const tool::Call& call) const override;
  boost::asio::awaitable<void> ended(const tool::Call& call, const Result<tool::CallResult>& result,
                                     Names names) override;

  // Adds the webhooks of the session to a new record of a call, because the session can end before
  // the call.
  void add_webhooks(tool::Record& record) const;
  // of_transition() and of_approval() make an event. Queue the event immediately, without a
  // co_await, in the database transaction that stores the transition or the approval request.
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

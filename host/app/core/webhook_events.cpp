#include "app/core/webhook_events.h"

#include <utility>

#include "json/object_text.h"
#include "tool/call/call.h"
#include "tool/call/outcome.h"

namespace host::app {
namespace {

using boost::asio::awaitable;
using webhook::Type;

// By its outcome, the call has not ended: its client calls again to go on with it.
bool goes_on(std::string_view outcome) {
  return outcome == "pending" || outcome == "asked";
}

void add_if(std::string& out, std::string_view key, std::string_view text) {
  if (!text.empty()) webhook::add_text(out, key, text);
}

// It is a detached call or has become a task: the end of its record is told.
bool is_told_by_record(const tool::Call& call) {
  return call.recorder || call.outlives;
}

// Who called.
void add_caller(std::string& out, const std::string& principal, const std::string& agent,
                const std::string& session) {
  webhook::add_text(out, "principal", principal);
  add_if(out, "agent", agent);
  add_if(out, "session", session);
}

std::string data_of(const tool::Call& call, const Result<tool::CallResult>& result) {
  const tool::Peer& who = call.passport->who;
  const bool is_error = !result || result->is_error || !result->lacking.empty();
  std::string out = "{";
  webhook::add_text(out, "call", call.passport->call);
  webhook::add_text(out, "tool", call.name);
  add_caller(out, who.principal, who.agent, who.session);
  webhook::add_text(out, "state", is_error ? "ERROR" : "COMPLETE");
  if (is_error) webhook::add_text(out, "code", tool::outcome_of(call, result));
  return out + "}";
}

std::string data_of(const tool::Record& record, bool has_ended) {
  std::string out = "{";
  webhook::add_text(out, "call", record.id);
  webhook::add_text(out, "tool", record.tool);
  add_caller(out, record.principal, record.agent, record.session);
  add_if(out, "tool_use_id", record.tool_use_id);
  if (has_ended) webhook::add_text(out, "state", tool::to_string(record.state));
  if (has_ended) add_if(out, "code", record.code);
  return out + "}";
}

}  // namespace

std::vector<std::string> WebhookEvents::named_by(const std::string& session) const {
  const auto found = session.empty() ? nullptr : sessions_->find(session);
  return found && found->settings.webhooks ? *found->settings.webhooks : std::vector<std::string>();
}

std::optional<tool::EndWatcher::Names> WebhookEvents::begins(const tool::Call& call) const {
  if (!webhooks_ || !webhooks_->has_any()) return std::nullopt;
  if (call.recorder || call.function != tool::Function::Call) return std::nullopt;
  if (call.passport->origin != tool::Origin::Peer) return std::nullopt;
  return named_by(call.passport->who.session);
}

awaitable<void> WebhookEvents::ended(const tool::Call& call, const Result<tool::CallResult>& result,
                                     Names names) {
  const tool::Peer& who = call.passport->who;
  if (is_told_by_record(call) || goes_on(tool::outcome_of(call, result))) co_return;
  webhook::Webhooks::About about{who.principal, who.agent, std::move(names), {}};
  if (!webhooks_->wants(Type::CallFinished, about)) co_return;
  about.data = data_of(call, result);
  co_await webhooks_->queue(Type::CallFinished, std::move(about));
}

void WebhookEvents::add_webhooks(tool::Record& record) const {
  if (!webhooks_ || !webhooks_->has_any()) return;
  for (std::string& id : named_by(record.session)) record.webhooks.push_back(std::move(id));
}

std::optional<store::WebhookEvent> WebhookEvents::of_transition(
    const tool::Record& record, const tool::Transition& transition) {
  const bool has_ended =
      transition.to == tool::RecordState::Complete || transition.to == tool::RecordState::Error;
  const bool waits =
      transition.to == tool::RecordState::Pending && transition.why == tool::kWaitsForCaller;
  if (!webhooks_ || (!has_ended && !waits)) return std::nullopt;
  return webhooks_->make(
      has_ended ? Type::CallFinished : Type::ExternalExecutionRequired,
      {record.principal, record.agent, record.webhooks, data_of(record, has_ended)});
}

std::optional<store::WebhookEvent> WebhookEvents::of_approval(
    const store::ApprovalRecord& approval) {
  if (!webhooks_) return std::nullopt;
  std::string data = "{";
  webhook::add_text(data, "approval", approval.id);
  webhook::add_text(data, "tool", approval.key.tool);
  add_caller(data, approval.key.principal, approval.key.agent, approval.session);
  webhook::add_text(data, "kind", approval.is_question ? "question" : "approval");
  json::add_bool(data, "needs_code", approval.needs_code);
  webhook::add_text(data, "expires", to_rfc3339(approval.expires));
  return webhooks_->make(Type::ApprovalAsked, {approval.key.principal, approval.key.agent,
                                               named_by(approval.session), data + "}"});
}

void WebhookEvents::quarantined(const std::string& plugin, const std::string& reason) {
  if (!webhooks_) return;
  std::string data = "{";
  webhook::add_text(data, "plugin", plugin);
  webhook::add_text(data, "reason", reason);
  webhooks_->tell(Type::PluginQuarantined, {{}, {}, {}, data + "}"});
}

void WebhookEvents::held(const std::string& upstream, const std::vector<std::string>& tools) {
  if (!webhooks_) return;
  std::string data = "{";
  webhook::add_text(data, "upstream", upstream);
  std::vector<std::string> names;
  for (const std::string& tool : tools) names.push_back(webhook::shortened(tool));
  json::add_member(data, "tools", json::list_of(names));
  webhooks_->tell(Type::DefinitionHeld, {{}, {}, {}, data + "}"});
}

}  // namespace host::app

// The notifications that a connection gets from its upstream.
#include "protocol/notifications.h"
#include "protocol/foreign_questions.h"

#include <string>
#include <utility>

#include "upstream/connection/connection.h"

namespace host::upstream {

void Connection::take_notification(const protocol::Message& message, const protocol::Id& request) {
  pace_.count();
  static const json::Value kNone(rapidjson::kObjectType);
  const json::Value& params = message.params ? *message.params : kNone;
  const auto changed = [this](ListKind kind) {
    if (events_.on_list_changed) events_.on_list_changed(kind);
  };
  if (message.method == "notifications/progress") {
    auto progress = protocol::read_progress(params);
    const std::string_view task = protocol::related_task(&params);
    Request* of = nullptr;
    if (progress) of = task.empty() ? requests_.find(progress->token) : requests_.find_task(task);
    if (!of || !of->on_progress) return;
    progress->message = settings_.secrets->hide(progress->message);
    of->on_progress(*progress);
  } else if (message.method == "notifications/message") {
    take_log(params, request);
  } else if (message.method == "notifications/tasks/status") {
    const auto task = protocol::read_task(params);
    Request* const of = task ? requests_.find_task(task->id) : nullptr;
    if (of && of->on_task) of->on_task(*task);
  } else if (message.method == "notifications/elicitation/complete") {
    elicitations_.complete(protocol::read_elicitation_complete(params));
  } else if (message.method == "notifications/tools/list_changed") {
    changed(ListKind::Tools);
  } else if (message.method == "notifications/resources/list_changed") {
    changes_.forget_refused();
    changed(ListKind::Resources);
  } else if (message.method == "notifications/prompts/list_changed") {
    changed(ListKind::Prompts);
  } else if (message.method == "notifications/subscriptions/acknowledged") {
    changes_.acknowledged(request.empty() ? protocol::read_subscription(params) : request);
  } else if (message.method == "notifications/resources/updated") {
    const std::string uri = protocol::read_updated(params);
    if (changes_.follows(uri) && events_.on_resource_updated) events_.on_resource_updated(uri);
  }
}

// Before 2026-07-28 a log message does not say which call it belongs to. Over stdio it is passed to
// a caller only if it can belong to no call of another log_reader.
void Connection::take_log(const json::Value& params, const protocol::Id& request) {
  auto line = protocol::read_log(params);
  if (!line) return;
  line->message = settings_.secrets->hide(line->message);
  line->logger = settings_.secrets->hide(line->logger);
  if (!line->fields.empty()) line->fields = settings_.secrets->hide_json(line->fields);
  if (!line->fields.starts_with('{')) line->message += std::exchange(line->fields, {});
  Request* of = requests_.find_task(protocol::related_task(&params));
  if (!of) of = request.empty() ? requests_.only("tools/call") : requests_.find(request);
  if (of && of->on_log) return of->on_log(*line);
  if (events_.on_log) events_.on_log(*line);
}

}  // namespace host::upstream

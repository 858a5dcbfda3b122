#include "protocol/notifications.h"

#include <charconv>

#include "json/json.h"
#include "protocol/log_level.h"
#include "protocol/mcp.h"

namespace host::protocol {
namespace {

constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

void append_number(double value, std::string& out) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

void append_subscription(const Id& subscription, std::string& out) {
  if (subscription.empty()) return;
  append_key("_meta", out);
  out += '{';
  append_key(kSubscriptionKey, out);
  out += subscription;
  out += '}';
}

}  // namespace

std::string progress_notification(const Id& token, double done, double total,
                                  std::string_view message, Version version) {
  std::string out =
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token;
  append_key("progress", out);
  append_number(done, out);
  if (total > 0) {
    append_key("total", out);
    append_number(total, out);
  }
  if (!message.empty() && features(version).progress_message) {
    append_string("message", message, out);
  }
  out += "}}";
  return out;
}

std::string log_notification(int level, std::string_view logger, std::string_view message,
                             std::string_view fields) {
  std::string out = R"({"jsonrpc":"2.0","method":"notifications/message","params":{)";
  append_string("level", log_level_name(level), out);
  if (!logger.empty()) append_string("logger", logger, out);
  if (fields.empty()) {
    append_string("data", message, out);
    return out + "}}";
  }
  append_key("data", out);
  if (message.empty()) return out.append(fields) + "}}";
  out += '{';
  append_string("message", message, out);
  append_key("fields", out);
  out += fields;
  return out + "}}}";
}

std::string list_changed_notification(std::string_view list, const Id& subscription) {
  std::string out = R"({"jsonrpc":"2.0","method":"notifications/)";
  out += list;
  out += R"(/list_changed")";
  if (!subscription.empty()) {
    out += R"(,"params":{)";
    append_subscription(subscription, out);
    out += '}';
  }
  return out + '}';
}

std::string resource_updated_notification(std::string_view uri, const Id& subscription) {
  std::string out = R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{)";
  append_string("uri", uri, out);
  append_subscription(subscription, out);
  return out + "}}";
}

std::string task_notification(std::string_view task, const Id& subscription) {
  std::string out = R"({"jsonrpc":"2.0","method":"notifications/tasks","params":{)";
  out += task;
  append_subscription(subscription, out);
  return out + "}}";
}

std::string acknowledged_notification(const Id& subscription, const Honoured& honoured) {
  std::string wanted = "{";
  const auto add = [&](bool is, std::string_view key) {
    if (!is) return;
    append_key(key, wanted);
    wanted += "true";
  };
  add(honoured.tools, "toolsListChanged");
  add(honoured.prompts, "promptsListChanged");
  add(honoured.resources, "resourcesListChanged");
  const auto name = [&](std::string_view key, const std::vector<std::string_view>& all) {
    if (all.empty()) return;
    append_key(key, wanted);
    wanted += '[';
    for (const std::string_view one : all) {
      if (wanted.back() != '[') wanted += ',';
      json::write_string(one, wanted);
    }
    wanted += ']';
  };
  name("resourceSubscriptions", honoured.uris);
  name("taskIds", honoured.tasks);
  std::string out =
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{)";
  append_key("notifications", out);
  out += wanted + '}';
  append_subscription(subscription, out);
  return out + "}}";
}

std::string listen_end_answer(const Id& id) {
  std::string out;
  begin_result(id, out);
  out += '{';
  out += kComplete;
  append_subscription(id, out);
  out += "}}";
  return out;
}

std::string elicitation_complete_notification(std::string_view elicitation) {
  std::string out = R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{)";
  append_string("elicitationId", elicitation, out);
  return out + "}}";
}

std::string cancelled_notification(const Id& request, std::string_view reason) {
  std::string out =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + request;
  append_string("reason", reason, out);
  out += "}}";
  return out;
}

}  // namespace host::protocol

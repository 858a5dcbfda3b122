// Writes MCP's notifications as text. `subscription` is the id of the listen request to which the
// notification belongs, or empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_rpc.h"
#include "protocol/versions.h"

namespace host::protocol {

std::string progress_notification(const Id& token, double done, double total,
                                  std::string_view message, Version version);
// `fields` is the text of a JSON object with further fields, or empty.
std::string log_notification(int level, std::string_view logger, std::string_view message,
                             std::string_view fields);

// `list` is "tools", "resources" or "prompts".
std::string list_changed_notification(std::string_view list, const Id& subscription);
std::string resource_updated_notification(std::string_view uri, const Id& subscription);

// Returns a notification of the tasks extension. `task` is the JSON text that task_members()
// returns.
std::string task_notification(std::string_view task, const Id& subscription);

// The struct Honoured contains the notifications that a listen request has subscribed to.
struct Honoured {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::vector<std::string_view> uris;
  std::vector<std::string_view> tasks;  // ids of tasks
};
std::string acknowledged_notification(const Id& subscription, const Honoured& honoured);
std::string listen_end_answer(const Id& id);
// Returns a notification for the client. The notification says that the client's user has finished
// a URL elicitation. Use elicitation_complete_notification() only for versions of MCP in which
// elicitations have ids.
std::string elicitation_complete_notification(std::string_view elicitation);
std::string cancelled_notification(const Id& request, std::string_view reason);

}  // namespace host::protocol

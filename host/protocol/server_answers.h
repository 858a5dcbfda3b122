// Reads the messages of an upstream server, for the host as an MCP client. The messages are
// untrusted. The functions of this header check the form of each message. The caller of the
// functions checks the meaning of each message.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "protocol/foreign_tasks.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/function.h"
#include "tool/call/result.h"

namespace host::protocol {

// A ServerSelf contains the data that a server reports about itself. The texts of a ServerSelf are
// shown to users, so they have one line and no invisible characters.
struct ServerSelf {
  Version version = kLatestLegacy;
  std::string name;
  std::string title;
  std::string release;  // the server's own version
  std::string instructions;
  bool tools = false;
  bool tools_change = false;  // true: the server sends notifications when its list of tools changes
  bool resources = false;
  bool resources_change = false;
  bool resources_subscribe = false;
  bool prompts = false;
  bool prompts_change = false;
  bool completions = false;
  bool logging = false;
  bool tasks = false;         // true: calls of tools can be tasks
  bool tasks_cancel = false;  // true: the host can cancel a task
};

// Reads the response to initialize. The Error Unavailable means that the host does not support the
// server's protocol version.
Result<ServerSelf> read_initialized(const json::Value& result);
// Reads the response to server/discover. The Error Unavailable means that the host does not support
// the server's protocol versions. The Error InvalidArgument means that the response is not valid.
Result<ServerSelf> read_discovered(const json::Value& result);
// Returns true if an error from server/discover shows that the server knows this method. If
// is_modern_error() is true, server and host have no protocol version in common.
bool is_modern_error(const json::Value& error);

// A ListPage is one page of a list that an upstream server returned. `list` is the name of the
// member that contains the entries. `entries` contains pointers into `result`.
struct ListPage {
  std::vector<const json::Value*> entries;
  std::optional<std::string> cursor;  // unset: the page is the last page
  // `ttl` is the time for which the list stays valid, as the server states it; unset: the server
  // states no time.
  std::optional<std::chrono::milliseconds> ttl;
};
Result<ListPage> read_list_page(const json::Value& result, std::string_view list);

// Returns the members of `_meta` in a result or a definition that the host passes on to its
// clients, as JSON members without braces. The text omits members that MCP reserves, because they
// are about the connection to the server. The text also omits members that only this host writes
// (tool/definition/host_meta.h).
std::string passed_on_meta(const json::Value& holder);

// A ForeignTool is a tool as an upstream server declares it. Schemas and other members with JSON
// contain the server's text unchanged.
struct ForeignTool {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;
  std::string output_schema;  // empty: none
  std::string icons;          // empty: none
  std::string meta;           // see passed_on_meta()
  bool read_only = false;     // the server's annotations, from here to `open_world`
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
  TaskSupport tasks = TaskSupport::Forbidden;
};
Result<ForeignTool> read_tool(const json::Value& tool);

// Reads the questions in a result of the kind `input_required`, and in a task that waits for
// answers (protocol version 2026-07-28).
Result<tool::Round> read_round(const json::Value& result);

// Reads the result of tools/call. The content blocks of the result must be of kinds that MCP
// defines. A block with the URI of a skill of this host is not valid.
Result<tool::CallResult> read_call_result(const json::Value& result);

// Reads the result of resources/read, prompts/get or completion/complete, in the form that
// tool/definition/offer.h describes. read_offer_result() does not check the content, but refuses a
// URI of a skill of this host.
Result<tool::CallResult> read_offer_result(tool::Function function, const json::Value& result);

// The maximum size of the `data` of an error that the host passes on. Longer data are dropped.
inline constexpr std::size_t kMostErrorDataBytes = 16u << 10u;

// A ForeignError contains the code and message of an error, for a log or a model. `data` is the
// JSON text of the error's data, and empty if there are none or if they are too long. If the server
// refused because the client lacks capabilities for questions, `required` contains the lacking
// capabilities.
struct ForeignError {
  int code = 0;
  std::string message;
  tool::Abilities required = {};
  std::string data = {};
};
ForeignError read_error(const json::Value& error);

struct ForeignProgress {
  Id token;
  double done = 0;
  double total = 0;  // 0: unknown
  std::string message;
};
std::optional<ForeignProgress> read_progress(const json::Value& params);

struct ForeignLog {
  int level = 0;
  std::string logger;
  std::string message;  // plain text, or JSON text; empty if `fields` is set
  std::string fields;   // JSON object text; empty if the data of the message is not an object
};
std::optional<ForeignLog> read_log(const json::Value& params);

// Returns the id of the request subscriptions/listen to which a notification belongs. The id is
// empty if the notification names no request.
Id read_subscription(const json::Value& params);

// Returns the URI in the notification notifications/resources/updated. Returns an empty text if the
// notification has no URI.
std::string read_updated(const json::Value& params);

}  // namespace host::protocol

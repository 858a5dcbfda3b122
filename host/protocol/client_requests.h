// Writes the messages that the host, as an MCP client, sends to an upstream server. The form of the
// messages depends on the protocol version. server_answers.h reads the upstream's responses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/trace.h"
#include "tool/definition/question.h"

namespace host::protocol {

// A Sender contains the data about the host, which each request contains. A RequestMeta contains
// the options of one request.
struct Sender {
  std::string info;          // the host's Implementation, a JSON object
  std::string capabilities;  // the host's capabilities as a client, a JSON object
};
struct RequestMeta {
  Version version = kLatestLegacy;
  Id progress_token;   // empty: the host requests no progress
  int log_level = -1;  // only for 2026-07-28; -1: the host requests no log messages
  tool::Trace trace;
};

// Writes the host's capabilities as a client of an upstream. `abilities` are the kinds of questions
// that the host can pass on to its own clients. If `tasks` is true and the protocol version has
// extensions, the host declares the extension for tasks.
std::string client_capabilities(const tool::Abilities& abilities, Version version,
                                bool tasks = false);

std::string initialize_request(const Id& id, Version version, const Sender& sender);
std::string initialized_notification();
std::string discover_request(const Id& id, const Sender& sender);

// Returns the JSON text of a request to an upstream server. `members` is the JSON text of `params`
// without the outer braces. `members` can be empty.
std::string client_request(const Id& id, std::string_view method, std::string_view members,
                           const RequestMeta& meta, const Sender& sender);

// The following functions return texts for the argument `members` of client_request().
std::string cursor_member(std::string_view cursor);  // empty `cursor`: the first page
std::string call_members(std::string_view tool, std::string_view arguments,
                         const tool::Continuation& resumed);
std::string uri_member(std::string_view uri);
// Returns `members` for resources/read.
std::string read_members(std::string_view uri, const tool::Continuation& resumed);
// Returns `members` for prompts/get. `arguments` is a JSON object.
std::string prompt_members(std::string_view name, const json::Value& arguments,
                           const tool::Continuation& resumed);
// Returns `members` for completion/complete. `name` is the prompt's name, which replaces the name
// in `request`. completion_members() ignores `name` for a resource. `request` is an object with the
// members `ref`, `argument` and optionally `context`.
std::string completion_members(std::string_view name, const json::Value& request);
std::string level_member(int level);
// Returns the `members` of a listen request for changes of the resources `uris`. If `uris` is
// empty, the request is for changes of all lists.
std::string listen_members(const std::vector<std::string>& uris);

// Returns the response to a request that the upstream sent. `result` is a JSON object.
std::string client_answer(const Id& id, std::string_view result);

}  // namespace host::protocol

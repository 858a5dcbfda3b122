// Writes MCP's responses about tools and sessions, as text for each protocol version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/result.h"
#include "tool/definition/tool.h"

namespace host::protocol {

// The host's serverInfo.
struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
};

// Writes `{"name":...}`, with the title if the protocol version has titles.
std::string server_info(const ServerInfo& info, Version version);

// Appends one entry of tools/list. `structured` says which output schemas clients can read.
void append_tool(const tool::Tool& tool, Version version, Structured structured, std::string& out);

// Writes the complete response to a list method. `list` is the name of the member with the entries.
// `entries` are joined by commas. An empty cursor means that this page is the last page.
std::string list_answer(const Id& id, std::string_view list, std::string_view entries,
                        std::string_view next_cursor, Version version, std::string_view info);

// Writes a complete response whose result has one member, a JSON value.
std::string member_answer(const Id& id, std::string_view name, std::string_view value,
                          Version version, std::string_view info);

// Writes the complete response to tools/call. `info` is the server_info() for the protocol version.
// `structured` says which kinds of structuredContent the client accepts.
std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info, Structured structured);
std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info);
// Writes the complete response to tools/call if the response contains questions to the client
// (protocol version 2026-07-28, input_required).
std::string round_answer(const Id& id, const tool::Round& round, std::string_view state,
                         std::string_view info);

// Appends the value of inputRequests: an object {key: request} with a member for each question.
void append_questions(const std::vector<tool::Question>& questions, std::string& out);

// Returns the host's capabilities that exist in this protocol version, as a JSON object.
std::string capabilities(Version version);

std::string initialize_answer(const Id& id, Version version, std::string_view info,
                              std::string_view instructions);
std::string discover_answer(const Id& id, std::string_view info, std::string_view instructions);
// Writes a response with the result `{}`, for protocol versions in which results have no data about
// the host.
std::string empty_answer(const Id& id);

// Every result of the stateless protocol version must contain the member kComplete.
inline constexpr std::string_view kComplete = R"("resultType":"complete")";
// Because of kNoCaching, clients treat a result as immediately stale: lists and contents can change
// at any time. Clients must not share a result between principals, because principals can see
// different lists.
inline constexpr std::string_view kNoCaching = R"("ttlMs":0,"cacheScope":"private")";

// Appends `,"_meta":{...}` to a result. `more` is the JSON text of further members of `_meta`. In
// the stateless protocol version, `_meta` also has `info`, the server_info() of the host.
void append_meta(std::string_view info, std::string_view more, Version version, std::string& out);

}  // namespace host::protocol

// MCP's answers for tools and sessions, as text for each protocol version.
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

// `{"name":...}`, with the title if the version has titles.
std::string server_info(const ServerInfo& info, Version version);

// One entry of tools/list.
void append_tool(const tool::Tool& tool, Version version, std::string& out);

// The complete answer to a list method. `list` is the name of its member. `entries` are joined by
// commas. An empty cursor means the end.
std::string list_answer(const Id& id, std::string_view list, std::string_view entries,
                        std::string_view next_cursor, Version version, std::string_view info);

// A complete answer with one member, a JSON value.
std::string member_answer(const Id& id, std::string_view name, std::string_view value,
                          Version version, std::string_view info);

// The complete answer to tools/call. `info`: server_info() of the version. `structured`: the kinds
// of structuredContent that the client accepts.
std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info, Structured structured);
std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info);
// The same, if the answer is a round of questions (2026-07-28, input_required).
std::string round_answer(const Id& id, const tool::Round& round, std::string_view state,
                         std::string_view info);

// `{key: request}` of a round, the value of inputRequests.
void append_questions(const std::vector<tool::Question>& questions, std::string& out);

// The host's capabilities that exist in the version, as a JSON object.
std::string capabilities(Version version);

std::string initialize_answer(const Id& id, Version version, std::string_view info,
                              std::string_view instructions);
std::string discover_answer(const Id& id, std::string_view info, std::string_view instructions);
// A result `{}`, for versions whose results contain no data about the host.
std::string empty_answer(const Id& id);

// Members that results of the stateless version must have.
inline constexpr std::string_view kComplete = R"("resultType":"complete")";
// Lists and contents may change at any time, and may differ between principals.
inline constexpr std::string_view kNoCaching = R"("ttlMs":0,"cacheScope":"private")";

// Appends `,"_meta":{...}` of a result: the server's name, if every result of the version has it,
// and `more`.
void append_meta(std::string_view info, std::string_view more, Version version, std::string& out);

}  // namespace host::protocol

// MCP's messages for tools, written as text for each protocol version.
#pragma once

#include <string>
#include <string_view>

#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/result.h"
#include "tool/tool.h"

namespace host::protocol {

// What the host says of itself.
struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
};

// `{"name":...}`; title only where the version has it.
std::string server_info(const ServerInfo& info, Version version);

// One entry of tools/list.
void append_tool(const tool::Tool& tool, Version version, std::string& out);

// The answer to tools/list, whole. `entries` are joined by commas; an empty cursor is the end.
std::string list_answer(const Id& id, std::string_view entries, std::string_view next_cursor,
                        Version version, std::string_view info);

// The answer to tools/call, whole. `info` is server_info() of the version.
std::string call_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info);
// The same where the answer is a round of questions (2026-07-28, input_required).
std::string round_answer(const Id& id, const tool::Round& round, std::string_view state,
                         std::string_view info);

std::string initialize_answer(const Id& id, Version version, std::string_view info,
                              std::string_view instructions);
std::string discover_answer(const Id& id, std::string_view info, std::string_view instructions);
// `{}` for legacy versions; with what every result has to carry else.
std::string empty_answer(const Id& id);

std::string progress_notification(const Id& token, double done, double total,
                                  std::string_view message, Version version);
// `subscription` is the listen request's id; empty: none.
std::string tools_changed_notification(const Id& subscription);
std::string acknowledged_notification(const Id& subscription, bool tools_changed);
std::string listen_end_answer(const Id& id);
std::string cancelled_notification(const Id& request, std::string_view reason);

}  // namespace host::protocol

// Writes MCP's responses about resources, prompts and completions, as text for each protocol
// version.
#pragma once

#include <string>
#include <string_view>

#include "protocol/json_rpc.h"
#include "protocol/versions.h"
#include "tool/call/result.h"
#include "tool/definition/offer.h"

namespace host::protocol {

// append_resource(), append_template() and append_prompt() append one entry of resources/list,
// resources/templates/list or prompts/list.
void append_resource(const tool::Resource& resource, Version version, std::string& out);
void append_template(const tool::Resource& resource, Version version, std::string& out);
void append_prompt(const tool::Prompt& prompt, Version version, std::string& out);

// The functions below write the complete responses to resources/read, prompts/get and
// completion/complete. `result.structured` has only members that the protocol defines.
std::string read_answer(const Id& id, const tool::CallResult& result, Version version,
                        std::string_view info);
std::string prompt_answer(const Id& id, const tool::CallResult& result, Version version,
                          std::string_view info);
std::string completion_answer(const Id& id, const tool::CallResult& result, Version version,
                              std::string_view info);

}  // namespace host::protocol

// The HTTP headers that repeat parts of the body since 2026-07-28 (SEP-2243), so that proxies need
// not read bodies. Header and body must agree: a mismatch is -32020 with HTTP status 400.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "tool/definition/tool.h"

namespace host::protocol {

// The value of a header; data() is nullptr if there is none.
using HeaderLookup = std::function<std::string_view(std::string_view name)>;

// Decodes `=?base64?...?=` and returns other values unchanged. nullopt for invalid base64, text
// that is not UTF-8, or characters that must be encoded.
std::optional<std::string> decode_header(std::string_view value);

// Encodes a value for the header, as a client sends it.
std::string encode_header(std::string_view value);

// Each returns the mismatch, or nullopt.
std::optional<std::string> method_header_fault(std::string_view header, std::string_view method);
std::optional<std::string> name_header_fault(std::string_view header, std::string_view name);
// Mcp-Param-*: the arguments that the tool's schema annotates with x-mcp-header. `arguments` may be
// nullptr. Annotations in other places are ignored.
std::optional<std::string> param_headers_fault(const tool::Tool& tool, const json::Value* arguments,
                                               const HeaderLookup& header);

// Why x-mcp-header annotations of an input schema are not valid, with the JSON Pointer of the
// place. A client of 2026-07-28 must not use a tool over HTTP that has such an annotation. nullopt:
// all are valid, or there are none.
std::optional<std::string> annotation_fault(const json::Value& input_schema);

// What a client sends for these arguments (JSON): the name after "Mcp-Param-", and the value as
// encode_header() writes it.
std::vector<std::pair<std::string, std::string>> param_headers(const tool::Tool& tool,
                                                               std::string_view arguments);

}  // namespace host::protocol

// Checks the HTTP headers that repeat parts of the body since protocol version 2026-07-28
// (SEP-2243), so that proxies do not have to read bodies. A header that repeats a part of the body
// must agree with the body. If header and body differ, the host answers with the error -32020 and
// the HTTP status 400.
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

// Returns the value of a header. If the header is absent, data() of the returned view is nullptr.
using HeaderLookup = std::function<std::string_view(std::string_view name)>;

// Decodes a value `=?base64?...?=`, and returns other values unchanged. Returns nullopt for invalid
// base64, text that is not UTF-8, or characters that must be encoded.
std::optional<std::string> decode_header(std::string_view value);

// Encodes a value in the form in which a client sends it in the header.
std::string encode_header(std::string_view value);

// method_header_fault() and name_header_fault() return the mismatch of header and body, or nullopt
// if header and body agree.
std::optional<std::string> method_header_fault(std::string_view header, std::string_view method);
std::optional<std::string> name_header_fault(std::string_view header, std::string_view name);
// Checks the headers Mcp-Param-*. The Mcp-Param-* headers repeat the arguments whose schema has the
// annotation x-mcp-header. `arguments` can be nullptr. param_headers_fault() reads x-mcp-header
// annotations only in `properties`, not in other parts of the schema.
std::optional<std::string> param_headers_fault(const tool::Tool& tool, const json::Value* arguments,
                                               const HeaderLookup& header);

// Returns why an x-mcp-header annotation of an input schema is not valid, with the JSON Pointer of
// the annotation. Over HTTP, a client with protocol version 2026-07-28 must not use a tool with an
// annotation that is not valid. Returns nullopt if all annotations are valid, or there are none.
std::optional<std::string> annotation_fault(const json::Value& input_schema);

// Returns the headers that a client must send for these arguments (JSON). Each entry is the part of
// the header's name after "Mcp-Param-", and the value from encode_header().
std::vector<std::pair<std::string, std::string>> param_headers(const tool::Tool& tool,
                                                               std::string_view arguments);

}  // namespace host::protocol

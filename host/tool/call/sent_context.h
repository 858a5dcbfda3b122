// Handles the context that a client sends with a single call:
// {"values":{NAME:TEXT},"entries":{TYPE:JSON}}, like the context of a session. Any thread can call
// the functions of this header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "tool/call/call_context.h"

namespace host::tool {

// The constants below are the limits of the context of one call. The size of a context is the size
// of the text that text_of() returns for it.
inline constexpr std::size_t kMostSentContextBytes = 64u << 10u;
inline constexpr std::size_t kMostSentContextMembers = 64;  // number of values and entries
inline constexpr std::size_t kMostContextNameBytes = 128;

// Reads the context from a client's request, or from an interceptor's answer. Returns null if the
// context contains no values and no entries. The Error InvalidArgument gives the JSON Pointer of
// the member that is not valid. `pointer` is the JSON Pointer of `given` in the request.
Result<SentContext> read_sent_context(const json::Value& given, std::string_view pointer);

// Returns the values and entries of `sent` as JSON text. The function text_of() returns the same
// text for equal contexts, whatever the order of their members was. The returned text is empty if
// `sent` is null or has only attachments.
std::string text_of(const SentContext& sent);

// Reads a text that text_of() has returned. Returns null if the text is empty.
Result<SentContext> sent_context_in(std::string_view text);

// Returns true if only the host itself can set values and entries with this name.
bool is_name_of_host(std::string_view name);

// Returns the reason why a client or an interceptor cannot set a value or an entry with this name.
// A name that is reserved in the context of a call is also reserved in the context of a session.
// The returned reason is empty if the name is allowed. If a client could set a value or an entry
// "principal" or "agent", a plugin could take the client's text for data from the host.
std::string why_reserved(std::string_view type);

// Returns the names of the values and the types of the entries, without their contents.
std::vector<std::string> names_in(const CallContext& sent);

}  // namespace host::tool

// Reads and checks the answer of an interceptor's function. The answer's text comes from a plugin
// and is untrusted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "tool/call/function.h"
#include "tool/call/result.h"

namespace host::tool {

// The constants below are the limits of one answer of an interceptor. For the limit of an answer's
// context, see kMostSentContextBytes (sent_context.h).
inline constexpr std::size_t kMostStateBytes = 16u << 10u;
inline constexpr std::size_t kMostRefusalBytes = 4u << 10u;
// If an interceptor changes a message (text and fields together), the new size may be at most twice
// the original size plus kMostAddedToMessage bytes.
inline constexpr std::size_t kMostAddedToMessage = 16u << 10u;

// An Interception whose members are all empty changes nothing.
struct Interception {
  std::optional<json::Document> arguments;
  std::optional<CallResult> result;
  std::string refusal;  // empty: the interceptor does not refuse the call
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, std::string, std::less<>> entries;  // JSON texts by type
  std::string state;
};

// A CallText is one text that a running tool sends to its client.
struct CallText {
  std::string text;
  std::string fields;  // JSON object text; empty: no fields
};

// `answer` is the JSON text that BeforeCall, EnterCall or LeaveCall returned, or empty if the
// function gave no answer. The message of an Error completes a sentence that begins with "the
// interceptor".
Result<Interception> read_interception(Function function, std::string_view answer,
                                       std::uint64_t most_argument_bytes);
// Reads the answer of the function CallMessage. Returns nullopt if the host must not send the
// message.
Result<std::optional<CallText>> read_message(std::string_view answer, CallText original);

// Removes members of `_meta` that only the host writes (tool/definition/host_meta.h) from the
// answer of LeaveCall. Members that the result already had before LeaveCall are kept.
void drop_new_host_meta(const CallResult& before, CallResult& answer);

// Returns the JSON text that LeaveCall gets for a result, or that CallMessage gets for a message.
std::string as_input(const CallResult& result);
std::string as_input(const CallText& message);

}  // namespace host::tool

// Parses JSON-RPC 2.0 messages, and writes responses as text. The host writes responses directly as
// text, because a provider's result is text already.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "json/json.h"
#include "json/member_scan.h"

namespace host::protocol {

// The error codes. kBusy and kRequestCancelled are outside the range that JSON-RPC reserves.
enum Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kCallTimeout = -32003,  // a call timed out (in versions with sessions)
  // kBadSession is the error code for an HTTP request without its session id, in protocol versions
  // with sessions. kBadSession also means that the header MCP-Protocol-Version names a version that
  // is unknown or has no sessions.
  kBadSession = -32000,
  kSessionNotFound = -32001,  // over HTTP: no session has this id
  kHeaderMismatch = -32020,
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
  kBusy = -31001,
  kRequestCancelled = -32800,
};

// An Id is a JSON-RPC id as JSON text, for example `7` or `"a"`. The response to a JSON-RPC request
// has the request's id. The id identifies a JSON-RPC request in flight. For a message without an
// id, the id is empty.
using Id = std::string;

enum class Kind { Request, Notification, Response };

// One JSON-RPC message. The pointers in this struct point into the parsed message.
struct Message {
  Kind kind = Kind::Request;
  Id id;
  std::string_view method;
  json::Value* params = nullptr;        // nullptr: absent
  const json::Value* result = nullptr;  // set in a successful response
  const json::Value* error = nullptr;
};

// A Fault is the reason why a text is not a valid message or request. `id` is set if it could be
// read.
struct Fault {
  int code = kInvalidRequest;
  std::string message;
  Id id;
  std::string data;  // JSON text; empty: none
};

// kIdBytes is the default of `limits.id_bytes`: the maximum number of bytes of an id that is a
// string.
inline constexpr std::size_t kIdBytes = 1024;

std::variant<Message, Fault> read_message(json::Value& tree, std::size_t id_bytes = kIdBytes);

// Returns the id as JSON text. Returns an empty text for values that are not valid ids: null,
// fractions, integers beyond 2^53, strings of more than `most_bytes`.
Id read_id(const json::Value* id, std::size_t most_bytes = kIdBytes);

// Returns the id of a request whose text was refused because it is not JSON or too long. Returns an
// empty id if the id cannot be read. Returns an empty id for a response too, because a response has
// the id of a request of the host.
Id id_of_refused(const json::MemberScan& scan, std::size_t id_bytes);
Id id_of_refused(std::string_view text, std::size_t id_bytes);

// Appends `{"jsonrpc":"2.0","id":7,"result":`; the caller must add the result and a `}`.
void begin_result(const Id& id, std::string& out);
std::string error_text(const Id& id, int code, std::string_view message,
                       std::string_view data = {});
std::string error_text(const Fault& fault);

// Appends `"key":`, and a comma before `"key":` unless this is the first member of an object.
void append_key(std::string_view key, std::string& out);
void append_string(std::string_view key, std::string_view value, std::string& out);

}  // namespace host::protocol

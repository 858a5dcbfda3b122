// A call that outlives its request: an MCP task, or a detached call of a session. It is in one of
// four states. docs/decisions has the reasons for a single record; task/transitions.h has the
// changes that are allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tool/definition/question.h"

namespace host::tool {

enum class RecordState : std::uint8_t {
  Pending,     // nobody works on the call: it waits for its executor, a reviewer or its client
  Processing,  // its executor works on the call
  Complete,
  Error,
};

// Who runs the call.
enum class Executes : std::uint8_t {
  Host,
  Caller,  // a client that picks it up: client-supplied and external tools
};

// Which interface made the record. Only the limits and the time to keep the record depend on it.
enum class MadeBy : std::uint8_t {
  TaskClient,   // an MCP client with tasks
  Detached,     // REST
  WaitingCall,  // a call that waits for a caller to execute it, and has no other record
};

// The right to work on a record. A record is picked up once. The store refuses changes with a lower
// token.
struct Lease {
  std::uint64_t token = 0;  // 0: nobody picked the record up
  std::string holder;       // the API key or login of the caller; empty: the host
  std::string worker;       // the caller's own name for its worker; empty: none

  bool operator==(const Lease&) const = default;
};

// The answer of the caller that executed the call. The call pipeline turns it into the outcome of
// the record. Until then the record is still Processing, but its lease is over.
struct Response {
  std::string result;    // an MCP CallToolResult as JSON object text; empty: not answered yet
  std::string code;      // kFailed; empty: the caller was successful
  std::string by;        // who answered: "rest:anna" and the like
  bool checked = false;  // `result` has passed all checks, and its post_ tools may have begun
};

struct Record {
  std::string id;         // unguessable; also the id of the call
  std::string session;    // empty: none
  std::string principal;  // the owner
  std::string agent;      // empty: none
  std::string tool;
  std::string arguments;    // JSON object text. After approval: what the reviewer approved
  std::string definition;   // digest of the tool's definition
  std::string tool_use_id;  // of the harness; empty: none
  std::string idempotency_key;
  std::vector<std::string> webhooks;  // ids, in addition to those of its session
  // Digest of the arguments as the client of a WaitingCall sent them. An identical call finds this
  // record by the digest and gets its result. Empty: no call can find the record.
  std::string twin;
  MadeBy made_by = MadeBy::TaskClient;
  Executes executes = Executes::Host;
  RecordState state = RecordState::Pending;
  std::string reason;  // Pending: what the call waits for, see below; empty: its executor
  std::string code;    // Error: why, see below
  Lease lease;
  Response response;
  std::uint64_t version = 0;  // grows with each change; 0: not stored yet
  WallTime created{};
  WallTime updated{};
  WallTime heartbeat{};                       // of the host's clock; {}: none
  std::optional<std::uint64_t> client_clock;  // sent with the last heartbeat, not used
  WallTime expires{};                         // time of its removal; {}: not before it has ended
  // Only MCP tasks report this interval.
  std::chrono::milliseconds poll_interval{};
  // JSON object texts of the outcome. `result` is an MCP CallToolResult; `failure` is the JSON-RPC
  // error of a call that has none.
  std::string result;
  std::string failure;
  // Questions that the client has not answered, and the point at which the call continues. A key
  // is never used for a second question of the same record.
  std::vector<Question> questions;
  std::uint64_t asked = 0;  // questions so far
  Continuation continuation;
  std::string round_state;  // bytes of the provider for the open round
  Answers round_answers;    // to questions of the open round, by the provider's keys

  bool is_over() const { return state == RecordState::Complete || state == RecordState::Error; }
  bool is_answered() const { return !response.result.empty(); }
  bool is_expired(WallTime now) const { return expires != WallTime{} && now >= expires; }
  // Counts against limits.detached_bytes_per_principal.
  std::size_t bytes() const {
    return arguments.size() + response.result.size() + result.size() + failure.size();
  }
};

// Values of Record::reason.
inline constexpr std::string_view kWaitsForApproval = "approval";
inline constexpr std::string_view kWaitsForCode = "code";
inline constexpr std::string_view kWaitsForAnswer = "question";
inline constexpr std::string_view kWaitsForCaller = "external_execution_required";

// Values of Record::code.
inline constexpr std::string_view kAbandoned = "abandoned";        // heartbeats stopped
inline constexpr std::string_view kNotPickedUp = "not_picked_up";  // nobody picked it up in time
inline constexpr std::string_view kCancelled = "cancelled";        // by its client
inline constexpr std::string_view kDenied = "denied";              // by a rule or a person
inline constexpr std::string_view kToolError = "tool_error";       // the tool's own error result
inline constexpr std::string_view kFailed = "failed";              // reported by its executor
inline constexpr std::string_view kInterrupted = "interrupted";    // the host ended; effect unknown
inline constexpr std::string_view kSessionEnded = "session_ended";
inline constexpr std::string_view kToolRemoved = "tool_removed";  // by the session's client

// One change of a record's state. These rows are stored with the record, in the same transaction.
struct Transition {
  std::uint64_t seq = 0;  // grows within the session, without gaps between rows
  std::string session;
  std::string record;
  std::string tool;
  std::optional<RecordState> from;  // nullopt: the record was made
  RecordState to = RecordState::Pending;
  std::string why;  // the new reason or code
  std::string by;   // who: "host", or "rest:anna" and the like
  WallTime at{};
};

// "PENDING", "PROCESSING", "COMPLETE" or "ERROR".
constexpr std::string_view to_string(RecordState state) {
  switch (state) {
    case RecordState::Pending:
      return "PENDING";
    case RecordState::Processing:
      return "PROCESSING";
    case RecordState::Complete:
      return "COMPLETE";
    case RecordState::Error:
      break;
  }
  return "ERROR";
}

constexpr std::optional<RecordState> record_state_from(std::string_view word) {
  for (const RecordState state :
       {RecordState::Pending, RecordState::Processing, RecordState::Complete, RecordState::Error}) {
    if (to_string(state) == word) return state;
  }
  return std::nullopt;
}

constexpr std::string_view to_string(Executes who) {
  return who == Executes::Host ? "host" : "caller";
}

}  // namespace host::tool

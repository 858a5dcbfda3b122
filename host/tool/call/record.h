// A record belongs to a call that outlives its request: an MCP task, or a detached call of a
// session. A record is in one of four states (RecordState). The folder docs/decisions explains why
// tasks and detached calls share one kind of record. task/transitions.h defines the allowed changes
// of state.
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
  Pending,     // the call waits for its executor, a reviewer or its client
  Processing,  // the call's executor works on it
  Complete,
  Error,
};

// The enumeration Executes says which party runs the call.
enum class Executes : std::uint8_t {
  Host,
  Caller,  // a client that picks the call up: client-supplied and external tools
};

// The enumeration MadeBy says for which kind of client the record was made. The value of MadeBy
// determines only the record's limits and how long the host keeps the record.
enum class MadeBy : std::uint8_t {
  TaskClient,   // an MCP client that supports tasks
  Detached,     // a detached call over REST
  WaitingCall,  // a call that waits for a client to execute it, and has no other record
};

// A lease is the right to work on a record. Only one executor, host or client, can have the lease.
// The store refuses a change of the record if the change has a lower lease token than the record
// has.
struct Lease {
  std::uint64_t token = 0;  // token of the lease; 0: nobody has picked the record up
  std::string holder;       // the API key or login of the client; empty: the host holds the lease
  std::string worker;       // the client's own name for its worker; empty: none

  bool operator==(const Lease&) const = default;
};

// A Response is the response of the client that executed the call. The call pipeline turns the
// response into the outcome of the record. A record stays Processing until it has its outcome,
// although the record's lease has already ended.
struct Response {
  std::string result;    // an MCP CallToolResult as JSON object text; empty: not received yet
  std::string code;      // kFailed if the client failed; empty: the client was successful
  std::string by;        // who responded, for example "rest:anna"
  bool checked = false;  // true: `result` has passed all checks; post_ tools may have begun
};

struct Record {
  std::string id;         // the id of the call, too; nobody can guess it
  std::string session;    // empty: no session
  std::string principal;  // the owner of the record
  std::string agent;      // empty: no agent
  std::string tool;
  std::string arguments;    // JSON object text; after an approval: the approved arguments
  std::string context;      // the client's context, as text_of() writes it; empty: none
  std::string definition;   // the digest of the tool's definition
  std::string tool_use_id;  // the id that the harness gave the call; empty: none
  std::string idempotency_key;
  // `key_tool` is the tool to which `idempotency_key` belongs. For a call of call_tool, `key_tool`
  // is the tool that it calls.
  std::string key_tool;
  // `claim` is the SHA-256 (bytes) of the arguments with which the call has reserved its
  // idempotency key. Once a call has asked its client, no other call may have the idempotency key
  // until the record of the call has ended, also after a restart. `claim` is empty if the call has
  // reserved no idempotency key.
  std::string claim;
  std::vector<std::string> webhooks;  // ids of webhooks, in addition to those of the session
  // For a record of the kind WaitingCall, `twin` is the digest of the arguments as the client sent
  // them. A later identical call finds the record by the digest `twin`, and gets the record's
  // result. If the digest is empty, no call can find the record.
  std::string twin;
  MadeBy made_by = MadeBy::TaskClient;
  Executes executes = Executes::Host;
  RecordState state = RecordState::Pending;
  std::string reason;  // in state Pending: what the call waits for (see below); empty: its executor
  std::string code;    // in state Error: the reason, such as kAbandoned
  // `approval` is the id of the approval request for which the call waits or waited last; empty:
  // none.
  std::string approval;
  Lease lease;
  Response response;
  std::uint64_t version = 0;  // grows with each change; 0: the store does not have the record yet
  WallTime created{};
  WallTime updated{};
  WallTime heartbeat{};  // time of the last heartbeat, by the host's clock; {}: none
  // `client_clock` is the time of the last heartbeat by the clock of the client that sent the
  // heartbeat. The host does not use the time `client_clock`.
  std::optional<std::uint64_t> client_clock;
  WallTime expires{};  // when the host removes the record; {}: not before the call has ended
  // `poll_interval` is the poll interval that the host reports to clients of MCP tasks. The host
  // does not report an interval for detached calls.
  std::chrono::milliseconds poll_interval{};
  // `result` and `failure` are JSON object texts with the outcome of the call. `result` is an MCP
  // CallToolResult; `failure` is the JSON-RPC error of a call that has no result.
  std::string result;
  std::string failure;
  // `questions` contains the call's questions that its client has not answered yet. No two
  // questions of one record have the same key. A key of a question that was answered earlier is not
  // used again.
  std::vector<Question> questions;
  std::uint64_t asked = 0;  // numbers the questions; greater than 0: the client was asked
  Continuation continuation;
  std::string round_state;  // only for the provider, which gets it with the answers
  Answers round_answers;    // the answers to questions of the open round, by the provider's keys

  bool is_over() const { return state == RecordState::Complete || state == RecordState::Error; }
  bool is_answered() const { return !response.result.empty(); }
  bool is_expired(WallTime now) const { return expires != WallTime{} && now >= expires; }
  // Returns the record's size, which counts towards limits.detached_bytes_per_principal.
  std::size_t bytes() const {
    std::size_t bytes = arguments.size() + context.size() + response.result.size() + result.size() +
                        failure.size() + continuation.state.size();
    for (const auto& [key, answer] : continuation.answers) bytes += key.size() + answer.size();
    return bytes;
  }
};

// The values of Record::reason.
inline constexpr std::string_view kWaitsForApproval = "approval";
inline constexpr std::string_view kWaitsForCode = "code";
inline constexpr std::string_view kWaitsForAnswer = "question";
inline constexpr std::string_view kWaitsForCaller = "external_execution_required";

// The values of Record::code.
inline constexpr std::string_view kAbandoned = "abandoned";        // no more heartbeats arrived
inline constexpr std::string_view kNotPickedUp = "not_picked_up";  // no client picked the call up
inline constexpr std::string_view kCancelled = "cancelled";        // the client cancelled the call
inline constexpr std::string_view kDenied = "denied";              // denied by a rule or reviewer
inline constexpr std::string_view kToolError = "tool_error";       // the tool's own error result
inline constexpr std::string_view kFailed = "failed";              // the executor reported an error
inline constexpr std::string_view kInterrupted = "interrupted";    // the host ended during the run
inline constexpr std::string_view kUpstreamFailed = "upstream_failed";
inline constexpr std::string_view kSessionEnded = "session_ended";
inline constexpr std::string_view kToolRemoved = "tool_removed";  // the client removed the tool

// A transition is one change of a record's state. The store writes transitions as rows, in the same
// transaction as the record.
struct Transition {
  std::uint64_t seq = 0;  // counts the transitions of the session, without gaps
  std::string session;
  std::string record;
  std::string tool;
  std::optional<RecordState> from;  // nullopt: the record is new
  RecordState to = RecordState::Pending;
  std::string why;  // the new Record::reason or Record::code
  std::string by;   // who made the change: "host", or for example "rest:anna"
  WallTime at{};
};

// Returns "PENDING", "PROCESSING", "COMPLETE" or "ERROR".
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

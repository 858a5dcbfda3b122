// A call is one run through the pipeline, from the client's request to the audit line. Use a call
// only on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "json/json.h"
#include "tool/call/invocation.h"
#include "tool/call/passport.h"
#include "tool/call/receipt.h"
#include "tool/call/recorder.h"
#include "tool/call/result.h"
#include "tool/call/route.h"

namespace host::tool {

template <class T>
using awaitable = boost::asio::awaitable<T>;

// An observer receives the progress of a call for the call's client. The host calls an observer on
// the I/O thread only, and never after the call's end.
class Observer {
 public:
  virtual ~Observer() = default;
  // If wants_progress() is false, a worker's thread does not pass progress to the I/O thread, which
  // saves the switch between threads.
  virtual bool wants_progress() const { return true; }
  virtual bool wants_log() const { return true; }
  // Returns true if interceptors of the tool can change or drop the messages before the client gets
  // them.
  virtual bool filters() const { return false; }
  virtual void progress(double done, double total, std::string_view message) = 0;
  virtual void log(int level, std::string_view logger, std::string_view message,
                   std::string_view json_fields) = 0;
};

struct Call;

// A visit is a web page that the host asks the client's user to open. The client does not know what
// the user does on the web page. The client's answer says only whether the user agrees to open the
// web page.
class Visit {
 public:
  virtual ~Visit() = default;
  virtual const Question& question() const = 0;  // the method elicitation/create in mode url
  // Waits until the user has finished on the web page. Returns false if the wait ended before the
  // user had finished.
  virtual awaitable<bool> wait() = 0;
  // Passes the client's answer, a JSON object text, to the visit. answered() can be called during
  // wait().
  virtual awaitable<void> answered(const std::string& answer) = 0;
};

// An asker sends a call's questions to the client that made the call. The layer mcp/ implements the
// interface Asker.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual Abilities abilities() const = 0;
  // Returns the state and answers that came with the client's earlier requests for this call. A
  // second call of take_resumed() returns an empty Continuation.
  virtual Continuation take_resumed() = 0;
  // ask() returns the client's answer to every question. The function ask() returns nullopt if the
  // client sends the answers with a later request (protocol version 2026-07-28). If ask() returns
  // nullopt, the call ends, and its result contains the questions instead of the tool's result.
  virtual boost::asio::awaitable<Result<std::optional<Answers>>> ask(const Call& call,
                                                                     const Round& round) = 0;
  // Asks the client's user to open the page of `visit`, and waits for the outcome. The function
  // send_to() returns false if the client will send its call again. If send_to() returns false, the
  // call ends, and its result contains the question instead of the tool's result.
  virtual boost::asio::awaitable<Result<bool>> send_to(const Call& call, Visit& visit) = 0;
};

// A Phase is the step of the pipeline that a call has reached.
enum class Phase : std::uint8_t {
  Checked,
  WaitsForApproval,
  WaitsForCaller,  // waits for the client that executes the call
  Queued,
  Running,
  AsksClient,
};

struct Call {
  PassportPtr passport = unnamed_passport();  // says who makes the call; never null
  Function function = Function::Call;
  std::string name;  // the tool, URI or prompt that the client requested
  json::Document arguments;
  std::string arguments_text;  // the prepared arguments; empty: the host has not prepared them yet
  // The host finds the route while it reads the request, and the pipeline takes the route. The
  // route is empty while the host has not found it yet.
  Route route;
  std::string twin;             // see Record::twin; only for tools that clients execute
  std::string idempotency_key;  // the host runs the call once for this key; empty: no key
  std::string code;             // a one-time code that came outside the arguments; no tool gets it
  SteadyTime started{};
  Phase phase = Phase::Checked;
  SteadyTime deadline{};  // the executor sets the deadline
  std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();
  // The host requests the cancel `unheard` when the client no longer waits for the response. The
  // cancel ends a call that waits for an approval, but the approval request stays for the next
  // identical call. If `unheard` is null, the host assumes that the client waits until the call
  // ends.
  std::shared_ptr<Cancel> unheard;
  Observer* observer = nullptr;  // nullptr: no observer
  Asker* asker = nullptr;        // nullptr: the client cannot be asked
  Recorder* recorder = nullptr;  // keeps the record of the call; nullptr: the call has no record
  // `outlives` is true if the call is a detached call or a task. If no request waits for the result
  // of a call, the call can wait without a time limit for a reviewer or for the executing client.
  bool outlives = false;
  Continuation continuation;  // the state and answers of the call's earlier rounds

  // The permission step sets `judged_to_read` if the tool's check function, or the host's analysis
  // of the command, says that the call only reads.
  bool judged_to_read = false;
  // `approved` is true if a reviewer approved the call for the build of the current route. Only the
  // approved build may run the approved call.
  bool approved = false;
  // `receipts` contains the approvals, codes and answers that the call uses up when it runs.
  Receipts receipts;
  // The executor keeps `while_running` until the tool has ended, also if nobody waits for the
  // tool's result any more. Null: nothing to keep.
  std::shared_ptr<void> while_running;
  // `continues` is true if the provider has asked the client in an earlier round, and the client
  // has called again. The call can have had effects in the earlier rounds.
  bool continues = false;
  // The executor sets `ran` when the provider has started the call in the current round. While
  // `continues` and `ran` are false, the call cannot have had any effect.
  bool ran = false;
  // `answered` is true if the result comes from the tool itself. `answered` is false if the tool
  // failed, or if a part of the host replaced the result.
  bool answered = false;
  // If `may_have_acted` is true, the failed tool can have had its effect
  // (Invocation::may_have_acted). The failure of such a call is stored for the call's idempotency
  // key.
  bool may_have_acted = false;
  // The executor sets `refusal_data`, see Invocation::refusal_data.
  std::string refusal_data;

  // `interceptions` contains the actions of the call's interceptors, in the order in which they
  // happened. The audit line lists the actions of the interceptors.
  std::vector<std::string> interceptions;
  std::string changed_by;  // the interceptor that last changed the arguments; empty: none
  // `sent` contains the arguments as they were before the first interceptor changed them. `sent` is
  // null if no interceptor changed the arguments, or if the host itself adds arguments.
  std::unique_ptr<json::Document> sent;
  // If an interceptor changed the tool's result, `tools_result` is the tool's own result without
  // its content. `tools_result` is null if no interceptor changed the result.
  std::shared_ptr<const CallResult> tools_result;

  // The pipeline calls `on_cleared` when all checks have passed and the call is about to run. If
  // `on_cleared` returns an Error, the call ends. The function `on_cleared` can be null.
  std::function<Result<void>()> on_cleared;

  // The pipeline fills in the members below for the audit line, while the call runs.
  std::string provider;
  std::string decision;  // allow, ask or deny; empty: the call ended before the decision
  std::string rule;      // the rule or the step that made the decision
  std::string outcome;   // the outcome that a step has set; empty: see outcome_of()
};

inline bool is_unheard(const Call& call) {
  return call.unheard && call.unheard->requested();
}

// kBadArguments is the audit outcome of a call whose arguments are not valid against the tool's
// schema.
inline constexpr const char* kBadArguments = "bad_arguments";

}  // namespace host::tool

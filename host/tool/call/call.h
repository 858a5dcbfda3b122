// One call in the pipeline, from the client's request to the audit line. I/O thread only.
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

// Observes a call for its client. Called on the I/O thread, never after the call's end.
class Observer {
 public:
  virtual ~Observer() = default;
  // If false, progress is not passed on to the I/O thread.
  virtual bool wants_progress() const { return true; }
  virtual bool wants_log() const { return true; }
  virtual void progress(double done, double total, std::string_view message) = 0;
  virtual void log(int level, std::string_view logger, std::string_view message,
                   std::string_view json_fields) = 0;
};

struct Call;

// A web page that the client's user is asked to open. The client does not know what the user does
// there. Its answer only says whether the user agrees to open it.
class Visit {
 public:
  virtual ~Visit() = default;
  virtual const Question& question() const = 0;  // elicitation/create, mode url
  // Waits until the user has finished on the page. False: the wait ended without that.
  virtual awaitable<bool> wait() = 0;
  // Passes on the client's answer, a JSON object text. May be called during wait().
  virtual awaitable<void> answered(const std::string& answer) = 0;
};

// Asks the calling client. Implemented by mcp/.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual Abilities abilities() const = 0;
  // The state and answers of the client's earlier requests for this call. It can be taken once.
  virtual Continuation take_resumed() = 0;
  // Returns an answer to every question. nullopt: the answers come with a later request
  // (2026-07-28), and this call ends with the round as its result.
  virtual boost::asio::awaitable<Result<std::optional<Answers>>> ask(const Call& call,
                                                                     const Round& round) = 0;
  // Sends the user to a page and waits for the outcome. False: the client will call again, and this
  // call ends with the question as its result.
  virtual boost::asio::awaitable<Result<bool>> send_to(const Call& call, Visit& visit) = 0;
};

// Where a call is in the pipeline.
enum class Phase : std::uint8_t {
  Checked,
  WaitsForApproval,
  WaitsForCaller,  // for the caller that executes it
  Queued,
  Running,
  AsksClient,
};

struct Call {
  PassportPtr passport = unnamed_passport();  // who makes it; never null
  Function function = Function::Call;
  std::string name;  // the tool, URI or prompt, as requested
  json::Document arguments;
  std::string arguments_text;  // the prepared arguments; empty: not prepared yet
  Route route;  // found while the request was read; the pipeline takes it. Empty: not found yet
  std::string twin;             // see Record; only of tools that callers execute
  std::string idempotency_key;  // the call runs once for this key; empty: no key
  std::string code;             // a one-time code from outside the arguments; never passed on
  SteadyTime started{};
  Phase phase = Phase::Checked;
  SteadyTime deadline{};  // set by the executor
  std::shared_ptr<Cancel> cancel = std::make_shared<Cancel>();
  // Requested when the client no longer waits for the answer. A call that waits for approval then
  // ends, and its approval request stays for the next identical call. Null: the client always
  // waits.
  std::shared_ptr<Cancel> unheard;
  Observer* observer = nullptr;  // nullptr: no observer
  Asker* asker = nullptr;        // nullptr: the client cannot be asked
  Recorder* recorder = nullptr;  // keeps its record; nullptr: it has none of its own
  // True for a detached call and a task. No request waits for the call, so the call itself may wait
  // for reviewers and callers without a time limit.
  bool outlives = false;
  Continuation continuation;  // the state and answers of earlier rounds

  // Set by the permission step: this call only reads, according to its tool's check function or to
  // the host's analysis of its command.
  bool judged_to_read = false;
  // A reviewer approved the call for the build of the current route. No other build may run it.
  bool approved = false;
  // The approvals, codes and answers that the call uses up when it runs.
  Receipts receipts;
  // Set by the executor: the provider started it. Until then it cannot have had any effect.
  bool ran = false;
  // True: the result comes from the tool itself. The tool did not fail, and no part of the host
  // replaced the result.
  bool answered = false;

  // The actions of interceptors, in the order in which they happened. For the audit line.
  std::vector<std::string> interceptions;
  std::string changed_by;  // the interceptor that changed the arguments last; empty: none

  // Called when all checks have passed and the call is about to run. An Error ends the call. May be
  // null.
  std::function<Result<void>()> on_cleared;

  // For the audit line, filled in during the call.
  std::string provider;
  std::string decision;  // allow, ask, deny; empty: the call ended before the decision
  std::string rule;      // which rule or step decided
  std::string outcome;   // set by a step of the pipeline; empty: derived from the result
};

inline bool is_unheard(const Call& call) {
  return call.unheard && call.unheard->requested();
}

// Audit outcome: the arguments are not valid against the tool's schema.
inline constexpr const char* kBadArguments = "bad_arguments";

}  // namespace host::tool

#include "router/live/rounds.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tool/call/record.h"
#include "tool/definition/unbegun.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

constexpr int kMostRounds = 16;  // the most rounds of questions of one call

constexpr std::string_view kBegunBefore =
    "The tool began this call before it asked its question, so it may have carried out a part of "
    "the call. The rest did not run. A new call runs the tool from its beginning: find out first "
    "what the tool did.";

// The provider only waits, for example until its user has opened URLs.
bool is_wait(const tool::Round& round) {
  return round.questions.empty() && tool::is_unbegun(round.state);
}

// A call of a resource, prompt or completion has no tool, and only reads.
bool may_be_repeated(const tool::Call& call, const tool::Tool* tool) {
  if (!tool || tool->declared().read_only || tool->declared().idempotent) return true;
  return tool->reads() != tool::Reads::Never && call.judged_to_read;
}

// The tool has begun the call, the rest was refused, and no later request can continue the call.
bool is_lost(const tool::Call& call, const tool::Tool* tool) {
  const bool is_refused = call.outcome == "denied" || call.outcome == tool::kUpstreamFailed;
  return call.continues && !call.ran && is_refused && !may_be_repeated(call, tool);
}

Result<tool::CallResult> with_begun_before(Result<tool::CallResult> result) {
  if (!result)
    return Error{result.error().kind, result.error().message + ". " + std::string(kBegunBefore)};
  if (result->is_error) result->add_text(kBegunBefore);
  return result;
}

}  // namespace

Result<tool::CallResult> with_earlier_rounds(const tool::Call& call,
                                             Result<tool::CallResult> result) {
  // run_in_rounds() has added it already to the result of a lost call.
  if (!call.continues || call.ran || call.may_have_acted) return result;
  return with_begun_before(std::move(result));
}

awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                  tool::Provider& provider, const tool::Tool* tool,
                                                  const RunOnce& once) {
  if (call.asker) {  // an answer of this host's reviewers is there already
    tool::Continuation resumed = call.asker->take_resumed();
    resumed.answers.merge(call.continuation.answers);
    call.continuation = std::move(resumed);
  }
  bool can_be_resumed = !call.outlives;  // the client of a task has no requestState
  bool has_waited = false;
  for (int rounds = 0;;) {
    HOST_CO_TRY_ASSIGN(tool::CallResult result, co_await once());
    if (!result.round || !call.asker) {
      if (can_be_resumed || !is_lost(call, tool)) co_return result;
      call.may_have_acted = true;
      co_return with_begun_before(std::move(result));
    }
    const bool waits = is_wait(*result.round);
    if (!waits || has_waited) ++rounds;
    has_waited = waits;
    if (rounds == kMostRounds) {
      provider.abandon(result.round->state);
      co_return tool::CallResult::error("\"" + call.name + "\" asked " + std::to_string(rounds) +
                                        " times and would ask again.");
    }
    live.enter_phase(call, tool::Phase::AsksClient);
    auto answers = co_await call.asker->ask(call, *result.round);
    if (!answers) {
      provider.abandon(result.round->state);
      co_return answers.error();
    }
    if (!*answers) {
      call.outcome = "asked";
      co_return result;
    }
    if (!tool::is_unbegun(result.round->state)) {
      call.continues = true;
      can_be_resumed = false;
    }
    call.ran = false;
    call.continuation.state = std::move(result.round->state);
    for (auto& [key, answer] : **answers) {
      call.continuation.answers.insert_or_assign(key, std::move(answer));
    }
  }
}

}  // namespace host::router

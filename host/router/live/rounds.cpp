#include "router/live/rounds.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "approval/refusal.h"
#include "tool/call/end_words.h"
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

constexpr std::string_view kKeyIsKept =
    "A call with the same idempotency key does not run the tool again: use a new key for a new "
    "call.";

// The provider only waits, for example until its user has opened URLs.
bool is_wait(const tool::Round& round) {
  return round.questions.empty() && tool::is_unbegun(round.state);
}

// A call of a resource, prompt or completion has no tool, and only reads.
bool may_be_repeated(const tool::Call& call, const tool::Tool* tool) {
  if (!tool || tool->declared().read_only || tool->declared().idempotent) return true;
  return tool->reads() != tool::Reads::Never && call.judged_to_read;
}

// Whether a run of an earlier round, or the run of this round, must not run a second time. A call
// that is denied in this round has no new judgement, so the mark of the earlier run decides.
bool must_not_repeat(const tool::Call& call, const tool::Tool* tool) {
  if (call.continuation.answers.contains(tool::kMustNotRepeat)) return true;
  return call.ran && !may_be_repeated(call, tool);
}

// Adds a sentence to a failure.
Result<tool::CallResult> with_words(Result<tool::CallResult> result, std::string_view words) {
  if (!result)
    return Error{result.error().kind, result.error().message + ". " + std::string(words)};
  if (result->is_error) result->add_text(words);
  return result;
}

// How the rounds of a call have ended.
struct RoundsEnd {
  Result<tool::CallResult> result;
  bool can_be_resumed;   // true: a later request can continue the call, if the tool did not run
  bool between = false;  // true: the tool has asked, and gets no answers
};

bool is_tools_answer(const tool::Call& call, const RoundsEnd& end) {
  const bool is_answer = end.result && end.result->lacking.empty();
  return is_answer && !end.between && call.ran && call.answered && call.outcome.empty();
}

awaitable<RoundsEnd> go_through_rounds(tool::Call& call, LiveCalls& live, tool::Provider& provider,
                                       const tool::Tool* tool, const RunOnce& once) {
  bool can_be_resumed = !call.outlives;  // the client of a task has no requestState
  bool has_waited = false;
  for (int rounds = 0;;) {
    auto result = co_await once();
    const bool host_asks = call.outcome == tool::kAsked;  // an approval became necessary
    if (!result || !result->round || !call.asker || host_asks)
      co_return RoundsEnd{std::move(result), can_be_resumed};
    const tool::Round& round = *result->round;
    const bool has_begun = call.continues || !tool::is_unbegun(round.state);
    const auto ends_between = [&](Result<tool::CallResult> why) {
      provider.abandon(round.state);
      call.continues = has_begun;
      call.ran = false;  // not after its question
      return RoundsEnd{std::move(why), false, true};
    };
    const bool waits = is_wait(round);
    if (!waits || has_waited) ++rounds;
    has_waited = waits;
    if (has_begun && !may_be_repeated(call, tool))
      call.continuation.answers.insert_or_assign(std::string(tool::kMustNotRepeat), "true");
    if (rounds == kMostRounds) {
      co_return ends_between(tool::CallResult::error(
          "\"" + call.name + "\" asked " + std::to_string(rounds) + " times and would ask again."));
    }
    live.enter_phase(call, tool::Phase::AsksClient);
    auto answers = co_await call.asker->ask(call, round);
    if (!answers && call.outcome == tool::kAsked) co_return RoundsEnd{answers.error(), true};
    if (!answers) co_return ends_between(answers.error());
    if (!*answers) {
      call.outcome = tool::kAsked;
      if (live.refuses(call)) co_return ends_between(result);  // also the client's later request
      co_return RoundsEnd{std::move(result), true};
    }
    if (!tool::is_unbegun(round.state)) can_be_resumed = false;
    call.continues = has_begun;
    call.ran = false;
    call.continuation.state = std::move(result->round->state);
    for (auto& [key, answer] : **answers) {
      call.continuation.answers.insert_or_assign(key, std::move(answer));
    }
  }
}

}  // namespace

Result<tool::CallResult> with_earlier_rounds(tool::Call& call, const LiveCalls& live,
                                             const tool::Tool* tool,
                                             Result<tool::CallResult> result) {
  if (!call.continues || call.ran || call.outcome == tool::kAsked) return result;
  const bool is_last = call.outlives || live.refuses(call) || approval::is_denied_by_person(call);
  if (is_last && must_not_repeat(call, tool)) call.may_have_acted = true;
  return with_words(std::move(result), kBegunBefore);
}

Result<tool::CallResult> with_kept_key(Result<tool::CallResult> result) {
  return with_words(std::move(result), kKeyIsKept);
}

awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                  tool::Provider& provider, const tool::Tool* tool,
                                                  const RunOnce& once) {
  if (call.asker) {
    tool::Continuation resumed = call.asker->take_resumed();
    // This request has added newer ones: an answer of this host's reviewers, names of edits.
    for (auto& [key, answer] : call.continuation.answers)
      resumed.answers.insert_or_assign(key, std::move(answer));
    call.continuation = std::move(resumed);
  }
  RoundsEnd ended = co_await go_through_rounds(call, live, provider, tool, once);
  const bool goes_on_later = call.outcome == tool::kAsked || (ended.can_be_resumed && !call.ran);
  if (call.continues && !goes_on_later && !is_tools_answer(call, ended) &&
      must_not_repeat(call, tool))
    call.may_have_acted = true;
  co_return std::move(ended.result);
}

}  // namespace host::router

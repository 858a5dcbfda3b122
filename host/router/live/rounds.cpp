#include "router/live/rounds.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tool/definition/unbegun.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

constexpr int kMostRounds = 16;  // the most rounds of questions of one call

constexpr std::string_view kBegunBefore =
    "The tool began this call before it asked its question, so it may have carried out a part of "
    "the call. The rest did not run. A new call runs the tool from its beginning: find out first "
    "what the tool did.";

}  // namespace

Result<tool::CallResult> with_earlier_rounds(const tool::Call& call,
                                             Result<tool::CallResult> result) {
  if (!call.continues || call.ran) return result;
  if (!result)
    return Error{result.error().kind, result.error().message + ". " + std::string(kBegunBefore)};
  if (result->is_error) result->add_text(kBegunBefore);
  return result;
}

awaitable<Result<tool::CallResult>> run_in_rounds(tool::Call& call, LiveCalls& live,
                                                  tool::Provider& provider, const RunOnce& once) {
  if (call.asker) {  // an answer of this host's reviewers is there already
    tool::Continuation resumed = call.asker->take_resumed();
    resumed.answers.merge(call.continuation.answers);
    call.continuation = std::move(resumed);
  }
  for (int rounds = 1;; ++rounds) {
    HOST_CO_TRY_ASSIGN(tool::CallResult result, co_await once());
    if (!result.round || !call.asker) co_return result;
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
    if (!tool::is_unbegun(result.round->state)) call.continues = true;
    call.ran = false;
    call.continuation.state = std::move(result.round->state);
    for (auto& [key, answer] : **answers) {
      call.continuation.answers.insert_or_assign(key, std::move(answer));
    }
  }
}

}  // namespace host::router

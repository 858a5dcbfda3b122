#include "router/live/rounds.h"

#include <optional>
#include <utility>

namespace host::router {
namespace {

using boost::asio::awaitable;

constexpr int kMostRounds = 16;  // the most rounds of questions of one call

}  // namespace

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
    call.continuation.state = std::move(result.round->state);
    for (auto& [key, answer] : **answers) {
      call.continuation.answers.insert_or_assign(key, std::move(answer));
    }
  }
}

}  // namespace host::router

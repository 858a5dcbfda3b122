#include "router/dispatch/offer_dispatcher.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "router/dispatch/offer_result.h"
#include "router/live/ended_call.h"
#include "router/live/rounds.h"
#include "store/audit/audit.h"
#include "tool/call/fault_text.h"
#include "tool/provider/priority.h"

namespace host::router {
namespace {

using boost::asio::awaitable;
using tool::Function;

// A read of an unknown resource waits so long at most for lists that changed.
constexpr std::chrono::seconds kForLists{5};
// A list can change while it is read.
constexpr int kMostLooks = 2;

// The provider of the call. nullptr: there is none, and the answer is empty.
using Server = std::shared_ptr<tool::Provider>;

Error unknown(std::string_view kind, std::string_view name, std::string_view list) {
  return {ErrorKind::NotFound, "unknown " + std::string(kind) + " \"" +
                                   std::string(name.substr(0, 200)) + "\": " + std::string(list) +
                                   " names what there is"};
}

Error wrong(std::string why) {
  return {ErrorKind::InvalidArgument, std::move(why)};
}

Result<Server> who_reads(const tool::Offers& offers, const tool::Call& call) {
  if (call.name.size() > tool::kMaxUriBytes) {
    return wrong("a URI has at most " + std::to_string(tool::kMaxUriBytes) + " bytes");
  }
  const auto* exact = offers.resource(call.name);
  const bool is_taken = exact && exact->provider->identity().is_upstream() &&
                        tool::is_kept_from_upstreams(offers, call.name);
  if (exact && !is_taken) return exact->provider;
  if (const auto* family = offers.template_for(call.name)) return family->provider;
  return unknown("resource", call.name, "resources/list");
}

const tool::PromptArgument* declared(const tool::Prompt& prompt, std::string_view name) {
  const auto at = std::find_if(prompt.arguments.begin(), prompt.arguments.end(),
                               [&](const auto& each) { return each.name == name; });
  return at == prompt.arguments.end() ? nullptr : &*at;
}

Result<Server> who_prompts(const tool::Offers& offers, const tool::Call& call) {
  const auto* found = offers.prompt(call.name);
  if (!found) return unknown("prompt", call.name, "prompts/list");
  const json::Value* const given = json::find(call.arguments.root(), "arguments");
  for (const tool::PromptArgument& each : found->prompt->arguments) {
    if (each.required && !(given && json::find(*given, each.name))) {
      return wrong("prompt \"" + call.name + "\" needs the argument \"" + each.name + "\"");
    }
  }
  if (!given) return found->provider;
  for (const auto& member : given->GetObject()) {
    if (!member.value.IsString()) {
      return wrong("the argument \"" + std::string(json::text(member.name)) +
                   "\" of a prompt must be a string");
    }
  }
  return found->provider;
}

Result<Server> who_completes(const tool::Offers& offers, const tool::Call& call) {
  const json::Value& arguments = call.arguments.root();
  const std::string_view argument = json::find_text(*json::find(arguments, "argument"), "name");
  const auto no_such_argument = [&] {
    return wrong("\"" + call.name + "\" has no argument \"" + std::string(argument.substr(0, 200)) +
                 "\"");
  };
  Server server;
  if (json::find_text(*json::find(arguments, "ref"), "type") == "ref/prompt") {
    const auto* found = offers.prompt(call.name);
    if (!found) return unknown("prompt", call.name, "prompts/list");
    if (!declared(*found->prompt, argument)) return no_such_argument();
    server = found->provider;
  } else if (const auto* found = offers.template_of(call.name)) {
    if (!found->pattern.has(argument)) return no_such_argument();
    server = found->provider;
  } else {
    // A resource that is not a template has no variables to complete.
    if (!offers.resource(call.name)) {
      return unknown("resource template", call.name, "resources/templates/list");
    }
  }
  if (server && !server->offer().completes) server = nullptr;
  return server;
}

Result<Server> resolve(const tool::Offers& offers, const tool::Call& call) {
  switch (call.function) {
    case Function::ReadResource:
      return who_reads(offers, call);
    case Function::GetPrompt:
      return who_prompts(offers, call);
    case Function::Complete:
      return who_completes(offers, call);
    default:
      return Error{ErrorKind::Internal, "not a function of resources, prompts or completions"};
  }
}

using Upstreams = std::set<std::shared_ptr<tool::Provider>>;

template <class Offered>
void add_upstreams(const std::vector<Offered>& from, Upstreams& into) {
  const tool::Provider* last = nullptr;  // the next entry is often of the same one
  for (const Offered& each : from) {
    if (each.provider.get() == last) continue;
    last = each.provider.get();
    if (last->identity().is_upstream()) into.insert(each.provider);
  }
}

// The upstreams of which a caller sees something.
Upstreams upstreams_in(const tool::Snapshot& seen) {
  Upstreams out;
  add_upstreams(seen.entries(), out);
  add_upstreams(seen.offers().resources(), out);
  add_upstreams(seen.offers().templates(), out);
  add_upstreams(seen.offers().prompts(), out);
  return out;
}

// True if an upstream may serve the target of the call in a new list. No upstream serves `skill:`.
bool can_be_new(const tool::Call& call) {
  return call.function == Function::ReadResource && !call.name.starts_with("skill:");
}

// Waits until the upstreams have read their lists that changed, or until `end`. Returns false if no
// list changed.
awaitable<bool> catch_up(Upstreams upstreams, Cancel& cancel, boost::asio::steady_timer& end) {
  // A provider can call back after the end of the wait.
  const auto wait = std::make_shared<boost::asio::steady_timer>(end.get_executor(), end.expiry());
  const auto left = std::make_shared<std::size_t>(0);
  bool is_any_behind = false;
  for (const auto& upstream : upstreams) {
    ++*left;
    const bool is_behind = upstream->catch_up([wait, left] {
      if (--*left == 0) wait->cancel();
    });
    if (!is_behind) --*left;
    is_any_behind = is_any_behind || is_behind;
  }
  upstreams.clear();  // replaced providers can retire, because the caller holds no view of them
  if (*left == 0) co_return is_any_behind;
  const auto registration = cancel.on_cancel([wait] { wait->cancel(); });
  co_await wait->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return true;
}

Result<tool::CallResult> as_ended_offer(tool::Call& call, Result<tool::CallResult> result) {
  auto ended = ended_call(call, result);
  if (!ended) return result;
  call.outcome = ended->outcome;
  return Error{ErrorKind::Cancelled, std::move(ended->words)};
}

}  // namespace

awaitable<Result<tool::CallResult>> OfferDispatcher::call(tool::Call& call) {
  call.started = parts_.clock.steady();
  const auto entry = parts_.live.enter(call);
  Result<tool::CallResult> result = Error{ErrorKind::Internal, "the call did not end"};
  try {
    result = co_await resolve_and_run(call);
    result = as_ended_offer(call, std::move(result));
  } catch (const std::exception& fault) {
    result = Error{ErrorKind::Internal, std::string("an exception: ") + fault.what()};
  }
  result = tool::without_fault_text(call, std::move(result));
  co_await tool::give_back(call.receipts);
  parts_.audit.record(call, result);
  parts_.metrics.ended(call, result, parts_.clock.steady());
  co_return result;
}

awaitable<Result<tool::CallResult>> OfferDispatcher::resolve_and_run(tool::Call& call) {
  if (parts_.live.refuses(call)) co_return Error{ErrorKind::Unavailable, kStopping};
  HOST_CO_TRY_ASSIGN(const Server server, co_await find_provider(call));
  if (!server) co_return nothing_completed();
  call.provider = server->name();
  if (call.function == Function::Complete) call.asker = nullptr;  // MCP: it may not ask
  const RunOnce once = [&] { return schedule_and_run(call, server); };
  HOST_CO_TRY_ASSIGN(tool::CallResult result,
                     co_await run_in_rounds(call, parts_.live, *server, nullptr, once));
  co_return check_offer_result(std::move(result), call, parts_.result_bytes);
}

awaitable<Result<Server>> OfferDispatcher::find_provider(tool::Call& call) {
  boost::asio::steady_timer end(co_await boost::asio::this_coro::executor, kForLists);
  for (int looks = 0;; ++looks) {
    auto view = parts_.views.of(call.passport->who);
    if (!view) co_return unknown("agent", call.passport->who.agent, "[agent.NAME]");
    auto server = resolve(view->snapshot->offers(), call);
    const bool is_missing = !server && server.error().kind == ErrorKind::NotFound;
    if (!is_missing || !can_be_new(call) || looks == kMostLooks) co_return server;
    Upstreams upstreams = upstreams_in(*view->snapshot);
    view.reset();
    const bool has_new_lists = co_await catch_up(std::move(upstreams), *call.cancel, end);
    if (call.cancel->requested()) co_return Error{ErrorKind::Cancelled, "cancelled"};
    if (!has_new_lists) co_return server;
  }
}

awaitable<Result<tool::CallResult>> OfferDispatcher::schedule_and_run(
    tool::Call& call, const std::shared_ptr<tool::Provider>& provider) {
  if (auto why = parts_.scheduler.full(call, provider)) {
    co_return Error{ErrorKind::Unavailable, *std::move(why)};
  }
  parts_.live.enter_phase(call, tool::Phase::Queued);
  HOST_CO_TRY_ASSIGN(executor::Slot slot, co_await parts_.scheduler.enter(call, provider));
  if (parts_.audit.required()) {
    HOST_CO_TRY(co_await parts_.audit.begin(call));
  }
  HOST_CO_TRY(co_await tool::spend(call.receipts));
  parts_.live.enter_phase(call, tool::Phase::Running);
  auto result = co_await parts_.executor.run(provider, nullptr, call, std::move(slot));
  if (call.ran) call.receipts.clear();
  co_return result;
}

}  // namespace host::router

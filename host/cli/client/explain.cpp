#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "cli/access/one_shot.h"
#include "cli/access/unserved_tool.h"
#include "cli/command/given_context.h"
#include "cli/command/tool_arguments.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/printed_result.h"
#include "identity/scopes.h"
#include "permission/decision/explain.h"
#include "router/step/arguments.h"
#include "router/step/interceptor_effect.h"
#include "router/step/result_step.h"
#include "router/toolkit/find_tools.h"

namespace host::cli {
namespace {

using boost::asio::awaitable;

// As who it is called: no client can call a post_ or an internal tool, and none without a key a
// priv_ tool.
tool::PassportPtr explained_passport(const CommandLine& line,
                                     std::shared_ptr<const tool::CallContext> given) {
  auto passport = std::make_shared<tool::Passport>();
  tool::give_context(*passport, std::move(given));
  passport->call = "explain";
  passport->who.agent = line.agent;
  const tool::Class called = tool::classify(line.tool);
  if (called == tool::Class::Post || called == tool::Class::Internal)
    passport->origin = tool::Origin::Host;
  if (called == tool::Class::Private) passport->who.principal = identity::kOperator;
  return passport;
}

std::string actions_before(const router::Route& route) {
  std::string names;
  for (const tool::Entry& entry : route.snapshot->entries()) {
    const auto& after = route.snapshot->after(entry.tool->name());
    const bool follows = std::any_of(after.begin(), after.end(), [&](const tool::Entry* post) {
      return post->tool == route.tool;
    });
    if (follows) names += (names.empty() ? "" : ", ") + entry.tool->name();
  }
  return names;
}

std::string post_gate(const router::Route& route, const permission::Decision& decision) {
  const std::string actions = actions_before(route);
  std::string text = "No client can call it: to clients it is an unknown tool. ";
  if (actions.empty()) return text + "It follows no tool that is served, so it never runs.";
  text += "The host would run it after a call of one of these succeeded: " + actions + ". ";
  if (decision.behavior == permission::Behavior::Deny)
    return text + "It does not run, because of the deny rule. The result of the call stays.";
  return text + "The approval of that call covers it. Deny rules alone can stop it.";
}

std::string code_gate(const permission::Decision& decision) {
  std::string text =
      "It is served to clients with a key or token alone: to others it is an unknown tool. ";
  if (decision.behavior == permission::Behavior::Deny)
    return text + "It is denied before a one-time code is asked for.";
  text +=
      "Each call needs a one-time code of its principal (`toolpost totp`), whatever the rules "
      "allow: "
      "with the call (X-Toolpost-TOTP), or with the approval in the console, by "
      "REST or `toolpost approvals`. ";
  return text + (decision.is_by_ask_rule()
                     ? "Because of the ask rule it also needs a reviewer's approval."
                     : "The code is also the approval.");
}

std::string gate_of(const router::Route& route, const permission::Decision& decision) {
  switch (route.tool->tool_class()) {
    case tool::Class::Post:
      return post_gate(route, decision);
    case tool::Class::Private:
      return code_gate(decision);
    case tool::Class::Internal:
      return "No client can call it: to clients it is an unknown tool. Plugins can, while they "
             "serve a call.";
    default:
      return {};
  }
}

// Which interceptors cover the call, and what they did to it ahead of the decision.
std::string interceptors_of(app::Core& core, const tool::Call& call, const router::Route& route,
                            const std::string& failures) {
  std::string around;
  for (const std::string& line : core.interceptors().describe(call, route))
    around += (around.empty() ? "" : "; ") + line;
  if (around.empty()) return {};
  std::string did;
  for (const std::string& line : call.interceptions) did += (did.empty() ? "" : "; ") + line;
  return "Interceptors, the outermost first: " + around +
         ". Ahead of the decision: " + (did.empty() ? "they changed nothing" : did) + "." +
         failures + " ";
}

// Why interceptors failed. The caller of `explain` is the operator, who may read that.
struct Failures {
  explicit Failures(router::Interceptors& of) : of_(of) {
    of_.on_failure([this](const std::string& plugin, const std::string& why) {
      words += " The interceptor \"" + plugin + "\" failed: " + why + ".";
    });
  }
  ~Failures() { of_.on_failure(nullptr); }
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  std::string words;

 private:
  router::Interceptors& of_;
};

// The client gets `end` only if it is valid for the tool.
int complain_of_end(const app::Core& core, const tool::Call& call, const router::Route& route,
                    const tool::CallResult& end, const std::string& failures) {
  const tool::CallResult checked =
      router::check_result(end, *route.tool, core.config().limits.result_bytes,
                           {router::writer_of_result(call), nullptr});
  std::string did;
  for (const std::string& line : call.interceptions) did += (did.empty() ? "" : "; ") + line;
  if (checked.is_error && !end.is_error) did += ", but the host refuses the answer";
  std::string said = result_text(checked);
  if (said.ends_with('\n')) said.pop_back();
  return complain({ErrorKind::Denied, "no decision: " + did + ":\n" + said + failures},
                  kExitFailure);
}

// A call of call_tool is a call of the tool that it names. A deny rule for that tool is a decision,
// which is explained later.
std::optional<Error> take_called_tool(app::Core& core, tool::Call& call, router::Route& route) {
  const std::string own = call.name;
  const auto end =
      router::take_inner_call(call, route, core.router(), core.permission(), router::Arguments());
  call.decision.clear();
  call.rule.clear();
  call.outcome.clear();
  const bool is_called = call.name != own && route.tool->name() == call.name;
  if (!end || is_called) return std::nullopt;
  std::string said = result_text(*end);
  if (said.ends_with('\n')) said.pop_back();
  return Error{ErrorKind::InvalidArgument, std::move(said)};
}

awaitable<int> print_explanation(app::Core& core, const CommandLine& line, json::Document arguments,
                                 std::shared_ptr<const tool::CallContext> given) {
  if (const auto reached = co_await reach_upstream_of(core, line.tool); !reached)
    co_return complain(reached.error(), kExitFailure);
  tool::Call call;
  call.passport = explained_passport(line, std::move(given));
  call.name = line.tool;
  call.arguments = std::move(arguments);
  auto route = core.router().take_route(call);
  if (!route) co_return complain(unserved_tool(core, line.agent, line.tool), kExitNotFound);
  if (const auto wrong = take_called_tool(core, call, *route)) co_return complain(*wrong);
  const Failures failures(core.interceptors());
  const bool post = route->tool->tool_class() == tool::Class::Post;
  if (!post && core.interceptors().cover(call, *route)) {
    const auto end = co_await core.interceptors().before(call, *route);
    if (!end) co_return complain(end.error(), kExitFailure);
    if (*end) co_return complain_of_end(core, call, *route, **end, failures.words);
  }
  // The host makes the arguments of a post_ tool: nobody has them yet.
  const auto refusal = post ? std::nullopt : router::Arguments().prepare(call, *route->tool);
  if (refusal) {
    std::string said = result_text(*refusal);
    if (said.ends_with('\n')) said.pop_back();
    co_return complain({ErrorKind::InvalidArgument, std::move(said)}, kExitFailure);
  }
  permission::Trace trace;
  permission::Decision decision;
  if (post) {
    decision = core.permission().decide_post(call, *route);
  } else {
    decision = co_await core.permission().decide(call, *route, &trace);
  }
  // No rule replaces a one-time code.
  if (route->tool->tool_class() == tool::Class::Private) decision.suggestions.clear();
  const std::string gate =
      interceptors_of(core, call, *route, failures.words) + gate_of(*route, decision);
  const tool::Standing standing =
      tool::standing_of(route->tool->declared(), route->provider->identity().kind);
  if (line.json) {
    std::cout << permission::explain_json(decision, trace, standing, gate) << '\n';
  } else {
    std::cout << permission::explain(decision, trace, standing, gate);
  }
  co_return kExitOk;
}

}  // namespace

int explain(const CommandLine& line, config::Config config) {
  auto arguments = tool_arguments(line.arguments);
  if (!arguments) return complain(arguments.error(), kExitUsage);
  auto given = given_context(line);
  if (!given) return complain(given.error(), kExitUsage);
  return one_shot(std::move(config), [&](app::Core& core) {
    return print_explanation(core, line, std::move(*arguments), *std::move(given));
  });
}

}  // namespace host::cli

#include <boost/asio/awaitable.hpp>

#include <iostream>

#include "cli/exit_code.h"
#include "cli/one_shot.h"
#include "cli/printed_result.h"
#include "cli/tool_arguments.h"
#include "cli/verbs.h"
#include "identity/scopes.h"
#include "permission/explain.h"
#include "router/arguments.h"

namespace host::cli {
namespace {

using boost::asio::awaitable;

awaitable<int> print_explanation(app::Core& core, const CommandLine& line,
                                 json::Document arguments) {
  tool::Call call;
  call.id = "explain";
  call.name = line.tool;
  call.arguments = std::move(arguments);
  call.given = tool::given_by({std::string(identity::kLocal), line.agent});
  const auto route = core.router().resolve(call);
  if (!route) {
    std::cerr << "toolpost: " << route.error().message << '\n';
    co_return kExitNotFound;
  }
  if (const auto refusal = router::Arguments().prepare(call, *route->tool)) {
    std::cerr << result_text(*refusal);
    co_return kExitFailure;
  }
  permission::Trace trace;
  const permission::Decision decision = co_await core.permission().decide(call, *route, &trace);
  if (line.json) {
    std::cout << permission::explain_json(decision, trace) << '\n';
  } else {
    std::cout << permission::explain(decision, trace);
  }
  co_return kExitOk;
}

}  // namespace

int explain(const CommandLine& line, config::Config config) {
  auto arguments = tool_arguments(line.arguments);
  if (!arguments) {
    std::cerr << "toolpost: " << arguments.error().message << '\n';
    return kExitUsage;
  }
  return one_shot(std::move(config), [&](app::Core& core) {
    return print_explanation(core, line, std::move(*arguments));
  });
}

}  // namespace host::cli

#include <boost/asio/awaitable.hpp>

#include <iostream>

#include "cli/complaint.h"
#include "cli/exit_code.h"
#include "cli/one_shot.h"
#include "cli/printed_result.h"
#include "cli/tool_arguments.h"
#include "cli/verbs.h"
#include "identity/scopes.h"
#include "permission/decision/explain.h"
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
  if (!route) co_return complain(route.error(), kExitNotFound);
  if (const auto refusal = router::Arguments().prepare(call, *route->tool)) {
    std::string said = result_text(*refusal);
    if (said.ends_with('\n')) said.pop_back();
    co_return complain({ErrorKind::InvalidArgument, std::move(said)}, kExitFailure);
  }
  permission::Trace trace;
  const permission::Decision decision = co_await core.permission().decide(call, *route, &trace);
  const tool::Standing standing =
      tool::standing_of(route->tool->declared(), route->provider->identity().kind);
  if (line.json) {
    std::cout << permission::explain_json(decision, trace, standing) << '\n';
  } else {
    std::cout << permission::explain(decision, trace, standing);
  }
  co_return kExitOk;
}

}  // namespace

int explain(const CommandLine& line, config::Config config) {
  auto arguments = tool_arguments(line.arguments);
  if (!arguments) return complain(arguments.error(), kExitUsage);
  return one_shot(std::move(config), [&](app::Core& core) {
    return print_explanation(core, line, std::move(*arguments));
  });
}

}  // namespace host::cli

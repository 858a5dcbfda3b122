#include <boost/asio/awaitable.hpp>

#include <iostream>

#include "cli/exit_code.h"
#include "cli/given_context.h"
#include "cli/one_shot.h"
#include "cli/printed_result.h"
#include "cli/tool_arguments.h"
#include "cli/verbs.h"

namespace host::cli {
namespace {

using boost::asio::awaitable;

int exit_code_of(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (!result) {
    switch (result.error().kind) {
      case ErrorKind::NotFound:
        return kExitNotFound;
      case ErrorKind::DeadlineExceeded:
        return kExitTimeout;
      default:
        return kExitFailure;
    }
  }
  if (call.outcome == "denied" || call.outcome == "needs_approval" || call.outcome == "pending")
    return kExitDenied;
  return result->is_error ? kExitFailure : kExitOk;
}

// Progress goes where it does not mix with the result.
class PrintedProgress final : public tool::Observer {
 public:
  void progress(double done, double total, std::string_view message) override {
    if (total > 0) {
      std::cerr << done << '/' << total << ' ';
    } else if (message.empty()) {
      std::cerr << done;
    }
    std::cerr << message << '\n';
  }
  void log(int, std::string_view logger, std::string_view message, std::string_view) override {
    std::cerr << logger << ": " << message << '\n';
  }
};

awaitable<int> print_call(app::Core& core, const CommandLine& line, json::Document arguments,
                          std::shared_ptr<const tool::CallContext> given) {
  PrintedProgress progress;
  tool::Call call;
  call.id = "cli";
  call.name = line.tool;
  call.peer = "cli";
  call.arguments = std::move(arguments);
  call.given = std::move(given);
  call.observer = &progress;
  const auto result = co_await core.dispatcher().call(call);
  if (!result) {
    std::cerr << "toolpost: " << result.error().message << '\n';
  } else if (line.json) {
    std::cout << result_json(*result);
  } else {
    (result->is_error ? std::cerr : std::cout) << result_text(*result);
  }
  co_return exit_code_of(call, result);
}

}  // namespace

int call(const CommandLine& line, config::Config config) {
  auto arguments = tool_arguments(line.arguments);
  if (!arguments) {
    std::cerr << "toolpost: " << arguments.error().message << '\n';
    return kExitUsage;
  }
  auto given = given_context(line);
  if (!given) {
    std::cerr << "toolpost: " << given.error().message << '\n';
    return kExitUsage;
  }
  return one_shot(std::move(config), [&](app::Core& core) {
    return print_call(core, line, std::move(*arguments), *std::move(given));
  });
}

}  // namespace host::cli

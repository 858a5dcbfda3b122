#include <boost/asio/awaitable.hpp>

#include <iostream>

#include "app/core/name_check.h"
#include "cli/access/one_shot.h"
#include "cli/command/given_context.h"
#include "cli/command/tool_arguments.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/diagnostics_json.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/printed_result.h"

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
  return result->is_error || !result->lacking.empty() ? kExitFailure : kExitOk;
}

// Progress goes where it does not mix with the result.
class PrintedProgress final : public tool::Observer {
 public:
  void progress(double done, double total, std::string_view message) override {
    Line out(std::cerr);
    if (total > 0) {
      out << done << '/' << total << ' ';
    } else if (message.empty()) {
      out << done;
    }
    out << message;
  }
  void log(int, std::string_view logger, std::string_view message, std::string_view) override {
    Line(std::cerr) << logger << ": " << message;
  }
};

tool::PassportPtr passport_of(const CommandLine& line,
                              std::shared_ptr<const tool::CallContext> given) {
  auto passport = std::make_shared<tool::Passport>();
  passport->call = passport->connection = "cli";
  passport->who.agent = line.agent;
  tool::give_context(*passport, std::move(given));
  return passport;
}

awaitable<int> print_call(app::Core& core, const CommandLine& line, json::Document arguments,
                          std::shared_ptr<const tool::CallContext> given) {
  if (const auto unknown = app::check_names(core); config::has_error(unknown)) {
    for (const config::Diagnostic& one : unknown) std::cerr << one.describe() << '\n';
    co_return complain_of_configuration(diagnostics_json(unknown));
  }
  if (const auto reached = co_await reach_upstream_of(core, line.tool); !reached)
    co_return complain(reached.error(), kExitFailure);
  PrintedProgress progress;
  tool::Call call;
  call.passport = passport_of(line, std::move(given));
  call.name = line.tool;
  call.arguments = std::move(arguments);
  call.observer = &progress;
  const auto result = co_await core.dispatcher().call(call);
  if (!result) {
    complain(result.error());
  } else if (!result->lacking.empty() && result->content.empty()) {
    complain({ErrorKind::Denied,
              "\"" + line.tool + "\" needs a client with the capabilities " + result->lacking});
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
  if (!arguments) return complain(arguments.error(), kExitUsage);
  auto given = given_context(line);
  if (!given) return complain(given.error(), kExitUsage);
  return one_shot(std::move(config), [&](app::Core& core) {
    return print_call(core, line, std::move(*arguments), *std::move(given));
  });
}

}  // namespace host::cli

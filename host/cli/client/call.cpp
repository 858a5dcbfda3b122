#include <boost/asio/awaitable.hpp>

#include <iostream>
#include <string>
#include <utility>

#include "app/core/name_check.h"
#include "cli/access/one_shot.h"
#include "cli/access/unserved_tool.h"
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

// The id of the approval request that a progress message names. Empty: none.
std::string approval_in(std::string_view message) {
  const std::size_t at = message.find("ap_");
  if (at == std::string_view::npos || !message.starts_with("waits for a person's ")) return {};
  constexpr std::string_view kLetters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";
  const std::size_t end = message.find_first_not_of(kLetters, at);
  return std::string(message.substr(at, end == std::string_view::npos ? end : end - at));
}

// Progress goes where it does not mix with the result.
class PrintedProgress final : public tool::Observer {
 public:
  void progress(double done, double total, std::string_view message) override {
    // The same words again mean only that the call still waits, for example for an approval.
    const bool is_new = std::exchange(last_message_, std::string(message)) != message;
    if (total <= 0 && !message.empty() && !is_new) return;
    {
      Line out(std::cerr);
      if (total > 0) {
        out << done << '/' << total << ' ';
      } else if (message.empty()) {
        out << done;
      }
      out << message;
    }
    if (const std::string approval = approval_in(message); !approval.empty())
      Line(std::cerr) << "To see the request: toolpost approvals show " << approval;
  }
  void log(int, std::string_view logger, std::string_view message, std::string_view) override {
    Line(std::cerr) << logger << ": " << message;
  }

 private:
  std::string last_message_;
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
  core.interceptors().on_failure([](const std::string& plugin, const std::string& why) {
    Line(std::cerr) << "toolpost: the interceptor \"" << plugin << "\" failed: " << why;
  });
  const auto result = co_await core.dispatcher().call(call);
  if (!result) {
    const bool is_unknown = result.error().kind == ErrorKind::NotFound &&
                            !core.router().resolve(call.passport->who, line.tool);
    complain(is_unknown ? unserved_tool(core, line.agent, line.tool) : result.error());
  } else if (!result->lacking.empty() && result->content.empty()) {
    complain({ErrorKind::Denied, "\"" + line.tool + "\" needs a client with the capabilities " +
                                     result->lacking.text()});
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

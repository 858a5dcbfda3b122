#include "plugin/lifecycle/plugin_check.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>

#include "base/cancel.h"
#include "base/unique_fd.h"
#include "config/key/form.h"
#include "json/json.h"
#include "json/schema/example.h"
#include "plugin/answer/result_builder.h"
#include "plugin/declared/policy.h"
#include "plugin/file/elf_check.h"
#include "plugin/file/staging.h"
#include "plugin/lifecycle/begun.h"
#include "plugin/lifecycle/side_file.h"
#include "plugin/serving/grants.h"
#include "plugin/serving/worker_generation.h"
#include "tool/call/intercepted.h"
#include "tool/call/interception.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using Answer = Result<tool::CallResult>;

constexpr std::uint64_t kMostExampleBytes = 4u << 20u;

// A call's end as something to wait for.
asio::awaitable<Answer> finished(std::shared_ptr<WorkerProcess> worker,
                                 std::shared_ptr<tool::Invocation> invocation,
                                 asio::any_io_executor io) {
  auto initiate = [](auto handler, std::shared_ptr<WorkerProcess> process,
                     std::shared_ptr<tool::Invocation> call, asio::any_io_executor executor) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    call->set_on_finish([kept, executor](Answer answer) {
      auto shared = std::make_shared<Answer>(std::move(answer));
      asio::post(executor, [kept, shared] { std::move (*kept)(std::move(*shared)); });
    });
    process->call(std::move(call), false);
  };
  Answer answer = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(
      initiate, asio::use_awaitable, std::move(worker), std::move(invocation), std::move(io));
  co_return answer;
}

// The same for the end of a worker that is asked to exit.
asio::awaitable<WorkerDeath> ended(std::shared_ptr<WorkerProcess> worker,
                                   std::chrono::milliseconds drain, asio::any_io_executor io) {
  auto initiate = [](auto handler, std::shared_ptr<WorkerProcess> process,
                     std::chrono::milliseconds time, asio::any_io_executor executor) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    process->on_ended([kept, executor](WorkerDeath death) {
      for (const LostCall& call : death.calls)
        call.invocation->finish(Error{ErrorKind::Cancelled, "its worker ended"});
      auto shared = std::make_shared<WorkerDeath>(std::move(death));
      asio::post(executor, [kept, shared] { std::move (*kept)(std::move(*shared)); });
    });
    process->retire(time);
  };
  WorkerDeath death =
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void(WorkerDeath)>(
          initiate, asio::use_awaitable, std::move(worker), drain, std::move(io));
  co_return death;
}

std::string shown(const tool::CallResult& result) {
  if (result.round) return "asks its client first";
  if (!result.lacking.empty()) return "needs a client that can be asked";
  if (!result.structured.empty()) return result.structured;
  const auto tree = json::parse("[" + result.content + "]");
  if (!tree || tree->root().Empty()) return {};
  const std::string text(json::find_text(tree->root()[0], "text"));
  return text.empty() ? json::write(tree->root()[0]) : text;
}

class Check {
 public:
  Check(asio::any_io_executor io, CheckRequest request)
      : io_(std::move(io)), request_(std::move(request)) {}

  asio::awaitable<CheckReport> run() {
    const Result<void> sound = check_file();
    if (!sound) fault("P001", "", sound.error().message);
    for (const LintFinding& finding : report_.lint.findings)
      add(finding.weight == Weight::Refused, finding.code, "", finding.message);
    if (!report_.faulty()) co_await probe();
    co_return std::move(report_);
  }

 private:
  void add(bool is_fault, std::string code, std::string tool, std::string message) {
    report_.findings.push_back({is_fault, std::move(code), std::move(tool), std::move(message)});
  }
  void fault(const char* code, const std::string& tool, std::string message) {
    add(true, code, tool, std::move(message));
  }

  Result<void> check_file() {
    if (const char* form = config::plugin_name_form(request_.file.stem().string()))
      fault("P006", "", "the file name is not a plugin name: expected " + std::string(form));
    HOST_TRY(check_writers(request_.file));
    const UniqueFd fd(::open(request_.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return Error{ErrorKind::Io, "cannot be opened"};
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
      return Error{ErrorKind::PluginFault, "is no regular file"};
    HOST_TRY(check_elf(fd.get(), static_cast<std::uint64_t>(info.st_size)));
    report_.lint = lint_plugin_file(fd.get());
    return {};
  }

  asio::awaitable<void> probe() {
    auto staging = Staging::open({});
    auto staged =
        staging ? staging->stage(request_.file, request_.file.stem().string(), 1) : staging.error();
    if (!staged) {
      fault("P001", "", staged.error().message);
      co_return;
    }
    Surroundings around;
    around.io = io_;
    around.worker = request_.worker;
    around.result_bytes = 16u << 20u;
    around.start_timeout = request_.start_timeout;
    around.grace = std::chrono::milliseconds(500);
    around.ping_every = std::chrono::seconds(5);
    around.pong_within = std::chrono::seconds(15);
    around.place_within = std::chrono::seconds(10);  // the report names it
    Build build;
    build.plugin = request_.file.stem().string();
    build.number = 1;
    build.staged = std::make_shared<const StagedFile>(*staged);
    build.settings = request_.settings;
    build.profile = for_trial(profile_of({}, {}), config::Isolation::Worker,
                              request_.start_timeout + request_.call_timeout);
    around.work_dir = staging->empty_folder();
    const auto worker =
        WorkerProcess::create(io_, WorkerGeneration::worker_settings(around, build, true));
    const auto text = co_await begun(worker);
    if (text) {
      co_await look_at(worker, *text);
      co_await end(worker, around);
    } else {
      const bool settings = text.error().kind == ErrorKind::InvalidArgument;
      fault("P002", "", text.error().message + (settings ? ": give them by --settings" : ""));
    }
  }

  // What it does at its end is seen by nobody later: the host only logs it.
  asio::awaitable<void> end(std::shared_ptr<WorkerProcess> worker, const Surroundings& around) {
    if (!worker->ready()) co_return;  // a call ended it, which was told
    const WorkerDeath death = co_await ended(worker, around.grace, io_);
    if (death.wanted) co_return;
    std::string place = describe(death.trace);
    if (!place.empty()) place = ":\n" + place;
    fault("P007", "", "its worker " + death.words() + " when the plugin had to end" + place);
  }

  asio::awaitable<void> look_at(std::shared_ptr<WorkerProcess> worker, const std::string& text) {
    auto manifest = read_manifest(text);
    const auto offer = manifest ? make_offer(request_.file.stem().string(), *manifest, {})
                                : Result<Offer>(manifest.error());
    if (!offer) {
      fault("P003", "", offer.error().message);
      co_return;
    }
    append(review(*manifest));
    check_settings_schema(*manifest);
    co_await check_interceptor(worker, manifest->intercepts);
    const auto narrowed = check_side_file(*manifest);
    report_.manifest = std::move(*manifest);
    for (const auto& tool : offer->tools) {
      if (tool::is_reserved(tool->name()))
        fault("P003", tool->name(), "the name is reserved for a tool of the host");
      report_.tools.push_back(tool);
      append(review(*tool));
      const bool callable = tool->reads() == tool::Reads::Always || request_.call_all;
      if (!callable || tool->declared().external) continue;
      if (!worker->ready()) break;
      co_await call_example(worker, tool);
    }
    if (narrowed) report_.tools = *narrowed;
  }

  // The tools as the side file leaves them; nullopt: there is none, or it is refused. Whether its
  // keys for the whole plugin restrict it depends on the host's configuration, which is not known.
  std::optional<std::vector<std::shared_ptr<const tool::Tool>>> check_side_file(
      const Manifest& manifest) {
    const auto side = load_side_file(request_.file);
    if (!side) fault("P009", "", side.error().message);
    if (!side || !*side) return std::nullopt;
    report_.side_file = (*side)->file;
    report_.side_keys = (*side)->keys();
    for (const std::string& key : (*side)->plugin_keys()) {
      if (can_restrict(key)) continue;
      add(false, "W107", "",
          "its side file sets " + key + ", which only a folder of plugins.trusted_dirs may have");
    }
    Terms terms{config::Plugin()};
    terms.for_tools = *side;
    terms.call_timeout = config::Call().timeout;
    auto narrowed = make_offer(request_.file.stem().string(), manifest, terms);
    if (narrowed) return std::move(narrowed->tools);
    fault("P009", "", narrowed.error().message);
    return std::nullopt;
  }

  void append(std::vector<Finding> findings) {
    std::move(findings.begin(), findings.end(), std::back_inserter(report_.findings));
  }

  void check_settings_schema(const Manifest& manifest) {
    if (manifest.config_schema.empty()) return;
    const auto compiled = json::schema::Schema::compile(manifest.config_schema);
    if (!compiled) fault("P003", "", "config_schema is not valid: " + compiled.error().message);
  }

  // Each function once, around a call that no tool has. It may change or refuse it.
  asio::awaitable<void> check_interceptor(std::shared_ptr<WorkerProcess> worker,
                                          tool::Intercepts has) {
    const std::string result = tool::as_input(tool::CallResult::text("example"));
    const std::string arguments = has.no_arguments ? "" : "{}";
    if (has.before) co_await intercept(worker, tool::Function::BeforeCall, arguments);
    if (has.enter) co_await intercept(worker, tool::Function::EnterCall, arguments);
    if (has.message)
      co_await intercept(worker, tool::Function::CallMessage, R"({"text":"example"})");
    if (has.leave) co_await intercept(worker, tool::Function::LeaveCall, result);
  }

  asio::awaitable<void> intercept(std::shared_ptr<WorkerProcess> worker, tool::Function function,
                                  std::string input) {
    if (!worker->ready()) co_return;  // an earlier function ended it, which was told
    auto invocation = std::make_shared<tool::Invocation>();
    invocation->function = function;
    invocation->name = "example";
    invocation->arguments = std::move(input);
    invocation->context = tool::write_intercepted({"example", "example", {}});
    auto passport = std::make_shared<tool::Passport>();
    passport->call = passport->who.principal = "check";
    invocation->passport = std::move(passport);
    invocation->cancel = std::make_shared<Cancel>();
    invocation->deadline = std::chrono::steady_clock::now() + request_.call_timeout;
    const Answer answer = co_await finished(worker, std::move(invocation), io_);
    const auto why = answer ? fault_of_interception(function, *answer) : answer.error().message;
    if (!why.empty()) fault("P008", "", "its interceptor failed around an example call: " + why);
  }

  static std::string fault_of_interception(tool::Function function,
                                           const tool::CallResult& answer) {
    if (function == tool::Function::CallMessage) {
      const auto read = tool::read_message(answer.structured, {});
      return read ? std::string() : read.error().message;
    }
    const auto read = tool::read_interception(function, answer.structured, kMostExampleBytes);
    return read ? std::string() : read.error().message;
  }

  asio::awaitable<void> call_example(std::shared_ptr<WorkerProcess> worker,
                                     std::shared_ptr<const tool::Tool> tool) {
    const auto arguments = json::schema::example_of(tool->input_tree(), tool->input());
    if (!arguments) {
      add(false, "W105", tool->name(),
          "found no example arguments that match its schema: give its parameters \"examples\"");
      co_return;
    }
    auto invocation = std::make_shared<tool::Invocation>();
    invocation->tool = tool;
    invocation->arguments = *arguments;
    invocation->context = R"({"mode":"default","working_dirs":[]})";
    auto passport = std::make_shared<tool::Passport>();
    passport->call = passport->who.principal = "check";
    invocation->passport = std::move(passport);
    invocation->cancel = std::make_shared<Cancel>();
    invocation->deadline = std::chrono::steady_clock::now() + request_.call_timeout;
    const auto began = std::chrono::steady_clock::now();
    const Answer answer = co_await finished(worker, std::move(invocation), io_);
    ExampleCall made{tool->name(), *arguments, {}, {}};
    made.took = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - began);
    made.answer = answer ? shown(*answer) : answer.error().message;
    judge(*tool, answer, made.answer);
    report_.calls.push_back(std::move(made));
  }

  void judge(const tool::Tool& tool, const Answer& answer, const std::string& text) {
    if (!answer) {
      fault("P004", tool.name(), "a call with example arguments failed: " + text);
    } else if (answer->round || !answer->lacking.empty()) {
      return;
    } else if (answer->is_error && text.ends_with(kEndedWithoutResult)) {
      fault("P004", tool.name(), "a call with example arguments failed: " + text);
    } else if (answer->is_error) {
      add(false, "W106", tool.name(),
          "answers example arguments with an error (" + text +
              "): give its parameters \"examples\" that work, or ignore this if the tool needs "
              "what the check does not have, such as the host's storage");
    } else if (const json::schema::Schema* schema = tool.output()) {
      const auto tree = json::parse(answer->structured);
      std::vector<json::schema::Violation> violations;
      if (!tree || !schema->validate(tree->root(), violations)) {
        fault("P005", tool.name(),
              "a result does not match its output schema: " +
                  (tree ? json::schema::describe(violations) : "there is no structured content"));
      }
    }
  }

  asio::any_io_executor io_;
  CheckRequest request_;
  CheckReport report_;
};

}  // namespace

bool CheckReport::faulty() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.fault; });
}

asio::awaitable<CheckReport> check_plugin(asio::any_io_executor io, CheckRequest request) {
  Check check(std::move(io), std::move(request));
  CheckReport report = co_await check.run();
  co_return report;
}

}  // namespace host::plugin

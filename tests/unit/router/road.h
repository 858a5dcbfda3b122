// The whole call pipeline over a fake provider, with a policy that each test sets.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/executor.h"
#include "executor/scheduler.h"
#include "router/dispatch/dispatcher.h"
#include "store/audit/audit.h"
#include "store/desk.h"
#include "store/sqlite/sqlite.h"
#include "store/store.h"
#include "support/fake_provider.h"
#include "support/passports.h"
#include "support/run_loop.h"

namespace host::router {

struct Road : testing::Test {
  test::RunLoop loop;
  permission::Settings policy;
  std::vector<config::Group> groups;
  config::Config config;
  std::string agent;
  bool ask_client = true;
  std::function<Result<void>()> on_cleared;
  tool::Recorder* recorder = nullptr;
  tool::CallerWork* callers = nullptr;
  tool::EndWatcher* ends = nullptr;
  std::shared_ptr<store::Desk> desk;                        // null: no results are kept
  Dispatcher::Listener on_call;                             // null: nobody listens
  std::function<std::unique_ptr<tool::Receipt>()> receipt;  // that the call has from the start
  std::filesystem::path audit_file;
  std::shared_ptr<const permission::Rulebook> rules;
  std::vector<config::Interceptor> interceptors;
  store::Audit::Required audit_required = store::Audit::Required::No;
  std::function<void()> before_call;  // once the audit is open
  executor::Scheduler::Settings limits;
  bool continues = false;        // the tool has asked in an earlier round of the call
  bool outlives = false;         // the call is of a task
  tool::Answers kept;            // what the host has kept for the call since its earlier round
  bool is_occupied = false;      // the principal's one unit is taken, until `occupied` is reset
  std::function<void()> occupy;  // takes the unit while a call runs
  executor::Slot occupied;
  metrics::Registry counted;
  CallMetrics metrics{counted};
  LiveCalls live;
  tool::Catalog catalog;
  std::shared_ptr<test::FakeProvider> provider = std::make_shared<test::FakeProvider>();

  Road() {
    policy.place = {"/home/u", "/tmp"};
    std::string name = (std::filesystem::temp_directory_path() / "toolpost-road-XXXXXX").string();
    audit_file = std::filesystem::path(::mkdtemp(name.data())) / "audit.jsonl";
  }
  ~Road() override { std::filesystem::remove_all(audit_file.parent_path()); }

  void rule(std::string tool, permission::Behavior behavior) {
    permission::Rule made;
    made.tool = std::move(tool);
    made.behavior = behavior;
    policy.rules.push_back(made);
  }

  // As a host does after a change of the rules.
  void apply_rules() {
    permission::Rulebook book = permission::make_rulebook(config, policy.place, {});
    book.engine = permission::Engine(policy);
    rules = std::make_shared<const permission::Rulebook>(std::move(book));
  }

  Result<tool::CallResult> call(const std::string& name, std::string_view arguments = "{}",
                                tool::Asker* asker = nullptr,
                                tool::Origin origin = tool::Origin::Peer) {
    catalog.set("fake", provider);
    config.groups = groups;
    apply_rules();
    auto audit = store::Audit::open(audit_file, system_clock(), {}, audit_required);
    executor::Scheduler scheduler(loop.io.get_executor(), limits);
    tool::Call other;
    other.passport = test::passport("c0");
    occupy = [&] {
      auto slot = scheduler.enter_at_once(other, provider->tools().front());
      ASSERT_TRUE(slot);
      occupied = *std::move(slot);
    };
    if (is_occupied) occupy();
    executor::Executor executor(loop.io.get_executor());
    Profiles profiles(catalog, config);
    Views views(catalog, profiles);
    Router router(views, rules);
    PermissionStep permission(rules, executor);
    approval::Gate gate(ask_client);
    Idempotency idempotency(loop.io.get_executor(), desk, {});
    CheckTurns turns(system_clock());
    Dispatcher::Parts parts{router,      permission,           gate,      scheduler, executor,
                            *audit,      system_clock(),       1u << 20u, metrics,   live,
                            idempotency, SessionStep(nullptr), nullptr,   nullptr,   callers};
    parts.ends = ends;
    Interceptors around(catalog, executor, interceptors, 1u << 20u, turns);
    if (!interceptors.empty()) parts.interceptors = &around;
    Dispatcher dispatcher(parts, turns);
    if (on_call) dispatcher.on_call(on_call);
    tool::Call made;
    made.passport = test::passport_with([&](tool::Passport& passport) {
      passport.call = "c1";
      passport.origin = origin;
      passport.who.agent = agent;
    });
    made.name = name;
    made.arguments = *json::parse(arguments);
    made.asker = asker;
    made.on_cleared = on_cleared;
    made.recorder = recorder;
    made.continues = continues;
    made.outlives = outlives;
    made.continuation.answers = kept;
    if (receipt) made.receipts.push_back(receipt());
    if (before_call) before_call();
    auto result = loop.get(dispatcher.call(made));
    audit->flush();
    return result;
  }

  // The audit's lines so far, parsed.
  std::vector<json::Document> audited() const {
    std::vector<json::Document> lines;
    std::ifstream file(audit_file);
    for (std::string line; std::getline(file, line);) lines.push_back(*json::parse(line));
    return lines;
  }
};

inline tool::Declaration read_only(std::string name) {
  tool::Declaration declared = test::declaration(std::move(name));
  declared.read_only = true;
  return declared;
}

// Gives the same answer to every question, or leaves them all for later.
struct Person : tool::Asker {
  explicit Person(std::string says) : action(std::move(says)) {}
  tool::Abilities abilities() const override {
    tool::Abilities able;
    able.forms = true;
    return able;
  }
  tool::Continuation take_resumed() override { return resumed; }
  boost::asio::awaitable<Result<std::optional<tool::Answers>>> ask(
      const tool::Call&, const tool::Round& round) override {
    ++asked;
    if (on_ask) on_ask();
    if (fault) co_return *fault;
    if (!round.questions.empty()) last = round.questions.front().params;
    std::optional<tool::Answers> answers;
    if (later) co_return answers;
    answers.emplace();
    for (const tool::Question& question : round.questions) {
      answers->emplace(question.key, R"({"action":")" + action + R"(","content":{}})");
    }
    co_return answers;
  }
  boost::asio::awaitable<Result<bool>> send_to(const tool::Call&, tool::Visit&) override {
    co_return Error{ErrorKind::Internal, "sent to a page"};
  }
  std::string action;
  bool later = false;
  std::function<void()> on_ask;  // null: nothing happens while the client is asked
  std::optional<Error> fault;    // the client cannot be asked after all
  tool::Continuation resumed;
  int asked = 0;
  std::string last;
};

inline tool::CallResult asks(std::string key, std::string state) {
  tool::CallResult result;
  result.round.emplace();
  result.round->questions.push_back({std::move(key), "roots/list", "{}"});
  result.round->state = std::move(state);
  return result;
}

}  // namespace host::router

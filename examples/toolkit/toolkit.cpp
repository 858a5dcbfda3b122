// The tools that a manual of agent frameworks shows first, as one plugin: a function, a class with a
// permission of its own, a tool that a person executes, a tool that knows its user, and two groups.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <cctz/time_zone.h>
#include <toolpost/toolpost.hpp>

namespace {

using toolpost::Field;

// ---- A function is a tool ----

struct Zone {
  Field<std::string, "IANA timezone, e.g. Asia/Shanghai",
        toolpost::Pattern<"^[A-Za-z0-9_+-][A-Za-z0-9_+/-]*$">, toolpost::MaxLength<64>>
      timezone;
};

// cctz remembers names that it cannot load, too, as long as the process runs. So a name must have a
// file where cctz looks for it.
bool is_known(const std::string& name) {
  const char* const folder = std::getenv("TZDIR");
  const bool is_set = folder != nullptr && *folder != 0;
  std::error_code error;
  return name == "UTC" ||
         std::filesystem::is_regular_file(
             std::filesystem::path(is_set ? folder : "/usr/share/zoneinfo") / name, error);
}

std::string current_time(const Zone& args) {
  // A plugin must not set the variable TZ, because other threads of its process read it.
  cctz::time_zone zone;
  const std::string& name = args.timezone.get();
  if (!is_known(name) || !cctz::load_time_zone(name, &zone)) {
    throw toolpost::Error("there is no time zone " + name);
  }
  return cctz::format("%Y-%m-%dT%H:%M:%S", std::chrono::system_clock::now(), zone);
}

// ---- A class is a tool, with its own permission ----

class Toolkit;

struct Query {
  Field<std::string, "The search query.", toolpost::MinLength<1>> query;
};

struct WebSearch : toolpost::Tool<Query, Toolkit> {
  toolpost::Permission check_permissions(Toolkit&, const Query&,
                                         const toolpost::Check&) const override {
    return {toolpost::Behavior::allow, "Web search is read-only.", {}, false};
  }
  toolpost::Task<std::string> call(Toolkit& toolkit, const Query& args,
                                   toolpost::Context& call) const;
};

// ---- A tool that somebody else executes ----

struct Sensitive {
  std::string action;
  std::string reason;
};

struct Verdict {
  Field<bool, "Whether the action may happen"> approved;
  Field<std::optional<std::string>, "What the person said"> comment;
};

// ---- Tools that know their user ----

struct UserContext {
  static constexpr const char* context_type = "org.example.UserContext";
  std::string username;
  std::string locale;
};

struct Greeting {
  Field<std::string, "Greeting word, e.g. 'Hello'"> greeting;
};

std::string greet(const Greeting& args, std::optional<UserContext> user) {
  return args.greeting + ", " + (user ? user->username : "unknown") + "!";
}

struct TenantConfig {
  static constexpr const char* context_type = "org.example.TenantConfig";
  std::string database;
};

struct Nothing {};

// The principal is who called. What the caller sent along is in entries, by type.
std::string tenant(const Nothing&, toolpost::Context& call) {
  const auto config = call.entry<TenantConfig>(TenantConfig::context_type);
  return std::string(call.principal()) + " uses " +
         (config ? config->database : "the default database");
}

// ---- Tools of two groups, which the model switches with reset_tools ----

struct Statement {
  Field<std::string, "One SQL statement", toolpost::MinLength<1>> sql;
};

struct Service {
  Field<std::string, "The service's name", toolpost::MinLength<1>> service;
};

class Toolkit {
 public:
  struct Settings {
    Field<std::string, "Where WebSearch posts its queries"> search_url = "https://search.example/";
  };

  explicit Toolkit(Settings settings) : settings_(std::move(settings)) {}

  const std::string& search_url() const { return settings_.search_url.get(); }

  std::string query(const Statement& statement) const {
    return std::to_string(statements_) +
           " statements so far; this one reads: " + statement.sql.get();
  }
  std::string migrate(const Statement& statement) {
    ++statements_;
    return "migrated by: " + statement.sql.get();
  }
  std::string deploy(const Service& service) {
    ++deployed_;
    return service.service + " is deployed, build " + std::to_string(deployed_);
  }
  std::string rollback(const Service& service) {
    if (deployed_ == 0)
      throw toolpost::Error("nothing was deployed, so nothing can be rolled back");
    --deployed_;
    return service.service + " is back at build " + std::to_string(deployed_);
  }

 private:
  Settings settings_;
  int statements_ = 0;
  int deployed_ = 0;
};

// A coroutine: it holds no thread while the search runs.
toolpost::Task<std::string> WebSearch::call(Toolkit& toolkit, const Query& args,
                                            toolpost::Context& call) const {
  toolpost::Completion<toolpost::ServiceAnswer> searched;
  call.http(
      {.url = toolkit.search_url(), .method = "POST", .body = toolpost::to_json(args)},
      [searched](toolpost::ServiceAnswer answer) mutable { searched.finish(std::move(answer)); });
  toolpost::ServiceAnswer answer = co_await searched;
  const toolpost::HttpResponse found = toolpost::read_http(std::move(answer));
  if (found.status != 200) {
    throw toolpost::Error("the search answered " + std::to_string(found.status));
  }
  co_return found.body;
}

toolpost::Permission always(const Sensitive&) {
  return {toolpost::Behavior::allow, "A person decides about it anyway.", {}, false};
}

}  // namespace

TOOLPOST_PLUGIN(
    toolpost::Plugin<Toolkit>({.id = "org.example.toolkit", .name = "Toolkit", .version = "1.0.0"})
        .tool("get_current_time", "Returns the current time in a given IANA timezone.",
              current_time, {.read_only = true})
        .tool<WebSearch>("WebSearch", "Search the web for information on a given query.",
                         {.read_only = true})
        .external_tool<Sensitive, Verdict>("HumanApproval",
                                           "Request human approval for a sensitive operation.")
        .check_permissions(always)
        .tool("greet", "Greet the user with a custom greeting", greet, {.read_only = true})
        .tool("tenant", "Tell which database the tenant uses", tenant, {.read_only = true})
        .tool("db_query", "Run a query", &Toolkit::query, {.read_only = true})
        .tool("db_migrate", "Change the schema", &Toolkit::migrate)
        .tool("deploy", "Deploy a service", &Toolkit::deploy)
        .tool("rollback", "Take back the last deployment", &Toolkit::rollback))

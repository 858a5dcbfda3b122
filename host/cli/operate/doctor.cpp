// `toolpost doctor`: what a host with this configuration would stand on, and what of it is wrong or
// doubtful.
#include <boost/asio/awaitable.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string_view>

#include "app/core/name_check.h"
#include "app/core/settings_check.h"
#include "app/core/start_check.h"
#include "app/core/state_check.h"
#include "app/door/oauth.h"
#include "app/serve/serve.h"
#include "cli/access/config_orders.h"
#include "cli/access/one_shot.h"
#include "cli/access/open_store.h"
#include "cli/access/upstream_faults.h"
#include "cli/command/verbs.h"
#include "cli/output/exit_code.h"
#include "cli/output/table.h"
#include "identity/scopes.h"
#include "json/object_text.h"
#include "permission/decision/rule_review.h"
#include "permission/decision/rulebook.h"
#include "permission/decision/stored_rules.h"
#include "sandbox/landlock.h"
#include "store/audit/verify.h"
#include "store/sqlite/schema_look.h"
#include "store/store.h"
#include "transport/unix_socket.h"
#include "upstream/openapi/api_document.h"
#include "upstream/openapi/document_file.h"

namespace host::cli {
namespace {

namespace fs = std::filesystem;

enum class Grade { Ok, Warning, Fault };

std::string_view word_of(Grade grade) {
  return grade == Grade::Ok ? "ok" : grade == Grade::Warning ? "warning" : "fault";
}

struct DoctorFinding {
  Grade grade;
  std::string about;
  std::string said;
};

class Findings {
 public:
  void add(Grade grade, std::string about, std::string said) {
    all_.push_back({grade, std::move(about), std::move(said)});
  }
  bool faulty() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const DoctorFinding& one) { return one.grade == Grade::Fault; });
  }
  void print() const {
    constexpr std::size_t kWidest = 1000;
    for (const DoctorFinding& one : all_) {
      std::string grade(word_of(one.grade));
      grade.resize(word_of(Grade::Warning).size() + 2, ' ');
      std::cout << grade << one.about << ": " << one_line(one.said, kWidest) << '\n';
    }
  }
  void print_json() const {
    std::cout << '[';
    for (std::size_t i = 0; i < all_.size(); ++i) {
      std::string out = "{";
      json::add_text(out, "grade", word_of(all_[i].grade));
      json::add_text(out, "about", all_[i].about);
      json::add_text(out, "says", all_[i].said);
      std::cout << (i ? ",\n" : "\n") << out << '}';
    }
    std::cout << "\n]\n";
  }

 private:
  std::vector<DoctorFinding> all_;
};

bool is_readable_by_others(const fs::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

// The nearest folder that is there: where the rest would be made.
fs::path existing_above(fs::path path) {
  std::error_code error;
  while (!path.empty() && path != path.root_path() && !fs::exists(path, error))
    path = path.parent_path();
  return path;
}

// `safe`: what app::check_state() says of it.
void look_at_file(Findings& findings, const char* about, const fs::path& file,
                  const Result<void>& safe) {
  if (!safe) return findings.add(Grade::Fault, about, safe.error().message);
  std::error_code error;
  const bool there = fs::exists(file, error);
  const fs::path target = there ? file : existing_above(file.parent_path());
  if (::access(target.c_str(), W_OK) != 0) {
    findings.add(Grade::Fault, about, target.string() + ": " + std::strerror(errno));
  } else if (there && is_readable_by_others(file)) {
    findings.add(Grade::Warning, about,
                 "other users may read " + file.string() +
                     ": run `chmod 600` on it, unless a collector of your own reads it");
  } else {
    findings.add(Grade::Ok, about, file.string() + (there ? "" : " (made when it is needed)"));
  }
}

// Its lines are left to `audit verify`, which reads them all.
void look_at_audit(Findings& findings, const fs::path& file, const Result<void>& safe) {
  const std::string fault = safe ? store::fault_of_mark(file) : std::string();
  if (fault.empty()) return look_at_file(findings, "audit", file, safe);
  findings.add(Grade::Fault, "audit", fault + ": see `toolpost audit verify`");
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

bool gives(const store::KeyRecord& key, identity::Scope scope) {
  return key.is_valid_at(system_clock().wall()) && identity::Scopes(key.scopes).has(scope);
}

void look_at_keys(Findings& findings, const config::Config& config,
                  const std::vector<store::KeyRecord>& keys) {
  const auto with = [&keys](identity::Scope scope) {
    return static_cast<std::size_t>(std::count_if(
        keys.begin(), keys.end(), [scope](const auto& key) { return gives(key, scope); }));
  };
  const std::size_t admins = with(identity::Scope::Admin);
  findings.add(Grade::Ok, "keys",
               counted(with(identity::Scope::Call), "key that may call", "keys that may call") +
                   (admins == 0 ? "; none for the page: `serve` prints a link to it at each start"
                                : "; " + counted(admins, "key", "keys") + " with the scope admin"));
  if (const auto path = transport::unix_path_in(config.server.listen)) {
    if (const auto safe = transport::check_socket_place(*path); !safe)
      return findings.add(Grade::Fault, "reach", safe.error().message);
    return findings.add(Grade::Ok, "reach",
                        config.server.listen + ", for this user and root alone");
  }
  if (app::is_loopback(config.server.listen)) {
    if (config.auth.anonymous == config::Anonymous::Nobody) return;
    return findings.add(
        Grade::Ok, "reach",
        config.server.listen + ", without a key for every user of this machine: auth.anonymous");
  }
  if (config.auth.anonymous == config::Anonymous::Everywhere) {
    findings.add(Grade::Warning, "reach",
                 "whoever reaches " + config.server.listen + " may call: auth.anonymous");
  } else if (!config.oauth.issuer.empty()) {
    findings.add(Grade::Ok, "reach",
                 config.server.listen + ", for who has a key or a token of oauth.issuer");
  } else if (with(identity::Scope::Call) == 0) {
    findings.add(Grade::Fault, "reach",
                 config.server.listen +
                     " is beyond loopback and nobody has a key: `toolpost key "
                     "new`");
  } else {
    findings.add(Grade::Ok, "reach", config.server.listen + ", for who has a key");
  }
}

void look_at_store(Findings& findings, const config::Config& config, const Result<void>& safe) {
  const fs::path& file = config.store.file;
  if (file.empty()) {
    findings.add(Grade::Warning, "store",
                 "store.file is empty: no keys, no approvals, nothing that plugins keep");
    return look_at_keys(findings, config, {});
  }
  look_at_file(findings, "store", file, safe);
  if (!safe) return;  // its keys are not read
  std::error_code error;
  if (!fs::exists(file, error)) return look_at_keys(findings, config, {});
  const auto schema = store::look_at_schema(file);
  if (!schema) return findings.add(Grade::Fault, "store", schema.error().message);
  if (schema->found < schema->known) {
    return findings.add(
        Grade::Warning, "store",
        "its database has version " + std::to_string(schema->found) + ": this toolpost migrates " +
            "it to version " + std::to_string(schema->known) +
            " when it opens it, and an older toolpost then refuses it. Back it up first. Until "
            "then its keys and rules are not checked");
  }
  const auto opened = store::open_sqlite_store(file, system_clock());
  if (!opened) return findings.add(Grade::Fault, "store", opened.error().message);
  const auto keys = (*opened)->keys().keys();
  if (!keys) return findings.add(Grade::Fault, "store", keys.error().message);
  if (const auto written = (*opened)->probe(); !written)
    return findings.add(Grade::Fault, "store", "cannot be written to: " + written.error().message);
  findings.add(Grade::Ok, "store", "its database is whole and can be written to");
  look_at_keys(findings, config, *keys);
}

void look_at_kernel(Findings& findings, const config::Config& config) {
  if (const std::uint32_t abi = sandbox::landlock_abi(); abi > 0)
    return findings.add(Grade::Ok, "sandbox",
                        "the kernel has Landlock, ABI " + std::to_string(abi));
  const auto& required = config.sandbox.require;
  const bool refused = std::find(required.begin(), required.end(), "landlock") != required.end();
  findings.add(refused ? Grade::Fault : Grade::Warning, "sandbox",
               std::string("the kernel has no Landlock: ") +
                   (refused ? "sandbox.require names it, so every worker plugin is refused"
                            : "plugins can read every file of the host's user"));
}

void look_at_plugin(Findings& findings, const plugin::PluginStatus& status) {
  const std::string about = "plugin " + status.name;
  if (status.state == plugin::State::Disabled)
    return findings.add(Grade::Ok, about, "disabled by its `enabled`");
  if (!status.serving || !status.last_error.empty()) {
    return findings.add(Grade::Fault, about,
                        status.last_error.empty() ? "does not serve" : status.last_error);
  }
  std::string missing;
  for (const sandbox::Layer& layer : status.layers) {
    if (!layer.active)
      missing += (missing.empty() ? "" : ", ") + std::string(to_string(layer.name));
  }
  for (const tool::Refusal& refusal : status.refusals)
    findings.add(Grade::Warning, about, refusal.tool + " is not served: " + refusal.reason);
  for (const std::string& path : status.absent_grants)
    findings.add(Grade::Warning, about, "cannot be granted: " + path);
  if (missing.empty()) {
    findings.add(Grade::Ok, about,
                 "its file loads, with " + counted(status.tools.size(), "tool", "tools"));
  } else {
    findings.add(Grade::Warning, about, "its sandbox lacks " + missing);
  }
}

// Rules that allow shell commands, and mean another thing than they seem to.
void look_at_rule(Findings& findings, const tool::Catalog& catalog, const permission::Rule& rule,
                  const std::string& source) {
  const tool::Entry* const entry = catalog.snapshot()->find(rule.tool);
  if (entry == nullptr || entry->tool->declared().command_arg.empty()) return;
  const std::string said = permission::review_shell_rule(rule);
  if (said.empty()) return;
  findings.add(Grade::Warning, "rule " + describe(rule) + " (" + source + ")", said);
}

boost::asio::awaitable<void> look_at_rules(Findings& findings, app::Core& core,
                                           const config::Config& config) {
  for (const permission::OwnedRule& one : permission::configured_rules(config))
    look_at_rule(findings, core.catalog(), one.rule, one.rule.source);
  // To look for stored rules must not make the file that they would be in.
  std::error_code error;
  if (core.people() == nullptr || !fs::exists(config.store.file, error)) co_return;
  const auto stored = co_await core.people()->rules();
  if (!stored) co_return;  // the store's own line says why
  for (const store::RuleRecord& one : *stored) {
    const auto read = permission::read_stored_rule(one);
    if (read) look_at_rule(findings, core.catalog(), read->rule, "rule " + one.id);
  }
}

bool is_program(const std::string& command, const fs::path& cwd) {
  if (command.find('/') != std::string::npos) return ::access((cwd / command).c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path folder(rest.substr(0, end));
    if (!folder.empty() && ::access((folder / command).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// The secrets that the host would not find, if it had the environment of this command.
std::string missing_secret(const config::Upstream& one) {
  std::string why;
  if (const auto values = config::environment_of(one); !values) why = values.error().message;
  if (const auto values = config::headers_of(one); !values) why = values.error().message;
  if (const auto values = config::credentials_of(one); !values) why = values.error().message;
  return why;
}

// What keeps the host from reading a file with an OpenAPI document. Empty: nothing.
std::string fault_of_document(const config::Upstream& one, const config::Config& config) {
  if (one.openapi.empty() || config::is_document_url(one.openapi)) return {};
  const auto text =
      upstream::openapi::read_document_file(one.openapi, config.limits.upstream_message_bytes);
  if (!text) return text.error().message;
  const auto document = upstream::openapi::ApiDocument::read(*text);
  if (document) return {};
  return "the document \"" + one.openapi + "\" cannot be used: " + document.error().message;
}

// What can be seen without a start of the upstream.
void look_at_sandbox_of(Findings& findings, const config::Upstream& upstream) {
  const std::string about = "upstream " + upstream.name;
  std::error_code error;
  for (const sandbox::FsGrant& grant : upstream.sandbox->fs) {
    if (fs::exists(grant.path, error)) continue;
    findings.add(Grade::Warning, about,
                 "cannot be granted in its sandbox: " + grant.path + " does not exist");
  }
  if (sandbox::landlock_abi() > 0) return;
  findings.add(Grade::Warning, about,
               "its sandbox lacks landlock, so it can read every file of the host's user");
}

// Returns how many definitions of the upstream wait for a decision.
std::size_t held_of(app::Core& core, const std::string& name) {
  const auto status = core.upstreams().status_of(name);
  return status ? status->held.size() : 0;
}

// None of them is started for this.
void look_at_upstreams(Findings& findings, app::Core& core, const config::Config& config) {
  const auto known = core.upstreams().known_tools();
  for (const config::Upstream& one : config.upstream) {
    const std::string about = "upstream " + one.name;
    const auto tools = known.find(one.name);
    if (one.sandbox) look_at_sandbox_of(findings, one);
    if (!one.command.empty() && !is_program(one.command, one.cwd)) {
      findings.add(Grade::Warning, about, "there is no program \"" + one.command + "\"");
    } else if (const std::string secret = missing_secret(one); !secret.empty()) {
      findings.add(Grade::Warning, about, secret + " (in the environment of this command)");
    } else if (const std::string fault = fault_of_document(one, config); !fault.empty()) {
      findings.add(Grade::Warning, about, fault);
    } else if (tools == known.end() || !tools->second) {
      findings.add(Grade::Warning, about,
                   "this host has never connected to it: `toolpost upstream test " + one.name +
                       "` starts it and shows its tools");
    } else if (const std::size_t held = held_of(core, one.name); held > 0) {
      findings.add(Grade::Warning, about,
                   std::to_string(held) + " of " +
                       counted(tools->second->size(), "definition", "definitions") +
                       (held == 1 ? " waits" : " wait") +
                       " for your decision: toolpost upstream diff " + one.name);
    } else {
      findings.add(Grade::Ok, about,
                   counted(tools->second->size(), "tool", "tools") +
                       " at the last connection; it was not started now");
    }
  }
}

// Of hosts that run with this store. A store that cannot be opened was reported.
void look_at_hosts(Findings& findings, const config::Config& config) {
  const auto reports = order_configuration(config, ConfigOrder::Report);
  if (!reports) return;
  for (const HostReport& one : *reports) {
    const std::string about = "host " + one.address;
    if (one.failure) {
      findings.add(Grade::Fault, about, one.failure->message);
      continue;
    }
    for (const std::string& fault : one.faults)
      findings.add(Grade::Fault, about, "it does not use its configuration file: " + fault);
    if (!one.faults.empty()) continue;
    if (one.needs_restart.empty()) {
      findings.add(Grade::Ok, about, "its configuration file is in effect");
      continue;
    }
    std::string keys;
    for (const std::string& key : one.needs_restart) keys += (keys.empty() ? "" : ", ") + key;
    findings.add(Grade::Warning, about, "these keys changed and need a restart: " + keys);
  }
}

// What the running hosts know, and this command does not try.
void look_at_running_upstreams(Findings& findings, const config::Config& config) {
  for (const UpstreamFault& one : faults_of_upstreams(config))
    findings.add(Grade::Warning, "upstream " + one.upstream,
                 one.why + " (at the host " + one.host + ")");
}

boost::asio::awaitable<void> look_at_issuer(Findings& findings, app::Core& core,
                                            const config::Config& config) {
  const auto oauth = app::OAuth::create(core.io().get_executor(), config);
  if (!oauth) co_return;
  const Result<std::size_t> keys = co_await oauth->count_keys();
  if (!keys) {
    findings.add(Grade::Fault, "issuer",
                 config.oauth.issuer + ": no token can be checked: " + keys.error().message);
  } else {
    findings.add(*keys == 0 ? Grade::Fault : Grade::Ok, "issuer",
                 config.oauth.issuer + ", " + counted(*keys, "key", "keys"));
  }
  if (config.auth.anonymous != config::Anonymous::Nobody &&
      (app::is_loopback(config.server.listen) ||
       config.auth.anonymous == config::Anonymous::Everywhere)) {
    findings.add(Grade::Ok, "issuer",
                 "who shows no token is served too, as auth.anonymous says; \"nobody\" sends "
                 "clients to the issuer");
  }
}

boost::asio::awaitable<int> look(app::Core& core, const CommandLine& line,
                                 const config::Config& config) {
  Findings findings;
  const app::StateCheck state = app::check_state(config);
  if (state.configuration) {
    findings.add(Grade::Ok, "configuration",
                 config.file.empty() ? "built-in defaults" : config.file.string());
  } else {
    findings.add(Grade::Fault, "configuration", state.configuration.error().message);
  }
  for (const config::Diagnostic& one : app::refused_webhooks(config))
    findings.add(Grade::Fault, "webhooks", one.headline() + "; " + one.help);
  for (const std::string& doubt : app::doubts_about_folders(config, environ))
    findings.add(Grade::Warning, "folders", doubt);
  look_at_kernel(findings, config);
  look_at_store(findings, config, state.store);
  if (config.audit.file.empty()) {
    findings.add(Grade::Warning, "audit", "audit.file is empty: nothing tells what was called");
  } else {
    look_at_audit(findings, config.audit.file, state.audit);
  }
  if (!core.config().store.file.empty()) look_at_hosts(findings, config);
  co_await look_at_issuer(findings, core, config);
  for (const plugin::PluginStatus& status : core.plugins().status())
    look_at_plugin(findings, status);
  look_at_upstreams(findings, core, config);
  if (!core.config().store.file.empty()) look_at_running_upstreams(findings, config);
  for (const config::Diagnostic& one : app::check_names(core)) {
    findings.add(one.severity == config::Severity::Error ? Grade::Fault : Grade::Warning, "names",
                 one.headline() + "; " + one.help);
  }
  for (const config::Diagnostic& one : app::refused_presets(core))
    findings.add(Grade::Fault, "presets", one.headline() + "; " + one.help);
  co_await look_at_rules(findings, core, config);
  const skill::State& skills = core.skills().state();
  findings.add(Grade::Ok, "skills",
               counted(skills.skills.size(), "skill", "skills") +
                   (skills.hidden.empty() ? std::string()
                                          : ", and " + std::to_string(skills.hidden.size()) +
                                                " more in groups that are not active"));
  for (const config::Diagnostic& fault : skills.diagnostics) {
    findings.add(fault.severity == config::Severity::Error ? Grade::Fault : Grade::Warning,
                 "skills", fault.headline());
  }
  line.json ? findings.print_json() : findings.print();
  co_return findings.faulty() ? kExitConfig : kExitOk;
}

}  // namespace

int doctor(const CommandLine& line, config::Config config) {
  const config::Config as_told = config;
  config.plugins.manifest_cache.clear();  // what each library is now, and what holds its worker
  config.audit.file.clear();              // looked at, not made
  config.file.clear();                    // it has been read
  // What other users control is reported, not read; what an older host made stays as it is.
  // Nothing is made where there is nothing.
  std::error_code error;
  if (!app::check_state(config).store || awaits_migration(config.store.file) ||
      !fs::exists(config.store.file, error))
    config.store.file.clear();
  return one_shot(std::move(config), [&](app::Core& core) { return look(core, line, as_told); });
}

}  // namespace host::cli

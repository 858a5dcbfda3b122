// `toolpost skills pull|diff|accept`: orders to the running hosts, through the store. Without a
// host, the command does the work itself.
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/orders/skill_orders.h"
#include "cli/access/one_shot.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/verbs.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/noted.h"
#include "cli/output/text_in.h"
#include "json/json.h"

namespace host::cli {
namespace {

// The order can wait for a pull that is in progress, and for a pull of another host. Then comes its
// own pull. Each of them takes the time limit at most.
constexpr int kPulls = 3;
constexpr std::chrono::seconds kBesidePull{30};

struct SkillHosts {
  std::unique_ptr<store::Store> store;  // null: there is none
  std::vector<store::HostRecord> running;
};

Result<SkillHosts> skill_hosts(const config::Config& config) {
  SkillHosts hosts;
  if (config.store.file.empty()) return hosts;
  HOST_TRY_ASSIGN(hosts.store, look_into_store(config));
  if (hosts.store) {
    HOST_TRY_ASSIGN(hosts.running, running_hosts(*hosts.store));
  }
  return hosts;
}

std::chrono::seconds patience_for(const CommandLine& line, const config::Config& config) {
  config::Seconds timeout = config::SkillRepository().timeout;
  for (const config::SkillRepository& one : config.skill_repositories) {
    if (one.name == line.name) timeout = one.timeout;
  }
  return kBesidePull + kPulls * std::chrono::duration_cast<std::chrono::seconds>(timeout);
}

std::string number_of(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void print_pulled(const json::Value& status) {
  const auto count = [&status](std::string_view key) -> std::size_t {
    const json::Value* const list = json::find(status, key);
    return list && list->IsArray() ? list->Size() : 0;
  };
  const std::string name = text_in(status, "name");
  Line(std::cout) << name << " is at commit " << text_in(status, "commit") << ": "
                  << number_of(count("skills"), "skill is", "skills are") << " accepted, "
                  << number_of(count("held"), "change waits", "changes wait");
  if (count("missing") > 0) {
    Line(std::cout) << number_of(count("missing"), "accepted skill is", "accepted skills are")
                    << " not served, because the repository has other versions now and the "
                    << "accepted files are missing";
  }
  const json::Value* const left_out = json::find(status, "left_out");
  if (left_out && left_out->IsArray()) {
    for (const json::Value& one : left_out->GetArray()) Line(std::cout) << "  " << json::text(one);
  }
  if (count("held") > 0) Line(std::cout) << "To see them: toolpost skills diff " << name;
}

int print_answer(const CommandLine& line, const std::string& text) {
  if (line.json) {
    std::cout << text << '\n';
    return kExitOk;
  }
  const auto status = json::parse(text);
  if (!status) return complain(status.error());
  if (line.verb == Verb::SkillsPull) {
    print_pulled(status->root());
  } else {
    Line(std::cout) << line.name << (line.tool.empty() ? "" : "/" + line.tool) << " is accepted";
  }
  return kExitOk;
}

std::string about_of(const CommandLine& line) {
  if (line.verb == Verb::SkillsPull) return line.name;
  return line.name + (line.tool.empty() ? "" : "/" + line.tool) + " " + line.digest;
}

int order_skills(const CommandLine& line, const config::Config& config, const SkillHosts& hosts,
                 const char* action) {
  int exit_code = kExitOk;
  const auto answers =
      give_orders(*hosts.store, hosts.running, action, about_of(line), patience_for(line, config));
  const bool done = is_done(answers);
  for (const HostAnswer& one : answers) {
    if (done && !one.answer && one.answer.error().kind == ErrorKind::NotFound) continue;
    const int code = one.answer ? print_answer(line, *one.answer)
                                : complain(one.answer.error().within(host_in_words(one.host)));
    if (code != kExitOk) exit_code = code;
  }
  return exit_code;
}

boost::asio::awaitable<Result<void>> do_here(app::Core& core, const CommandLine& line) {
  HOST_CO_TRY_ASSIGN(const auto repository, core.checkouts().find(line.name));
  Result<void> done;
  if (line.verb == Verb::SkillsPull) {
    done = co_await repository->pull();
  } else {
    done = co_await repository->accept(line.tool, line.digest, who_answers());
  }
  co_return done;
}

// The commit that was pulled. Empty: the command pulls nothing.
std::string commit_of(app::Core& core, const CommandLine& line) {
  const auto repository = core.checkouts().find(line.name);
  const bool pulls = line.verb == Verb::SkillsPull && repository;
  return pulls ? (*repository)->status().last.commit : std::string();
}

int do_without_host(const CommandLine& line, const config::Config& config, const char* action) {
  return one_shot(config, [&](app::Core& core) -> boost::asio::awaitable<int> {
    const Result<void> done = co_await do_here(core, line);
    core.audit().note(store::AuditEvent::Skill,
                      {{"repository", line.name + (line.tool.empty() ? "" : "/" + line.tool)},
                       {"digest", line.digest},
                       {"commit", commit_of(core, line)},
                       {"action", action},
                       {"by", who_answers()},
                       {"outcome", done ? "done" : "failed"},
                       {"reason", done ? std::string() : done.error().message}});
    core.audit().flush();
    if (!done) co_return complain(done.error());
    const auto repository = core.checkouts().find(line.name);
    co_return print_answer(line, checkout::as_json((*repository)->status()));
  });
}

// ---- diff

void print_skill_acceptance(const std::string& name, const std::string& skill,
                            const std::string& digest) {
  if (digest.empty()) {
    Line(std::cout) << "Lines are missing. To see all: toolpost skills diff " << name << " --whole";
  } else {
    Line(std::cout) << "To accept it: toolpost skills accept " << name << " --digest " << digest
                    << (skill.empty() ? "" : " -- " + skill);
  }
}

void print_changes(const json::Value& found) {
  const std::string name = text_in(found, "repository");
  const json::Value* const changes = json::find(found, "changes");
  if (!changes || !changes->IsArray() || changes->Empty()) {
    Line(std::cout) << "No skill of " << name << " waits for your decision.";
    return;
  }
  for (const json::Value& one : changes->GetArray()) {
    const json::Value* const is_new = json::find(one, "new");
    Line(std::cout) << name << "/" << text_in(one, "skill")
                    << (is_new && is_new->IsTrue() ? " is new" : " has changed") << ", since "
                    << text_in(one, "since");
    const json::Value* const lines = json::find(one, "diff");
    for (const json::Value& text : lines->GetArray()) Line(std::cout) << "  " << json::text(text);
    print_skill_acceptance(name, text_in(one, "skill"), text_in(one, "digest"));
  }
  if (changes->Size() > 1 && !text_in(found, "digest").empty()) {
    Line(std::cout) << "To accept all " << changes->Size() << ": toolpost skills accept " << name
                    << " --digest " << text_in(found, "digest");
  }
}

int show_changes(const CommandLine& line, const config::Config& config) {
  return one_shot(config, [&](app::Core& core) -> boost::asio::awaitable<int> {
    const auto repository = core.checkouts().find(line.name);
    if (!repository) co_return complain(repository.error());
    const auto whole = line.whole ? checkout::Whole::Yes : checkout::Whole::No;
    const std::string everything;
    const auto text = co_await (*repository)->changes(everything, whole);
    if (!text) co_return complain(text.error());
    if (line.json) {
      std::cout << *text << '\n';
      co_return kExitOk;
    }
    const auto found = json::parse(*text);
    if (!found) co_return complain(found.error());
    print_changes(found->root());
    co_return kExitOk;
  });
}

}  // namespace

int skill_repositories(const CommandLine& line, config::Config config) {
  if (line.verb == Verb::SkillsDiff) return show_changes(line, config);
  const char* const action = line.verb == Verb::SkillsPull ? app::kSkillPull : app::kSkillAccept;
  const auto hosts = skill_hosts(config);
  if (!hosts) return complain(hosts.error());
  if (!hosts->running.empty()) return order_skills(line, config, *hosts, action);
  if (line.has_operating_part_only) {
    return complain({ErrorKind::Unavailable, "no host serves with " + config.store.file.string()});
  }
  return do_without_host(line, config, action);
}

}  // namespace host::cli

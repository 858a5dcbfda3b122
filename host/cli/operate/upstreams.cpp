// `toolpost upstream`: what the running host has, and orders to it, through the store. Without a
// host: what the configuration and the store say.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/orders/upstream_orders.h"
#include "base/text/nearest.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/verbs.h"
#include "cli/operate/upstream_edit.h"
#include "cli/operate/upstream_login.h"
#include "cli/operate/upstream_table.h"
#include "cli/operate/upstream_test.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "cli/output/noted.h"
#include "upstream/manager/confinement.h"
#include "upstream/manager/definition_jobs.h"
#include "upstream/manager/status.h"
#include "upstream/manager/transports.h"
#include "upstream/pins/pins.h"
#include "upstream/provider/tool_name.h"

namespace host::cli {
namespace {

using store::HostRecord;

// A start may take long, for example where a server is downloaded first.
constexpr std::chrono::seconds kUpstreamOrderWithin{180};
constexpr std::chrono::seconds kUpstreamReportWithin{60};
constexpr std::size_t kShownLines = 10;
constexpr const char* kNoStoredLogin =
    ". This command uses no stored login: `toolpost upstream list` shows whether the running host "
    "is logged in";

Result<const config::Upstream*> upstream_named(const config::Config& config,
                                               const std::string& name) {
  std::vector<std::string_view> names;
  for (const config::Upstream& one : config.upstream) {
    if (one.name == name) return &one;
    names.push_back(one.name);
  }
  return Error{ErrorKind::NotFound, "no upstream is named \"" + name + "\": " +
                                        (names.empty() ? "the configuration has no [[upstream]]"
                                                       : suggest(name, names))};
}

// The running host checks a name of which this command does not know whether it is in the file.
Result<void> check_name(const CommandLine& line, const config::Config& config) {
  if (line.name.empty() || line.has_operating_part_only) return {};
  HOST_TRY(upstream_named(config, line.name));
  return {};
}

struct UpstreamHosts {
  std::unique_ptr<store::Store> store;  // null: there is none
  std::vector<HostRecord> running;
};

Error no_host(const config::Config& config) {
  return {ErrorKind::Unavailable,
          config.store.file.empty()
              ? "store.file is empty, so no running host can be given an order"
              : "no host serves with " + config.store.file.string() +
                    ": start one with `toolpost serve`"};
}

Result<UpstreamHosts> upstream_hosts(const config::Config& config) {
  UpstreamHosts hosts;
  if (config.store.file.empty()) return hosts;
  HOST_TRY_ASSIGN(hosts.store, look_into_store(config));
  if (hosts.store) {
    HOST_TRY_ASSIGN(hosts.running, running_hosts(*hosts.store));
  }
  return hosts;
}

// ---- without a host

Result<std::string> stored_status(const config::Upstream& one, const config::Config& config,
                                  store::Store* store) {
  std::vector<store::PinRecord> records;
  std::vector<store::PinRecord> held;
  if (store) {
    HOST_TRY_ASSIGN(records, store->pins().list());
    HOST_TRY_ASSIGN(held, store->pins().held());
  }
  std::erase_if(held, [&one](const auto& record) { return record.upstream != one.name; });
  upstream::Status status;
  status.name = one.name;
  status.source = upstream::source_of(one);
  status.pin = one.pin.value_or(config.upstreams.pin);
  if (one.sandbox) status.sandbox = upstream::SandboxStatus{upstream::in_words(*one.sandbox), {}};
  upstream::Pins pins(one.name, status.pin, upstream::served_names(one.name));
  pins.load(records);
  for (const upstream::Definition& served : pins.served()) status.tools.push_back(served.tool);
  const upstream::Secrets secrets = upstream::secrets_of(one);
  upstream::Reviewer reviewer(std::move(held), secrets);
  while (reviewer.step()) {
  }
  upstream::add_held(status, std::move(reviewer.review.held), reviewer.review.digest);
  return upstream::as_json(upstream::hide(std::move(status), secrets));
}

Result<std::string> stored_statuses(const config::Config& config, store::Store* store) {
  std::string out = "[";
  for (const config::Upstream& one : config.upstream) {
    HOST_TRY_ASSIGN(const std::string status, stored_status(one, config, store));
    out += (out.size() > 1 ? "," : "") + status;
  }
  return out + "]";
}

Result<void> accept_stored(const config::Config& config, store::Store& store,
                           const config::Upstream& upstream, const std::string& tool,
                           const std::string& digest) {
  upstream::Pins pins(upstream.name, upstream.pin.value_or(config.upstreams.pin),
                      upstream::served_names(upstream.name));
  HOST_TRY_ASSIGN(const auto stored,
                  pins.accept_in(store.pins(), tool, digest, who_answers(), system_clock().wall()));
  HOST_TRY(stored.accepted);
  note(config, store::AuditEvent::Upstream,
       {{"upstream", upstream.name + (tool.empty() ? "" : "/" + tool)},
        {"digest", digest},
        {"action", app::kUpstreamAccept},
        {"by", who_answers()},
        {"outcome", "done"}});
  return {};
}

// ---- verbs

json::Value* upstream_in(json::Value& report, std::string_view name) {
  for (json::Value& one : report.GetArray()) {
    if (json::find_text(one, "name") == name) return &one;
  }
  return nullptr;
}

// Definitions that differ between hosts cannot be accepted together.
void add_held(json::Value& upstream, const json::Value& other, json::Allocator& pool) {
  json::Value* const held = json::find(upstream, "held");
  const json::Value* const more = json::find(other, "held");
  if (!held || !more) return;
  const std::string_view digest = json::find_text(other, "held_digest");
  const bool is_same = held->Empty() || digest == json::find_text(upstream, "held_digest");
  for (const json::Value& one : more->GetArray()) {
    const bool is_known = std::any_of(held->Begin(), held->End(), [&one](const json::Value& known) {
      return json::find_text(known, "tool") == json::find_text(one, "tool") &&
             json::find_text(known, "digest") == json::find_text(one, "digest");
    });
    if (!is_known) held->PushBack(json::copy(one, pool), pool);
  }
  json::set(upstream, "held_digest", json::string(is_same ? digest : std::string_view(), pool),
            pool);
}

// Adds the upstreams that `report` does not contain, and the definitions that wait.
void add_report(json::Document& report, const json::Value& other) {
  json::Allocator& pool = report.allocator();
  for (const json::Value& one : other.GetArray()) {
    if (json::Value* const known = upstream_in(report.root(), json::find_text(one, "name"))) {
      add_held(*known, one, pool);
    } else {
      report.root().PushBack(json::copy(one, pool), pool);
    }
  }
}

struct UpstreamReport {
  json::Document all;
  std::string whose;
  int exit_code = kExitOk;  // of the hosts that did not answer
};

// The first running host's report, with the other upstreams and the definitions that wait at any
// running host.
Result<UpstreamReport> report_of_hosts(const UpstreamHosts& hosts) {
  UpstreamReport out;
  for (const HostAnswer& one :
       give_orders(*hosts.store, hosts.running, app::kUpstreamReport, {}, kUpstreamReportWithin)) {
    auto report =
        one.answer ? json::parse(*one.answer) : Result<json::Document>(one.answer.error());
    if (!report) {
      out.exit_code = complain(report.error().within(host_in_words(one.host)));
    } else if (out.whose.empty()) {
      out.whose = "this is what the host at " + one.host.address + " has";
      out.all = *std::move(report);
    } else {
      add_report(out.all, report->root());
    }
  }
  if (out.whose.empty()) return Error{ErrorKind::Unavailable, "no running host has answered"};
  if (hosts.running.size() > 1)
    out.whose += ", with the other upstreams and the waiting definitions of all running hosts";
  return out;
}

// Without a running host, what is stored.
Result<UpstreamReport> upstream_report(const CommandLine& line, const config::Config& config) {
  HOST_TRY_ASSIGN(const UpstreamHosts hosts, upstream_hosts(config));
  if (!hosts.running.empty()) return report_of_hosts(hosts);
  if (line.has_operating_part_only) return no_host(config);
  UpstreamReport out;
  out.whose = "no host runs: this is what the configuration and the store say";
  HOST_TRY_ASSIGN(const std::string text, stored_statuses(config, hosts.store.get()));
  HOST_TRY_ASSIGN(out.all, json::parse(text));
  return out;
}

int list_upstreams(const CommandLine& line, const config::Config& config) {
  const auto report = upstream_report(line, config);
  if (!report) return complain(report.error());
  if (line.json) {
    std::cout << json::write(report->all.root()) << '\n';
  } else {
    print_upstreams(report->all.root());
  }
  Line(std::cerr) << "toolpost: " << report->whose;
  return report->exit_code;
}

// From the store, where the running host keeps them too.
int show_definitions(const CommandLine& line, const config::Config& config) {
  const auto hosts = upstream_hosts(config);
  if (!hosts) return complain(hosts.error());
  std::vector<store::PinRecord> records;
  if (hosts->store) {
    auto stored = hosts->store->pins().held();
    if (!stored) return complain(stored.error());
    records = *std::move(stored);
  }
  std::erase_if(records, [&](const store::PinRecord& record) {
    const bool is_wanted = line.name.empty() || record.upstream == line.name;
    const bool is_of_skills = record.upstream.starts_with("git:");
    return !is_wanted || is_of_skills;
  });
  print_definitions(records, line.json, [&config](const store::PinRecord& record) {
    const auto known = upstream_named(config, record.upstream);
    return known ? upstream::secrets_of(**known) : upstream::Secrets();
  });
  return kExitOk;
}

bool reports_upstream(const json::Value& report, const std::string& name) {
  const auto& all = report.GetArray();
  return std::any_of(all.begin(), all.end(), [&name](const json::Value& one) {
    return json::find_text(one, "name") == name;
  });
}

// `name`: the only upstream that is printed; empty: all are printed.
void print_json_of(const json::Value& report, const std::string& name) {
  std::string out;
  for (const json::Value& one : report.GetArray()) {
    if (!name.empty() && json::find_text(one, "name") != name) continue;
    out += (out.empty() ? "" : ",") + json::write(one);
  }
  std::cout << '[' << out << "]\n";
}

int show_differences(const CommandLine& line, const config::Config& config) {
  if (const auto known = check_name(line, config); !known) return complain(known.error());
  if (line.whole) return show_definitions(line, config);
  const auto report = upstream_report(line, config);
  if (!report) return complain(report.error());
  const json::Value& all = report->all.root();
  if (!line.name.empty() && !reports_upstream(all, line.name))
    return complain({ErrorKind::NotFound, "the host has no upstream \"" + line.name + "\""});
  if (line.json) {
    print_json_of(all, line.name);
  } else if (!print_differences(all, line.name)) {
    Line(std::cout) << "No definition waits for your decision.";
  }
  return report->exit_code;
}

// The reason of a failure has only the last line, and the cause is often before it.
void print_last_lines(const std::vector<std::string>& lines) {
  Line(std::cerr) << "The last lines of its standard error:";
  const std::size_t first = lines.size() - std::min(lines.size(), kShownLines);
  for (std::size_t i = first; i < lines.size(); ++i) Line(std::cerr) << "  " << lines[i];
}

void print_waiting(const config::Upstream& upstream, const std::vector<std::string>& tools) {
  Line(std::cout) << upstream.name << ": a host holds " << tools.size()
                  << " of these definitions for your decision (`pin`):";
  for (const std::string& tool : tools) Line(std::cout) << "  " << tool;
}

int test_one(const CommandLine& line, const config::Config& config) {
  const auto found = upstream_named(config, line.name);
  if (!found) return complain(found.error());
  std::vector<std::string> last_lines;
  std::vector<std::string> waits;
  const auto status = test_upstream(config, **found, last_lines, waits);
  if (!status) {
    Error why = status.error().within("upstream \"" + line.name + "\"");
    if ((*found)->auth == config::UpstreamAuth::OAuth) why.message += kNoStoredLogin;
    const int code = complain(why);
    if (last_lines.size() > 1) print_last_lines(last_lines);
    return code;
  }
  if (line.json) {
    std::cout << *status << '\n';
    return kExitOk;
  }
  const auto tree = json::parse("[" + *status + "]");
  if (!tree) return complain(tree.error());
  print_upstreams(tree->root());
  const json::Value* const tools = json::find(*tree->root().Begin(), "tools");
  for (const json::Value& tool : tools->GetArray()) Line(std::cout) << "  " << json::text(tool);
  if (!waits.empty()) print_waiting(**found, waits);
  return kExitOk;
}

// A host where the definition does not wait yet can have got the order before another host accepted
// the definition. Now it finds the acceptance in the store, and remembers it.
void tell_of_acceptance(const std::vector<HostAnswer>& answers, const UpstreamHosts& hosts,
                        const std::string& about) {
  std::vector<HostRecord> unknowing;
  for (const HostAnswer& one : answers) {
    if (!one.answer && one.answer.error().kind == ErrorKind::NotFound)
      unknowing.push_back(one.host);
  }
  if (!unknowing.empty()) {
    give_orders(*hosts.store, unknowing, app::kUpstreamAccept, about, kUpstreamOrderWithin);
  }
}

// Gives the order to each running host. A definition can wait at some of them only.
int order_upstream(const CommandLine& line, const config::Config& config,
                   const UpstreamHosts& hosts, const char* action, const std::string& about,
                   const char* done) {
  if (hosts.running.empty()) return complain(no_host(config));
  int exit_code = kExitOk;
  const auto answers =
      give_orders(*hosts.store, hosts.running, action, about, kUpstreamOrderWithin);
  const bool succeeded = is_done(answers);
  if (succeeded && action == std::string_view(app::kUpstreamAccept))
    tell_of_acceptance(answers, hosts, about);
  for (const HostAnswer& one : answers) {
    if (!one.answer) {
      const ErrorKind kind = one.answer.error().kind;
      if (succeeded && kind == ErrorKind::NotFound) continue;
      exit_code = complain(one.answer.error().within(host_in_words(one.host)));
    } else if (line.json) {
      std::cout << *one.answer << '\n';
    } else {
      Line(std::cout) << about << " " << done << " by the host at " << one.host.address;
      if (const auto status = json::parse(*one.answer)) print_held(status->root());
    }
  }
  return exit_code;
}

int log_in(const CommandLine& line, const config::Config& config, const UpstreamHosts& hosts) {
  if (hosts.running.empty()) return order_upstream(line, config, hosts, "", line.name, "");
  return log_in_at_upstream(line, *hosts.store, hosts.running);
}

int accept_changes(const CommandLine& line, const config::Config& config,
                   const UpstreamHosts& hosts) {
  const std::string what = line.name + (line.tool.empty() ? "" : "/" + line.tool);
  if (!hosts.running.empty() || !hosts.store || line.has_operating_part_only) {
    return order_upstream(line, config, hosts, app::kUpstreamAccept, what + " " + line.digest,
                          "is accepted");
  }
  const auto upstream = upstream_named(config, line.name);
  if (!upstream) return complain(upstream.error());
  const auto done = accept_stored(config, *hosts.store, **upstream, line.tool, line.digest);
  if (!done) return complain(done.error());
  if (!line.json) {
    Line(std::cout) << what << " is accepted";
    return kExitOk;
  }
  const auto status = stored_status(**upstream, config, hosts.store.get());
  if (!status) return complain(status.error());
  std::cout << *status << '\n';
  return kExitOk;
}

}  // namespace

int upstreams(const CommandLine& line, config::Config config) {
  if (line.verb == Verb::Upstreams) return list_upstreams(line, config);
  if (line.verb == Verb::UpstreamsDiff) return show_differences(line, config);
  if (line.verb == Verb::UpstreamsTest) return test_one(line, config);
  if (line.verb == Verb::UpstreamsAdd) return upstream_add(line, config);
  if (line.verb == Verb::UpstreamsRemove) return upstream_remove(line, config);
  if (const auto known = check_name(line, config); !known) return complain(known.error());
  const auto hosts = upstream_hosts(config);
  if (!hosts) return complain(hosts.error());
  switch (line.verb) {
    case Verb::UpstreamsAccept:
      return accept_changes(line, config, *hosts);
    case Verb::UpstreamsLogin:
      return log_in(line, config, *hosts);
    case Verb::UpstreamsLogout:
      return order_upstream(line, config, *hosts, app::kUpstreamLogout, line.name, "is logged out");
    case Verb::UpstreamsRestart:
      return order_upstream(line, config, *hosts, app::kUpstreamRestart, line.name,
                            "is started again");
    default:
      return order_upstream(line, config, *hosts, app::kUpstreamRefresh, line.name,
                            "is read again");
  }
}

}  // namespace host::cli

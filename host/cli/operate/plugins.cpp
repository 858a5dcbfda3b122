// `toolpost plugins`: what the running host has, by its own word; without one, how the files load.
// `reload` and `release` are orders to it. Both go through the store.
#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/access/one_shot.h"
#include "cli/access/open_store.h"
#include "cli/access/plugin_orders.h"
#include "cli/command/verbs.h"
#include "cli/operate/plugin_table.h"
#include "cli/output/complaint.h"
#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "json/object_text.h"
#include "plugin/lifecycle/status_json.h"

namespace host::cli {
namespace {

using plugin::PluginStatus;
using store::HostRecord;

constexpr std::chrono::seconds kReportWithin{30};
// A load waits for workers, their state and a batch; each of them has a timeout of its own.
constexpr std::chrono::seconds kOrderWithin{180};

void print_json(const std::vector<std::string>& objects) {
  std::cout << '[';
  for (std::size_t i = 0; i < objects.size(); ++i) std::cout << (i ? ",\n" : "\n") << objects[i];
  std::cout << "\n]\n";
}

int exit_code_of(const std::vector<PluginStatus>& plugins) {
  const bool all_well = std::all_of(plugins.begin(), plugins.end(), [](const PluginStatus& status) {
    return status.serving || status.state == plugin::State::Disabled;
  });
  return all_well ? kExitOk : kExitConfig;
}

// ---- the files

boost::asio::awaitable<int> list_files(app::Core& core, const CommandLine& line) {
  const std::vector<PluginStatus> plugins = core.plugins().status();
  if (line.json) {
    std::vector<std::string> objects;
    for (const PluginStatus& status : plugins) objects.push_back(plugin::as_json(status));
    print_json(objects);
  } else {
    print_plugins(plugins);
  }
  co_return exit_code_of(plugins);
}

int load_files(const CommandLine& line, config::Config config, const std::string& why) {
  config.plugins.manifest_cache.clear();  // what each library is now, and what holds its worker
  const int code =
      one_shot(std::move(config), [&](app::Core& core) { return list_files(core, line); });
  Line(std::cerr) << "toolpost: this is how the files load now: " << why;
  return code;
}

// ---- the host

// None where there is no store yet.
Result<std::vector<HostRecord>> hosts_of(const std::unique_ptr<store::Store>& store) {
  if (!store) return std::vector<HostRecord>();
  return running_hosts(*store);
}

// What several hosts answered.
class Answers {
 public:
  explicit Answers(const CommandLine& line) : json_(line.json) {}

  void add(std::string object) { objects_.push_back(std::move(object)); }
  void add(int code) {
    // A host that refused or failed is worse than a plugin that does not serve.
    if (code_ == kExitOk || code_ == kExitConfig) code_ = std::max(code, code_);
  }
  // An order that failed has no other exit code than those of its kind.
  void add(const HostRecord& host, Error error) {
    const bool not_needed = error.kind == ErrorKind::InvalidArgument;
    if (not_needed) error.kind = ErrorKind::PluginFault;
    failures_.push_back({host.address, error.within(host_in_words(host)), not_needed});
  }

  // `done`: the order succeeded at another host, so a host where it was not needed is no fault.
  int print(bool done) {
    if (objects_.empty() && failures_.size() == 1) return complain(failures_.front().error);
    for (const Failure& failure : failures_) {
      const Error& error = failure.error;
      Line(std::cerr) << "toolpost: " << error.message;
      if (done && failure.not_needed) continue;
      if (code_ == kExitOk || code_ == kExitConfig) code_ = exit_code_for(error.kind);
      std::string about = "{";
      json::add_text(about, "kind", to_string(error.kind));
      json::add_text(about, "message", error.message);
      std::string object = "{";
      json::add_text(object, "host", failure.host);
      json::add_member(object, "error", about + "}");
      objects_.push_back(object + "}");
    }
    if (json_) print_json(objects_);
    return code_;
  }

 private:
  struct Failure {
    std::string host;
    Error error;
    bool not_needed;
  };

  const bool json_;
  std::vector<std::string> objects_;
  std::vector<Failure> failures_;
  int code_ = kExitOk;
};

// The same object, which says of which host it tells.
std::string with_host(const HostRecord& host, const json::Value& object) {
  const std::string text = json::write(object);
  std::string out = "{";
  json::add_text(out, "host", host.address);
  return out + (text.size() > 2 ? "," : "") + text.substr(1);
}

int list_served(store::Store& store, const std::vector<HostRecord>& hosts,
                const CommandLine& line) {
  Answers answers(line);
  for (const auto& [host, report, was_ignored] :
       give_orders(store, hosts, "report", {}, kReportWithin)) {
    if (!report) {
      answers.add(host, report.error());
      continue;
    }
    const auto tree = json::parse(*report);
    if (!tree || !tree->root().IsArray()) {
      answers.add(host, Error{ErrorKind::Internal, "it gave no list of plugins"});
      continue;
    }
    std::vector<PluginStatus> plugins;
    for (const json::Value& object : tree->root().GetArray()) {
      plugins.push_back(plugin::status_of(object));
      answers.add(with_host(host, object));
    }
    answers.add(exit_code_of(plugins));
    if (!line.json) print_plugins(plugins);
    Line(std::cerr) << "toolpost: this is what " << host_in_words(host)
                    << " serves. To load the files instead: toolpost plugins --files";
  }
  return answers.print(false);
}

int list(const CommandLine& line, config::Config config) {
  if (line.files || !line.plugin_dirs.empty())
    return load_files(line, std::move(config), "no running host was asked");
  if (config.store.file.empty())
    return load_files(line, std::move(config),
                      "store.file is empty, so no running host can be asked");
  const auto opened = look_into_store(config);
  if (!opened) return complain(opened.error());
  const auto hosts = hosts_of(*opened);
  if (!hosts) return complain(hosts.error());
  if (!hosts->empty()) return list_served(**opened, *hosts, line);
  const std::string why = "no host serves with " + config.store.file.string();
  if (line.has_operating_part_only) return complain({ErrorKind::Unavailable, why});
  return load_files(line, std::move(config), why);
}

// ---- orders

std::string done_words(Verb verb, const std::string& name, const HostRecord& host) {
  const char* const done =
      verb == Verb::PluginsReload ? " is loaded again by " : " is released from quarantine by ";
  return name + done + host_in_words(host);
}

int order(const CommandLine& line, const config::Config& config) {
  if (config.store.file.empty()) {
    return complain(
        {ErrorKind::Unavailable, "store.file is empty, so no running host can be given an order"});
  }
  const auto opened = look_into_store(config);
  if (!opened) return complain(opened.error());
  const auto hosts = hosts_of(*opened);
  if (!hosts) return complain(hosts.error());
  if (hosts->empty()) {
    return complain({ErrorKind::Unavailable, "no host serves with " + config.store.file.string() +
                                                 ": start one with `toolpost serve`"});
  }
  const std::string action = line.verb == Verb::PluginsReload ? "reload" : "release";
  Answers answers(line);
  const auto given = give_orders(**opened, *hosts, action, line.name, kOrderWithin);
  const bool done = is_done(given);
  for (const auto& [host, answer, was_ignored] : given) {
    if (!answer) {
      if (!done || answer.error().kind != ErrorKind::NotFound) answers.add(host, answer.error());
      continue;
    }
    if (!line.json) Line(std::cout) << done_words(line.verb, line.name, host);
    if (const auto tree = json::parse(*answer); tree && tree->root().IsObject())
      answers.add(with_host(host, tree->root()));
  }
  return answers.print(done);
}

}  // namespace

int plugins(const CommandLine& line, config::Config config) {
  if (line.verb == Verb::Plugins) return list(line, std::move(config));
  return order(line, config);
}

}  // namespace host::cli

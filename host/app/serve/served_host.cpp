#include "app/serve/served_host.h"

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/core/start_check.h"
#include "app/core/state_check.h"
#include "app/version.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/process/open_files.h"
#include "sandbox/landlock.h"

namespace host::app {
namespace {

constexpr auto kGiveBackEvery = std::chrono::seconds(5);

// What holds workers to their folders is not there: nobody should have to look for that.
void warn_without_landlock() {
  if (sandbox::landlock_abi() > 0) return;
  log::warning("app",
               "this kernel has no Landlock: a plugin can read every file of the host's user, and "
               "change all of them if it may write any",
               {{"remedy",
                 "boot a kernel with Landlock (Linux 5.13 or later, \"landlock\" in lsm=), "
                 "or give each plugin its own uid"}});
}

void warn_of_folders(const config::Config& config) {
  for (const std::string& doubt : doubts_about_folders(config, environ)) log::warning("app", doubt);
}

// A file that reached the limit of its size is an error of that write, not the end of the host.
void outlive_file_limits() {
  std::signal(SIGXFSZ, SIG_IGN);
}

std::unique_ptr<store::AuditFiller> filler_of(const config::Audit& kept) {
  if (kept.file.empty()) return nullptr;
  return std::make_unique<store::AuditFiller>(kept.file, kept.table_rows);
}

}  // namespace

Result<std::unique_ptr<ServedHost>> ServedHost::create(config::Config config) {
  outlive_file_limits();
  raise_open_files();
  keep_freed_memory();
  warn_of_folders(config);
  HOST_TRY_ASSIGN(std::unique_ptr<Core> core, Core::create(std::move(config)));
  return std::make_unique<ServedHost>(std::move(core));
}

ServedHost::ServedHost(std::unique_ptr<Core> made)
    : filler(filler_of(made->config().audit)),
      core(std::move(made)),
      tools(*core),
      offers(*core),
      methods({tools, offers, [this](const tool::Peer& who) { return core->skills_of(who); },
               core->tasks(), core->config(), core->io().get_executor(), system_clock(),
               [this](const tool::Peer& who) { return core->instructions(who); }, kVersion,
               [this](std::string_view limit) { core->refusals().count(limit); },
               std::chrono::seconds(300), core->sessions()}),
      rest_(core->io()) {
  if (filler) core->audit().on_flush([this] { filler->wake(); });
  methods.announcer().sees_by(
      [this](const tool::Peer& who, const tool::ProviderIdentity::Id& provider) {
        const router::Profile* const profile = core->profiles().find(who.agent);
        return profile && profile->sees(provider);
      });
  core->catalog().on_change_of([this](const tool::Changes& changes, const tool::ChangesOf& of) {
    methods.announcer().changed(changes, of);
  });
  core->catalog().on_resource_updated(
      [this](const std::string& uri, const tool::Catalog::From& of) {
        methods.announcer().updated(uri, of);
      });
  methods.announcer().on_follow([this](const mcp::Uris& uris) {
    core->upstreams().follow({uris.begin(), uris.end()});
  });
  warn_without_landlock();
  give_back_from_time_to_time();
}

void ServedHost::give_back_from_time_to_time() {
  rest_.expires_after(kGiveBackEvery);
  rest_.async_wait([this](boost::system::error_code error) {
    if (error || finished_) return;
    give_back_memory();
    give_back_from_time_to_time();
  });
}

bool ServedHost::fits_what_is_installed() {
  if (core->follow_names()) return true;
  log::error("app", "the host does not start: names in the configuration are wrong");
  return false;
}

void ServedHost::end() {
  finished_ = true;  // the timer may be over in this very turn, when nothing can cancel it
  rest_.cancel();
}

std::function<void()> ServedHost::flush_audit() {
  return [this] { core->audit().flush(); };
}

bool starts_with(const config::Config& config) {
  const std::vector<config::Diagnostic> faults = refused_webhooks(config);
  for (const config::Diagnostic& one : faults)
    log::error("config", one.headline(), {{"help", one.help}});
  return faults.empty();
}

int failed(const Error& error) {
  log::error("app", error.message);
  return EXIT_FAILURE;
}

}  // namespace host::app

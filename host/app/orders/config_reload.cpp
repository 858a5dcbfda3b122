#include "app/orders/config_reload.h"

#include <fcntl.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "app/core/core.h"
#include "app/core/name_check.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/process/spawn.h"
#include "base/unique_fd.h"
#include "config/change/difference.h"
#include "config/change/reload_plan.h"
#include "config/key/show.h"
#include "plugin/file/writer.h"

namespace host::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

// An editor may write a file in several steps.
constexpr std::chrono::milliseconds kDebounce{250};
// For folders without events, and links that lead elsewhere.
constexpr std::chrono::milliseconds kRescan{5000};
constexpr std::chrono::minutes kStart{1};  // longer than from the reading of the file to here
// A copy over a network can stop for a while.
constexpr std::chrono::seconds kUnchanged{60};
constexpr std::size_t kMostLogged = 20;  // faults of one reading
constexpr const char* kByFile = "file";  // it changed

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::vector<std::string> keys_between(const config::Config& one, const config::Config& other) {
  std::vector<std::string> out;
  for (config::Difference& found : config::differences(one, other))
    out.push_back(std::move(found.key));
  return out;
}

// Its section is the same; the value of a secret is another.
void add_secrets(const std::vector<std::string>& upstreams, std::vector<std::string>& applied) {
  for (const std::string& name : upstreams) {
    const std::string key = "upstream." + name;
    const bool is_told = std::any_of(applied.begin(), applied.end(), [&](const std::string& one) {
      return one == key || one.starts_with(key + ".");
    });
    if (!is_told) applied.push_back(key);
  }
}

config::Diagnostic fault_of(const fs::path& file, std::string why) {
  config::Diagnostic out;
  out.file = file.string();
  out.code = "C001";
  out.message = std::move(why);
  return out;
}

// An empty file is often what a failed write has left, and would set all keys to their defaults.
bool would_clear(const config::Config& current, const config::Loaded& empty) {
  return empty.config && !config::differences(current, *empty.config).empty();
}
fs::path rooted(const fs::path& file) {
  std::error_code error;
  return file.empty() ? file : fs::absolute(file, error);
}

// The time of a change of a file, which no process can set.
WallTime time_of(const timespec& changed) {
  return WallTime(std::chrono::seconds(changed.tv_sec));
}

bool is_same(const timespec& one, const timespec& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

}  // namespace

bool ConfigReload::Seen::is(const Seen& other) const {
  return has_content_of(other) && is_same(changed, other.changed);
}

bool ConfigReload::Seen::has_content_of(const Seen& other) const {
  return device == other.device && number == other.number && size == other.size &&
         is_same(written, other.written);
}

// Also a file that was in another folder before, as when a link above the file was exchanged.
bool ConfigReload::is_old(const Seen& file) {
  return file.number != 0 && system_clock().wall() - time_of(file.changed) > kUnchanged;
}

ConfigReload::ConfigReload(Core& core, Read read, HasKey has_key)
    : core_(core),
      read_(std::move(read)),
      has_key_(std::move(has_key)),
      turn_(core.io(), asio::steady_timer::time_point::max()) {
  report_.file = rooted(core_.config().file).string();
  report_.read = system_clock().wall();
  // An older file is the one that the start has read.
  const Seen now = see();
  closed_ = now;
  if (system_clock().wall() - time_of(now.changed) > kStart) seen_ = now;
}

void ConfigReload::follow() {
  if (!read_ || report_.file.empty() || is_stopped_) return;
  watcher_ = std::make_shared<plugin::Watcher>(core_.io().get_executor(),
                                               plugin::Watcher::Settings{{}, kDebounce, kRescan});
  watcher_->on_closed([this] { closed_ = see(); });
  watcher_->start([this] { look(); }, [this] { return !see().is(seen_); });
  look();
}

void ConfigReload::stop() {
  is_stopped_ = true;
  turn_.cancel();
  if (watcher_) watcher_->stop();
}

void ConfigReload::hang_up() {
  read_for("SIGHUP");
}

void ConfigReload::read_for(std::string by) {
  spawn(core_.io().get_executor(), {"app", "reads the configuration again"},
        [this, by = std::move(by)]() -> asio::awaitable<void> { co_await reload(by); });
}

// Also where the link of this name leads now.
void ConfigReload::look() {
  std::error_code error;
  const fs::path file(report_.file);
  watcher_->renew({file, fs::weakly_canonical(file, error)});
  if (!see().is(seen_) && why_incomplete().empty()) read_for(kByFile);
}

// The part of a file that is written so far may be valid, without the rules that follow.
std::string ConfigReload::why_incomplete() {
  const UniqueFd fd(::open(report_.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return {};
  switch (plugin::writer_of(fd.get())) {
    case plugin::Writer::None:
      return {};
    case plugin::Writer::Some:
      return "a process is still writing the configuration file: it is read again once closed";
    case plugin::Writer::Unknown:
      break;
  }
  const Seen now = see();
  // Programs set the owner and the mode after they have closed the file.
  if (now.has_content_of(closed_) || is_old(now)) return {};
  if (!now.has_content_of(changed_)) {
    changed_ = now;
    changed_at_ = steady_now();
  }
  if (steady_now() - changed_at_ >= kUnchanged) return {};
  return "the host cannot see whether a process is still writing the configuration file, because "
         "the file belongs to a different user or its file system has no leases: the host reads it "
         "again once a process has closed or renamed it, or once it stays unchanged for " +
         std::to_string(kUnchanged.count()) + " s";
}

ConfigReload::Seen ConfigReload::see() const {
  struct stat about {};
  if (report_.file.empty() || ::stat(report_.file.c_str(), &about) != 0) return {};
  return {about.st_dev, about.st_ino, about.st_size, about.st_mtim, about.st_ctim};
}

ConfigReload::Reading ConfigReload::read() {
  Reading out;
  if (!read_) {
    out.faults.push_back(fault_of({}, "this host reads its configuration only when it starts"));
    return out;
  }
  const Seen before = see();
  config::Loaded loaded = read_();
  std::string why = report_.file.empty() ? std::string() : why_incomplete();
  if (why.empty() && !see().is(before)) why = "the configuration file changes while it is read";
  out.is_incomplete = !why.empty();
  const bool was_empty = before.number != 0 && before.size == 0;
  if (why.empty() && was_empty && would_clear(core_.current(), loaded))
    why = "the configuration file is empty, as after a write that failed";
  if (!why.empty()) {
    out.faults.push_back(fault_of(report_.file, std::move(why)));
    return out;
  }
  if (!loaded.config) {
    out.faults = std::move(loaded.diagnostics);
    return out;
  }
  out.file = *std::move(loaded.config);
  // Without it, the defaults or another file would be read, which may have no rules.
  const fs::path& own = core_.current().file;
  if (!own.empty() && out.file.file != own) {
    out.faults.push_back(fault_of(own, "the configuration file is gone"));
    return out;
  }
  out.faults = refused_at_start(out.file, has_key_, &core_.current());
  for (config::Diagnostic& one : check_names(core_, out.file)) {
    if (one.severity == config::Severity::Error) out.faults.push_back(std::move(one));
  }
  return out;
}

asio::awaitable<config::ReloadReport> ConfigReload::reload(std::string by) {
  while (is_busy_ && !is_stopped_) co_await turn_.async_wait(asio::as_tuple(asio::use_awaitable));
  if (is_stopped_) co_return report_;
  is_busy_ = true;
  const std::shared_ptr<void> turn(nullptr, [this](void*) {  // also after an exception
    is_busy_ = false;
    turn_.cancel();
  });
  // An event of the file that came before the request, such as SIGHUP, is seen first.
  co_await asio::post(core_.io().get_executor(), asio::use_awaitable);
  co_await reload_once(std::move(by));
  co_return report_;
}

asio::awaitable<void> ConfigReload::reload_once(std::string by) {
  seen_ = see();  // first: what changes meanwhile is read again
  Reading reading = read();
  if (reading.is_incomplete) seen_ = {};  // nothing else changes when its writer closes it
  if (!reading.faults.empty()) co_return refuse(by, std::move(reading.faults));
  if (!settled_) settled_ = core_.current();
  config::ReloadPlan plan = config::plan_reload(*settled_, reading.file);
  std::vector<std::string> applied = keys_between(core_.current(), plan.now);
  const upstream::Upstreams::Changed changed = co_await core_.take(std::move(plan.now));
  settled_ = std::move(plan.settled);
  add_secrets(changed.changed, applied);
  std::vector<std::string> left = keys_between(core_.current(), reading.file);
  const bool was_faulty = !std::exchange(report_.faults, {}).empty();
  const bool is_news = !applied.empty() || was_faulty || left != report_.needs_restart;
  if (!applied.empty()) ++report_.generation;
  report_.file = rooted(reading.file.file).string();
  report_.read = system_clock().wall();
  report_.applied = std::move(applied);
  report_.needs_restart = std::move(left);
  tell(by, is_news);
}

// What is in effect stays so.
void ConfigReload::refuse(const std::string& by, std::vector<config::Diagnostic> faults) {
  report_.faults = std::move(faults);
  report_.applied.clear();
  report_.read = system_clock().wall();
  for (std::size_t i = 0; i < std::min(kMostLogged, report_.faults.size()); ++i) {
    const config::Diagnostic& one = report_.faults[i];
    log::error("config", one.headline(), {{"help", one.help}});
  }
  log::error(
      "config", "the configuration file is not valid, so nothing was changed",
      {{"file", report_.file}, {"faults", std::to_string(report_.faults.size())}, {"by", by}});
  note(by);
}

// A file that was only touched is no news.
void ConfigReload::tell(const std::string& by, bool is_news) {
  if (!is_news && by == kByFile) return;
  log::info("config", "the configuration was read again",
            {{"file", report_.file},
             {"by", by},
             {"generation", std::to_string(report_.generation)},
             {"applied", joined(report_.applied)}});
  if (!report_.needs_restart.empty()) {
    log::warning("config", "these keys changed and need a restart",
                 {{"keys", joined(report_.needs_restart)}});
  }
  note(by);
}

void ConfigReload::note(const std::string& by) const {
  core_.audit().note(store::AuditEvent::Config,
                     {{"config", report_.file},
                      {"config_sha256", to_hex(sha256(config::show(core_.current())))},
                      {"by", by},
                      {"applied", joined(report_.applied)},
                      {"needs_restart", joined(report_.needs_restart)},
                      {"outcome", report_.faults.empty() ? "done" : "failed"},
                      {"reason", report_.first_fault()}});
  core_.audit().flush();
}

config::ReloadReport ConfigReload::compare() {
  config::ReloadReport out = report_;
  out.applied.clear();
  Reading reading = read();
  out.faults = std::move(reading.faults);
  out.read = system_clock().wall();
  if (!out.faults.empty()) return out;
  const config::Config& settled = settled_ ? *settled_ : core_.current();
  out.needs_restart = keys_between(config::plan_reload(settled, reading.file).now, reading.file);
  return out;
}

}  // namespace host::app

#include "plugin/file/watcher.h"

#include <sys/inotify.h>
#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                  IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr auto kLongestGathering = 5s;  // a folder that is never quiet is looked at all the same

}  // namespace

Watcher::Watcher(asio::any_io_executor io, Settings settings)
    : settings_(std::move(settings)), inotify_(io), settle_(io), rescan_(io) {}

void Watcher::start(std::function<void()> look, std::function<bool()> changed) {
  look_ = std::move(look);
  changed_ = std::move(changed);
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd >= 0) {
    inotify_.assign(fd);
    renew({});
    read_events();
  } else {
    log::warning("plugin",
                 "the kernel gives no file events: folders are looked at from time to time",
                 {{"error", std::strerror(errno)}});
  }
  arm_rescan();
}

void Watcher::stop() {
  stopped_ = true;
  boost::system::error_code ignored;
  inotify_.close(ignored);
  settle_.cancel();
  rescan_.cancel();
}

void Watcher::renew(const std::vector<std::filesystem::path>& targets) {
  if (!inotify_.is_open()) return;
  std::map<int, Watch> now;
  for (const auto& folder : settings_.folders) watch(folder, now, Watch{true, {}});
  for (const auto& file : targets)
    watch(file.parent_path(), now, Watch{false, {file.filename().string()}});
  bool is_new = false;
  for (const auto& [number, what] : now) is_new = is_new || watched_.count(number) == 0;
  for (const auto& [number, what] : watched_) {
    if (now.count(number) == 0) ::inotify_rm_watch(inotify_.native_handle(), number);
  }
  watched_ = std::move(now);
  if (is_new) touch();  // it may have changed before it was watched
}

// The number is that of the folder itself, whatever path leads to it: the same as before, if it is
// the same.
void Watcher::watch(const std::filesystem::path& folder, std::map<int, Watch>& to,
                    const Watch& what) {
  // Other files of the folder, such as the store next to config.toml, can change all the time. The
  // file that matters is closed when it is written.
  const std::uint32_t events = what.all ? kEvents | IN_MODIFY : kEvents | IN_MASK_ADD;
  const int number = ::inotify_add_watch(inotify_.native_handle(), folder.c_str(), events);
  if (number < 0) {  // it is not there, or tells nothing
    const bool can_come = errno == ENOENT && what.all && folder.has_relative_path();
    if (can_come) watch_for(folder, to);
    return;
  }
  Watch& watch = to[number];
  watch.all = watch.all || what.all;
  watch.names.insert(what.names.begin(), what.names.end());
}

// The nearest folder above that exists gives an event when the next folder on the path is created.
void Watcher::watch_for(const std::filesystem::path& folder, std::map<int, Watch>& to) {
  std::error_code error;
  std::filesystem::path missing = folder;
  while (missing.has_relative_path() && !std::filesystem::exists(missing.parent_path(), error))
    missing = missing.parent_path();
  if (missing.has_relative_path() && missing.has_filename())
    watch(missing.parent_path(), to, Watch{false, {missing.filename().string()}});
}

void Watcher::read_events() {
  inotify_.async_read_some(
      asio::buffer(events_),
      [self = shared_from_this()](boost::system::error_code error, std::size_t bytes) {
        if (error || self->stopped_) return;
        self->handle_events(bytes);
        self->read_events();
      });
}

void Watcher::handle_events(std::size_t bytes) {
  bool matters = false;
  bool closed = false;
  std::size_t at = 0;
  while (at + sizeof(inotify_event) <= bytes) {
    inotify_event event;
    std::memcpy(&event, events_.data() + at, sizeof event);
    const char* const name = events_.data() + at + sizeof event;
    at += sizeof event + event.len;
    if (event.mask & IN_Q_OVERFLOW) matters = true;  // of whatever was lost
    const auto watch = watched_.find(event.wd);
    if (watch == watched_.end()) continue;
    const bool gone = event.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF);
    const bool is_wanted = watch->second.wants(event.len > 0 ? name : "");
    matters = matters || gone || is_wanted;
    closed = closed || (is_wanted && (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0);
    // Another of its name is watched by the next look.
    if (event.mask & IN_IGNORED) watched_.erase(watch);
  }
  if (closed && closed_) closed_();
  if (matters) touch();
}

void Watcher::touch_after(std::chrono::milliseconds pause) {
  if (stopped_) return;
  const SteadyTime time = steady_now();
  if (first_event_ == SteadyTime{}) first_event_ = time;
  settle_.expires_at(std::min(
      time + pause, first_event_ + std::max<std::chrono::milliseconds>(kLongestGathering, pause)));
  settle_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (error || self->stopped_) return;
    self->first_event_ = {};
    self->look_();
  });
}

void Watcher::arm_rescan() {
  rescan_.expires_after(settings_.rescan);
  rescan_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (error || self->stopped_) return;
    if (self->changed_()) self->touch();
    self->arm_rescan();
  });
}

}  // namespace host::plugin

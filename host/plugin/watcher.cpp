#include "plugin/watcher.h"

#include <sys/inotify.h>
#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <cstring>

#include "base/log.h"

namespace host::plugin {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                  IN_DELETE | IN_ATTRIB | IN_MODIFY | IN_DELETE_SELF | IN_MOVE_SELF;
constexpr auto kLongestGathering = 5s;  // a folder that is never quiet is looked at all the same

SteadyTime now() {
  return std::chrono::steady_clock::now();
}

}  // namespace

Watcher::Watcher(asio::any_io_executor io, Settings settings)
    : settings_(std::move(settings)), inotify_(io), settle_(io), rescan_(io) {}

void Watcher::start(std::function<void()> look, std::function<bool()> changed) {
  look_ = std::move(look);
  changed_ = std::move(changed);
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd >= 0) {
    inotify_.assign(fd);
    add_watches();
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

void Watcher::add_watches() {
  if (!inotify_.is_open()) return;
  for (const auto& folder : settings_.folders) {
    const auto is_it = [&](const auto& entry) { return entry.second == folder; };
    if (std::any_of(watched_.begin(), watched_.end(), is_it)) continue;
    const int watch = ::inotify_add_watch(inotify_.native_handle(), folder.c_str(), kEvents);
    if (watch >= 0) watched_[watch] = folder;
  }
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
  std::size_t at = 0;
  while (at + sizeof(inotify_event) <= bytes) {
    inotify_event event;
    std::memcpy(&event, events_.data() + at, sizeof event);
    at += sizeof event + event.len;
    if (event.mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF))
      watched_.erase(event.wd);  // added again at a rescan
  }
  touch();
}

void Watcher::touch_after(std::chrono::milliseconds pause) {
  if (stopped_) return;
  const SteadyTime time = now();
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
    self->add_watches();
    if (self->changed_()) self->touch();
    self->arm_rescan();
  });
}

}  // namespace host::plugin

#include "skill/watch.h"

#include <sys/inotify.h>
#include <unistd.h>

namespace host::skill {

Watch::Watch() : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

bool Watch::add(const std::filesystem::path& folder) {
  constexpr std::uint32_t kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE |
                                    IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                                    IN_ONLYDIR;
  return fd_ && ::inotify_add_watch(fd_.get(), folder.c_str(), kEvents) >= 0;
}

bool Watch::drain() {
  if (!fd_) return false;
  alignas(inotify_event) char events[16'384];
  bool any = false;
  while (::read(fd_.get(), events, sizeof events) > 0) any = true;
  return any;
}

}  // namespace host::skill

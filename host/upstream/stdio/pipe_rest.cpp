#include "upstream/stdio/pipe_rest.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "json/json.h"

namespace host::upstream {

void take_rest(int fd, std::size_t most, const std::function<void(std::string_view)>& take) {
  std::array<char, 4096> bytes;
  while (most > 0) {
    const ssize_t count = ::read(fd, bytes.data(), std::min(bytes.size(), most));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    take({bytes.data(), static_cast<std::size_t>(count)});
    most -= static_cast<std::size_t>(count);
  }
}

bool is_whole(std::string_view line) {
  return json::parse(line).has_value();
}

}  // namespace host::upstream

#include "permission/path/real_path.h"

#include <climits>
#include <deque>

#include <unistd.h>

namespace host::permission {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's limit

void drop_last(std::string& path) {
  const std::size_t slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash);
}

// Walks one path. `done_` is real and has no slash at its end; "" is the root.
class Walk {
 public:
  explicit Walk(std::string_view path) { push_front(path); }

  std::string run() {
    while (!ahead_.empty()) {
      const std::string part = std::move(ahead_.front());
      ahead_.pop_front();
      if (part == "..") {
        drop_last(done_);
      } else {
        step(part);
      }
    }
    return done_.empty() ? "/" : done_;
  }

 private:
  void push_front(std::string_view path) {
    const auto parts = path_parts(path);
    ahead_.insert(ahead_.begin(), parts.begin(), parts.end());
  }

  void step(const std::string& part) {
    done_.append("/").append(part);
    if (blind_ || done_.size() >= PATH_MAX) return;
    char target[PATH_MAX];
    const ssize_t size = ::readlink(done_.c_str(), target, sizeof target);
    if (size < 0) {
      // EINVAL: it exists and is not a link. Other errors: nothing below it can be looked up
      // either.
      blind_ = errno != EINVAL;
      return;
    }
    if (++links_ > kMaxLinks) {
      blind_ = true;
      return;
    }
    follow(std::string_view(target, static_cast<std::size_t>(size)));
  }

  void follow(std::string_view target) {
    if (target.starts_with('/')) {
      done_.clear();
    } else {
      drop_last(done_);
    }
    push_front(target);
  }

  std::deque<std::string> ahead_;
  std::string done_;
  int links_ = 0;
  bool blind_ = false;
};

}  // namespace

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, slash - at);
    if (!part.empty() && part != ".") parts.push_back(part);
    at = slash + 1;
  }
  return parts;
}

std::string absolute_path(std::string_view path, const Place& place) {
  if (path == "~") return place.home;
  if (path.starts_with("~/")) return place.home + std::string(path.substr(1));
  if (path.starts_with('/')) return std::string(path);
  return place.cwd + "/" + std::string(path);
}

std::string normal_path(std::string_view absolute) {
  std::string out;
  out.reserve(absolute.size());
  for (const std::string_view part : path_parts(absolute)) {
    if (part == "..") {
      drop_last(out);
    } else {
      out.append("/").append(part);
    }
  }
  return out.empty() ? "/" : out;
}

std::string real_path(std::string_view absolute) {
  if (absolute.size() >= PATH_MAX || absolute.find('\0') != std::string_view::npos) {
    return normal_path(absolute);
  }
  return Walk(absolute).run();
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace host::permission

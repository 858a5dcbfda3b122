// Remembers the real paths of a few files and folders that are looked up again and again.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace host::permission {

// The functions of RealPathMemory can be called from several threads.
class RealPathMemory {
 public:
  // Returns real_path(absolute), as it was at most a second ago. real() blocks on the file system.
  std::string real(const std::string& absolute);

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    std::string real;
    Clock::time_point until;
  };

  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace host::permission

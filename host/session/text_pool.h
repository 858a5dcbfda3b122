// Shares equal texts, so that each text is in memory only once. Sessions of the same client program
// usually have the same tools. A TextPool is not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace host::session {

class TextPool {
 public:
  // Returns the shared text that is equal to `text`. A shared text exists until its last shared_ptr
  // is destroyed.
  std::shared_ptr<const std::string> share(std::string text);
  // Returns an upper bound for the number of texts that are still in use.
  std::size_t size() const { return texts_.size(); }

 private:
  void drop_unused();

  std::unordered_map<std::string, std::weak_ptr<const std::string>> texts_;  // keys: digests
  std::size_t drop_at_ = 64;
};

}  // namespace host::session

// Equal texts in memory once. Sessions of one backend usually bring the same tools. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace host::session {

class TextPool {
 public:
  // The text that is equal to `text`, which lives as long as somebody holds it.
  std::shared_ptr<const std::string> share(std::string text);
  // Texts that somebody holds, at most.
  std::size_t size() const { return texts_.size(); }

 private:
  void drop_unused();

  std::unordered_map<std::string, std::weak_ptr<const std::string>> texts_;  // by digest
  std::size_t drop_at_ = 64;
};

}  // namespace host::session

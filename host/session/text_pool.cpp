#include "session/text_pool.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace host::session {

std::shared_ptr<const std::string> TextPool::share(std::string text) {
  if (texts_.size() >= drop_at_) drop_unused();
  std::weak_ptr<const std::string>& known = texts_[to_hex(sha256(text))];
  if (auto held = known.lock()) return held;
  auto fresh = std::make_shared<const std::string>(std::move(text));
  known = fresh;
  return fresh;
}

void TextPool::drop_unused() {
  std::erase_if(texts_, [](const auto& each) { return each.second.expired(); });
  drop_at_ = std::max<std::size_t>(64, 2 * texts_.size());
}

}  // namespace host::session

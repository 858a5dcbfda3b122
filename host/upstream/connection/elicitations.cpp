#include "upstream/connection/elicitations.h"

#include <algorithm>

namespace host::upstream {

void Elicitations::watch(tool::Question& question) {
  if (question.elicitation.empty()) return;
  std::erase_if(open_, [](const Open& one) { return one.ended.expired(); });
  const auto same = std::find_if(open_.begin(), open_.end(),
                                 [&](const Open& one) { return one.id == question.elicitation; });
  if (same != open_.end()) {
    question.ended = same->ended.lock();
    return;
  }
  question.ended = std::make_shared<Cancel>();
  open_.push_back({question.elicitation, question.ended});
  if (open_.size() > kMost) open_.pop_front();
}

void Elicitations::complete(std::string_view id) {
  const auto at =
      std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.id == id; });
  if (id.empty() || at == open_.end()) return;
  const auto ended = at->ended.lock();
  open_.erase(at);
  if (ended) ended->request();
}

}  // namespace host::upstream

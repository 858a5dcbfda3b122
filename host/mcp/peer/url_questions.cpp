#include "mcp/peer/url_questions.h"

#include <algorithm>

#include "protocol/notifications.h"

namespace host::mcp {

void UrlQuestions::add(const std::string& id, const std::shared_ptr<Cancel>& ended,
                       Outlet& outlet) {
  open_.push_back({id, &outlet, ended, ended->on_cancel([this, id] { end(id); })});
  if (open_.size() > kMost) open_.erase(open_.begin());
}

void UrlQuestions::leave(const Outlet& outlet) {
  for (Open& one : open_) {
    if (one.outlet == &outlet) one.outlet = nullptr;
  }
}

void UrlQuestions::end(const std::string& id) {
  const auto at =
      std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.id == id; });
  if (at == open_.end()) return;
  const std::string message = protocol::elicitation_complete_notification(id);
  Outlet* const outlet = at->outlet;
  open_.erase(at);
  const bool is_sent = outlet && outlet->send(message);
  if (!is_sent && tell_) tell_(message);
}

}  // namespace host::mcp

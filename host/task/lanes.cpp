#include "task/lanes.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace host::task {

bool Lanes::enter(const std::string& principal, const std::string& record) {
  Lane& lane = lanes_[principal];
  if (lane.running >= most_) {
    lane.waiting.push_back(record);
    return false;
  }
  ++lane.running;
  return true;
}

// A call starts inline and may leave its lane at once: for an approval.
void Lanes::leave(const std::string& principal) {
  const auto at = lanes_.find(principal);
  if (at == lanes_.end()) return;
  Lane& lane = at->second;
  --lane.running;
  if (lane.running == 0 && lane.waiting.empty()) {
    lanes_.erase(at);
    return;
  }
  if (lane.waiting.empty() || std::exchange(lane.starts, true)) return;
  boost::asio::post(executor_, [this, principal = principal, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) start_waiting(principal);
  });
}

// The call that ends is most often one of the first.
void Lanes::forget(const std::string& principal, const std::string& record) {
  const auto at = lanes_.find(principal);
  if (at == lanes_.end()) return;
  auto& waiting = at->second.waiting;
  const auto found = std::find(waiting.begin(), waiting.end(), record);
  if (found != waiting.end()) waiting.erase(found);
}

std::size_t Lanes::waiting(const std::string& principal) const {
  const auto at = lanes_.find(principal);
  return at == lanes_.end() ? 0 : at->second.waiting.size();
}

void Lanes::start_waiting(const std::string& principal) {
  if (const auto at = lanes_.find(principal); at != lanes_.end()) at->second.starts = false;
  while (!stopped_) {
    const auto at = lanes_.find(principal);  // anew: the call that started may have changed it
    if (at == lanes_.end() || at->second.running >= most_) return;
    Lane& lane = at->second;
    if (lane.waiting.empty()) {
      if (lane.running == 0) lanes_.erase(at);
      return;
    }
    const std::string record = std::move(lane.waiting.front());
    lane.waiting.pop_front();
    ++lane.running;
    if (start_(record)) continue;
    const auto left = lanes_.find(principal);
    if (left != lanes_.end()) --left->second.running;
  }
}

}  // namespace host::task

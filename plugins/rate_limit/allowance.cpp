#include "allowance.h"

#include <algorithm>

std::chrono::milliseconds Allowances::take(const std::string& name, Clock::time_point now) {
  auto at = buckets_.find(name);
  if (at == buckets_.end()) {
    if (buckets_.size() >= kMost) make_room(now);
    at = buckets_.emplace(name, Bucket{static_cast<double>(calls_), now}).first;
  }
  Bucket& bucket = at->second;
  fill(bucket, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::chrono::milliseconds::zero();
  }
  const double share = (1 - bucket.tokens) / calls_;
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(period_ * share);
  return std::max(wait, std::chrono::milliseconds(1));
}

void Allowances::fill(Bucket& bucket, Clock::time_point now) const {
  const std::chrono::duration<double> since = now - bucket.filled;
  const std::chrono::duration<double> period = period_;
  bucket.tokens = std::min<double>(calls_, bucket.tokens + since / period * calls_);
  bucket.filled = now;
}

// A full bucket limits nothing: it can be made again. If none is full, the fullest goes, because
// its loss gives away the least.
void Allowances::make_room(Clock::time_point now) {
  for (auto at = buckets_.begin(); at != buckets_.end();) {
    fill(at->second, now);
    if (at->second.tokens >= calls_) {
      at = buckets_.erase(at);
    } else {
      ++at;
    }
  }
  if (buckets_.size() < kMost) return;
  const auto fullest = std::max_element(
      buckets_.begin(), buckets_.end(),
      [](const auto& a, const auto& b) { return a.second.tokens < b.second.tokens; });
  buckets_.erase(fullest);
}

// Token buckets by name: each holds `calls` tokens and fills up within `period`. Their number is
// bounded. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

class Allowances {
 public:
  using Clock = std::chrono::steady_clock;

  Allowances(int calls, std::chrono::milliseconds period) : calls_(calls), period_(period) {}

  // Zero: the call may run, and is counted. Otherwise the time until one may.
  std::chrono::milliseconds take(const std::string& name, Clock::time_point now);

  std::size_t size() const { return buckets_.size(); }
  static constexpr std::size_t kMost = 10'000;

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled{};
  };
  void fill(Bucket& bucket, Clock::time_point now) const;
  void make_room(Clock::time_point now);

  const int calls_;
  const std::chrono::milliseconds period_;
  std::unordered_map<std::string, Bucket> buckets_;
};

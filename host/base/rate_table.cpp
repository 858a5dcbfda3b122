#include "base/rate_table.h"

#include <algorithm>

namespace host {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kBetween{1};           // looks for names to forget, in a full table
constexpr std::size_t kFewNames = 1024;  // are not worth a look

seconds rounded_up(nanoseconds time) {
  return std::chrono::ceil<seconds>(std::max(time, nanoseconds(0)));
}

}  // namespace

RateTable::RateTable(const Clock& clock, std::size_t most_names)
    : clock_(clock), most_names_(most_names), forget_at_(std::min(most_names, kFewNames)) {}

RateTable::Taken RateTable::take(std::string_view name, const Rate& rate) {
  const SteadyTime now = clock_.steady();
  const nanoseconds each = rate.window / rate.quota;
  SteadyTime& whole_at = this->whole_at(name, now);
  const SteadyTime then = std::max(whole_at, now) + each;
  const bool granted = then - now <= each * rate.quota;
  if (granted) whole_at = then;
  Taken taken = RateTable::taken(granted, whole_at, now, rate);
  if (!granted) taken.until_next = std::max(seconds(1), rounded_up(then - now - each * rate.quota));
  return taken;
}

RateTable::Taken RateTable::give_back(std::string_view name, const Rate& rate) {
  const auto at = whole_at_.find(name);
  SteadyTime& whole_at = at == whole_at_.end() ? shared_whole_at_ : at->second;
  whole_at -= rate.window / rate.quota;
  return taken(true, whole_at, clock_.steady(), rate);
}

RateTable::Taken RateTable::taken(bool granted, SteadyTime whole_at, SteadyTime now,
                                  const Rate& rate) {
  const nanoseconds each = rate.window / rate.quota;
  const nanoseconds used = std::max(whole_at, now) - now;
  return {granted, static_cast<std::uint32_t>((each * rate.quota - used) / each), rounded_up(used)};
}

SteadyTime& RateTable::whole_at(std::string_view name, SteadyTime now) {
  if (const auto at = whole_at_.find(name); at != whole_at_.end()) return at->second;
  if (whole_at_.size() >= forget_at_) forget(now);
  if (whole_at_.size() >= most_names_) return shared_whole_at_;
  return whole_at_.emplace(name, now).first->second;
}

void RateTable::forget(SteadyTime now) {
  if (now < next_forget_) return;
  std::erase_if(whole_at_, [now](const auto& one) { return one.second <= now; });
  forget_at_ = std::min(most_names_, std::max(kFewNames, 2 * whole_at_.size()));
  if (whole_at_.size() >= most_names_) next_forget_ = now + kBetween;
}

}  // namespace host

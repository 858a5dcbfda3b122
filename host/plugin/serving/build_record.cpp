#include "plugin/serving/build_record.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostPoison = 256;
constexpr std::size_t kMostRecords = 32;
constexpr double kJitter = 0.2;
constexpr unsigned kMostDoublings = 20;

}  // namespace

BuildRecord::BuildRecord(const config::Supervision& limits) : limits_(limits) {}

void BuildRecord::crashed(SteadyTime now, std::chrono::steady_clock::duration up, double dice) {
  ++crashes_;
  in_a_row_ = up >= limits_.restart_healthy ? 1 : in_a_row_ + 1;
  const double doubled = std::ldexp(static_cast<double>(limits_.restart_pause.count()),
                                    static_cast<int>(std::min(in_a_row_ - 1, kMostDoublings)));
  const double pause = std::min(doubled, static_cast<double>(limits_.restart_pause_most.count()));
  next_start_ = now + std::chrono::milliseconds(std::llround(pause * (1 + kJitter * dice)));

  if (limits_.quarantine_crashes == 0) return;
  recent_.push_back(now);
  while (now - recent_.front() > limits_.quarantine_window) recent_.pop_front();
  if (recent_.size() >= limits_.quarantine_crashes) quarantined_ = true;
}

void BuildRecord::release() {
  quarantined_ = false;
  recent_.clear();
  in_a_row_ = 0;
  next_start_ = {};
}

std::string BuildRecord::quarantine_words() const {
  return "is quarantined, for it crashed " + std::to_string(crashes_) +
         " times: another build of it, `toolpost plugins release`, or a restart of the host, lifts "
         "that. The last crash: it " +
         last_crash_;
}

// The tool by its name: its number may be another in the next build. What the caller was asked
// and answered is part of the input.
std::string BuildRecord::key_of(const tool::Invocation& call) {
  std::string text = std::to_string(static_cast<int>(call.function)) + '\n';
  if (call.tool) text += call.tool->name();
  text += '\n' + call.name + '\n' + call.arguments + '\n' + call.continuation.state;
  for (const auto& [question, answer] : call.continuation.answers)
    text += '\n' + question + '\n' + answer;
  return to_hex(sha256(text));
}

BuildRecord::Poison* BuildRecord::find(const std::string& key) {
  const auto at = std::find_if(poison_.begin(), poison_.end(),
                               [&](const Poison& entry) { return entry.key == key; });
  return at == poison_.end() ? nullptr : &*at;
}

void BuildRecord::forget_old(SteadyTime now) {
  std::erase_if(poison_,
                [&](const Poison& entry) { return now - entry.last >= limits_.poison_time; });
}

void BuildRecord::blame(const tool::Invocation& call, SteadyTime now) {
  if (limits_.poison_crashes == 0) return;
  forget_old(now);
  const std::string key = key_of(call);
  Poison entry{key, 0, now};
  if (const Poison* known = find(key)) entry.crashes = known->crashes;
  ++entry.crashes;
  std::erase_if(poison_, [&](const Poison& old) { return old.key == key; });
  if (poison_.size() >= kMostPoison) poison_.pop_front();
  poison_.push_back(std::move(entry));
}

std::optional<std::chrono::seconds> BuildRecord::refuses(const tool::Invocation& call,
                                                         SteadyTime now) {
  if (poison_.empty()) return std::nullopt;  // nearly always: then no digest is made
  forget_old(now);
  const Poison* const known = find(key_of(call));
  if (!known || known->crashes < limits_.poison_crashes) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(known->last + limits_.poison_time - now);
}

std::size_t BuildRecord::refused_inputs(SteadyTime now) const {
  const auto is_refused = [&](const Poison& entry) {
    return entry.crashes >= limits_.poison_crashes && now - entry.last < limits_.poison_time;
  };
  return static_cast<std::size_t>(std::count_if(poison_.begin(), poison_.end(), is_refused));
}

bool BuildRecords::release_all() {
  bool any = false;
  for (const auto& [hash, record] : records_) {
    any = any || record->quarantined();
    if (record->quarantined()) record->release();
  }
  return any;
}

std::shared_ptr<BuildRecord> BuildRecords::of(const std::string& hash) {
  if (records_.size() >= kMostRecords) {
    std::erase_if(records_, [](const auto& entry) {
      return entry.second.use_count() == 1 && !entry.second->quarantined();
    });
  }
  std::shared_ptr<BuildRecord>& record = records_[hash];
  if (!record) record = std::make_shared<BuildRecord>(limits_);
  return record;
}

}  // namespace host::plugin

#include "task/leases.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "task/outcome.h"

namespace host::task {
namespace {

using tool::Record;
using tool::RecordState;

constexpr std::string_view kResponse = "/response";

Leases::Refused conflict(std::string message) {
  return {Leases::Refused::Kind::Conflict, std::move(message)};
}

Leases::Refused invalid(std::string_view pointer, std::string message) {
  return {Leases::Refused::Kind::Invalid, std::move(message), std::string(pointer)};
}

// True if the tool's own schema has the member `state`, as client-supplied tools have it.
bool declares_state(const tool::Tool& tool) {
  const auto schema = json::parse(tool.declared().output_schema);
  return schema && json::at(schema->root(), "/properties/state");
}

// Other tools say nothing of it, so it is only the host's.
json::Document without_state(const json::Value& response) {
  json::Document body;
  body.root() = json::copy(response, body.allocator());
  body.root().RemoveMember("state");
  return body;
}

std::string seconds_of(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

// Nobody guesses it, and a client whose numbers are doubles reads it whole.
std::uint64_t new_token() {
  std::array<std::uint8_t, 8> bytes{};
  random_bytes(bytes);
  std::uint64_t token = 0;
  for (const std::uint8_t byte : bytes) token = token << 8u | byte;
  constexpr unsigned kBits = 53;
  return std::max<std::uint64_t>(1, token >> (64 - kBits));
}

tool::CallResult result_of(const std::string& text, bool is_error) {
  tool::CallResult result = tool::CallResult::text(text);
  result.structured = text;
  result.is_error = is_error;
  return result;
}

}  // namespace

Leases::Leases(const Clock& clock, Records& records, Room& room, Settings settings,
               FindTool find_tool)
    : clock_(clock),
      records_(records),
      room_(room),
      settings_(settings),
      find_tool_(std::move(find_tool)) {
  records_.on_change([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired() && record->is_over()) by_token_.erase(record->id);
  });
  records_.on_gone([this, alive = std::weak_ptr<bool>(alive_)](const RecordPtr& record) {
    if (!alive.expired()) by_token_.erase(record->id);
  });
}

// Why this worker may not act on the record.
std::optional<Leases::Refused> Leases::refusal(const Record& record, const Worker& worker) const {
  if (record.executes == tool::Executes::Host) {
    return conflict(record.is_over() || record.reason.empty()
                        ? "the host executes this call: it takes no heartbeat and no response"
                        : "this call waits (" + record.reason + ") and cannot be picked up yet");
  }
  if (record.is_over()) {
    return conflict("the call has ended in state " + std::string(to_string(record.state)) +
                    (record.code.empty() ? "" : " (" + record.code + ")"));
  }
  if (record.is_answered()) return conflict("the call was answered already, and ends now");
  if (record.state == RecordState::Pending) {
    if (record.reason != tool::kWaitsForCaller)
      return conflict("this call cannot be picked up yet");
    if (worker.token)
      return conflict("nobody has a lease of this call: send no lease to pick it up");
    return std::nullopt;
  }
  if (worker.token) {  // which proves more than the key: the key can have been rotated since
    if (*worker.token == record.lease.token) return std::nullopt;
    return conflict("the lease has a different token");
  }
  if (by_token_.contains(record.id)) {
    return conflict("the holder of the lease sends its token: send it in the member \"lease\"");
  }
  if (record.lease.holder == worker.holder && record.lease.worker == worker.worker)
    return std::nullopt;
  return conflict("the call is already picked up by a different worker");
}

// The record with a lease of this worker.
Leases::Answer Leases::take(const RecordPtr& record, const Worker& worker) {
  if (auto refused = refusal(*record, worker)) return *std::move(refused);
  if (record->state == RecordState::Processing) {
    if (worker.token) by_token_.insert(record->id);
    return record;
  }
  Record next = *record;
  next.state = RecordState::Processing;
  next.reason.clear();
  next.lease = {new_token(), worker.holder, worker.worker};
  next.heartbeat = clock_.wall();
  auto taken = records_.change(std::move(next), worker.by);
  if (!taken) return conflict(taken.error().message);
  return *std::move(taken);
}

Leases::Answer Leases::heartbeat(const RecordPtr& record, const Worker& worker,
                                 std::optional<std::uint64_t> client_clock) {
  Answer taken = take(record, worker);
  if (const auto* const held = std::get_if<RecordPtr>(&taken))
    records_.beat((*held)->id, client_clock);
  return taken;
}

Leases::Answer Leases::fail(const RecordPtr& record, const Worker& worker, std::string_view error) {
  Answer taken = take(record, worker);
  const auto* const held = std::get_if<RecordPtr>(&taken);
  if (!held) return taken;
  std::string result = text_of(tool::CallResult::error(error));
  if (!room_.make(record->principal, result.size(), Room::Adds::Bytes))
    result = text_of(tool::CallResult::error("The caller failed; its words cannot be kept."));
  return answer(*held, tool::kFailed, std::move(result), worker.by);
}

Leases::Answer Leases::respond(const RecordPtr& record, const Worker& worker,
                               const json::Value& response) {
  if (auto refused = refusal(*record, worker)) return *std::move(refused);
  const json::Value* const state = json::find(response, "state");
  const std::string_view word = state ? json::text(*state) : std::string_view();
  if (word != "COMPLETE" && word != "FAILED" && word != "PENDING") {
    return invalid(std::string(kResponse) + "/state",
                   state ? "expected \"COMPLETE\", \"FAILED\" or \"PENDING\""
                         : "is missing: \"COMPLETE\", \"FAILED\" or \"PENDING\"");
  }
  if (word == "COMPLETE") {
    if (auto fault = shape_fault(*record, response)) return *std::move(fault);
  }
  const bool failed = word == "FAILED";
  std::string result = text_of(result_of(body_of(*record, response), failed));
  if (word != "PENDING") {
    if (const auto room = room_.make(record->principal, result.size(), Room::Adds::Bytes); !room)
      return invalid(kResponse, room.error().message);
  }
  Answer taken = take(record, worker);
  const auto* const held = std::get_if<RecordPtr>(&taken);
  if (!held) return taken;
  if (word == "PENDING") {
    records_.beat((*held)->id, std::nullopt);
    return taken;
  }
  return answer(*held, failed ? tool::kFailed : std::string_view(), std::move(result), worker.by);
}

std::variant<Leases::Held, Leases::Refused> Leases::hold(const RecordPtr& record,
                                                         const Worker& worker) {
  if (auto refused = refusal(*record, worker)) return *std::move(refused);
  ++held_[record->id];
  const auto release = [this, id = record->id, alive = std::weak_ptr<bool>(alive_)](const void*) {
    if (alive.expired()) return;
    if (--held_[id] == 0) held_.erase(id);
    records_.begin_time_anew(id);
  };
  return Held(this, release);
}

std::string Leases::body_of(const Record& record, const json::Value& response) const {
  const auto tool = find_tool_(record);
  return json::write(!tool || declares_state(*tool) ? response : without_state(response).root());
}

std::optional<Leases::Refused> Leases::shape_fault(const Record& record,
                                                   const json::Value& response) const {
  const auto tool = find_tool_(record);
  if (!tool || !tool->output() || tool->digest() != record.definition) return std::nullopt;
  const json::Document bare = without_state(response);
  std::vector<json::schema::Violation> violations;
  const json::Value& body = declares_state(*tool) ? response : bare.root();
  if (tool->output()->validate(body, violations)) return std::nullopt;
  const json::schema::Violation& first = violations.front();
  return invalid(std::string(kResponse) + first.instance, first.message);
}

Leases::Answer Leases::answer(const RecordPtr& record, std::string_view code, std::string result,
                              const std::string& by) {
  Record next = *record;
  next.response = {std::move(result), std::string(code), by, false};
  auto answered = records_.change(std::move(next), by);
  if (!answered) return conflict(answered.error().message);
  if (on_response_) on_response_(*answered);
  return *std::move(answered);
}

void Leases::end(const RecordPtr& record, std::string_view code, const std::string& words) {
  if (end_by_) return end_by_(record, code, words);
  const auto done = records_.change(ended_with_words(*record, code, words, end_of_keep()), "host");
  if (!done) {
    log::warning("task", "the end of a call is lost",
                 {{"call", record->id}, {"reason", done.error().message}});
  }
}

void Leases::sweep() {
  const SteadyTime now = clock_.steady();
  for (const RecordPtr& record : records_.open()) {
    if (record->executes == tool::Executes::Host || record->is_answered() ||
        held_.contains(record->id))
      continue;
    const auto since = now - records_.last_beat(record->id).steady;
    if (record->state == RecordState::Processing && since >= settings_.heartbeat_timeout) {
      const auto words = "Nobody has sent a heartbeat for this call for " +
                         seconds_of(settings_.heartbeat_timeout) +
                         ", so it was abandoned. What it did until then is unknown.";
      end(record, tool::kAbandoned, words);
    } else if (record->state == RecordState::Pending && record->reason == tool::kWaitsForCaller &&
               since >= settings_.pickup_timeout) {
      const auto words = "Nobody picked this call up within " +
                         seconds_of(settings_.pickup_timeout) + ". It did not run.";
      end(record, tool::kNotPickedUp, words);
    }
  }
}

}  // namespace host::task

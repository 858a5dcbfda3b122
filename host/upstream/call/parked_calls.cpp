// Calls whose upstream asks the client. They are parked until the next run brings the answers.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/digest.h"
#include "protocol/foreign_questions.h"
#include "upstream/call/call_form.h"
#include "upstream/call/calls.h"
#include "upstream/call/round_state.h"

namespace host::upstream {
namespace {

constexpr std::size_t kHandleBytes = 16;
constexpr std::size_t kMostQuestions = 64;         // of one call
constexpr std::size_t kMostLateBytes = 1u << 20u;  // of a result that came while it was parked

bool is_same_call(const tool::Invocation& a, const tool::Invocation& b) {
  const bool is_same_tool =
      !a.tool || !b.tool ? !a.tool && !b.tool : a.tool->name() == b.tool->name();
  return a.function == b.function && is_same_tool &&
         a.passport->who.principal == b.passport->who.principal &&
         a.passport->who.agent == b.passport->who.agent;
}

// Empty: the question can be asked. `allowed` are the kinds that the operator allows.
std::string why_not_asked(const tool::Question& question, const tool::Abilities& client,
                          const tool::Abilities& allowed) {
  std::string lacking = protocol::lacking_for(question, allowed);
  if (!lacking.empty())
    return "`questions` of its [[upstream]] section does not allow it: it lacks " + lacking;
  lacking = protocol::lacking_for(question, client);
  if (!lacking.empty()) return "the client of this call cannot be asked: it lacks " + lacking;
  return {};
}

std::string has_asked_enough() {
  return "this call can ask at most " + std::to_string(kMostQuestions) + " questions";
}

}  // namespace

// Says why the questions cannot be asked, or finds a place for their call. No other call is given
// up for questions that are refused anyway.
std::string Calls::objection_to(const Running& running, std::span<const tool::Question> questions) {
  const tool::Abilities& client = running.held.invocation->abilities;
  for (const tool::Question& question : questions) {
    const std::string why = why_not_asked(question, client, settings_.passed_on);
    if (!why.empty()) return why;
  }
  if (!retired_.empty()) return retired_;
  if (running.questions + questions.size() > kMostQuestions) return has_asked_enough();
  if (!questions.empty() && running.handle.empty() && !make_room_for(running))
    return "too many calls wait for their clients (limits.upstream_parked_calls)";
  return {};
}

// An upstream of 2026-07-28 reads from each request what its client can be asked, but it can ignore
// that.
std::string Calls::objection_to(const tool::Invocation& call, const tool::Round& round) const {
  for (const tool::Question& question : round.questions) {
    const std::string why = why_not_asked(question, call.abilities, settings_.passed_on);
    if (!why.empty()) return why;
  }
  const std::size_t answered = call.continuation.answers.size();
  const bool is_enough = answered + round.questions.size() > kMostQuestions;
  return is_enough ? has_asked_enough() : std::string();
}

void Calls::take_question(Key key, const protocol::Id& id, tool::Question question) {
  const auto found = running_.find(key);
  Connection* const connection = line_.connection();
  if (!connection) return;
  if (found == running_.end())
    return connection->refuse(id, protocol::kInvalidRequest, "the call has ended");
  Running& running = found->second;
  if (const std::string why = objection_to(running, {&question, 1}); !why.empty())
    return connection->refuse(id, protocol::kInvalidRequest, why);
  question.key = "question_" + std::to_string(++running.questions);
  running.asked.push_back({id, {}, std::move(question)});
  if (running.handle.empty()) park(key, running);
}

// If all places are taken, the principal with the most parked calls loses one of them to a
// principal that has fewer. So nobody can keep the others from being asked. The call that began
// first is given up, or the first one that has no result yet: a result that nobody fetches is lost.
// Returns false if there is no place.
bool Calls::make_room_for(const Running& running) {
  const auto principal_of = [](const Running& one) -> const std::string& {
    return one.held.invocation->passport->who.principal;
  };
  std::map<std::string, std::vector<Key>> parked;
  std::size_t all = 0;
  for (const auto& [key, one] : running_) {
    if (one.handle.empty()) continue;
    parked[principal_of(one)].push_back(key);
    ++all;
  }
  if (all < settings_.most_parked) return true;
  const std::size_t own = parked[principal_of(running)].size();
  const auto most = std::max_element(
      parked.begin(), parked.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most->second.size() <= own + 1) return false;
  const auto unfinished = std::find_if(most->second.begin(), most->second.end(),
                                       [&](Key key) { return !running_.at(key).late; });
  give_up_parked(unfinished == most->second.end() ? most->second.front() : *unfinished);
  return true;
}

// Ends the host's call with the questions.
void Calls::park(Key key, Running& running) {
  running.handle = std::string(kParked) + random_id(kHandleBytes);
  running.over = std::make_shared<Cancel>();
  running.limit = std::make_unique<boost::asio::steady_timer>(io_, settings_.park_timeout);
  running.limit->async_wait([weak = weak_from_this(), key](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->give_up_parked(key);
  });
  tool::CallResult asks;
  asks.round.emplace();
  asks.round->state = running.handle;
  asks.round->over = running.over;
  for (Asked& asked : running.asked) {
    asked.is_shown = true;
    asks.round->questions.push_back(shown(asked.question));
  }
  const auto invocation = running.held.invocation;
  invocation->finish(std::move(asks));
}

Calls::Runnings::iterator Calls::parked(const std::string& handle) {
  return std::find_if(running_.begin(), running_.end(),
                      [&](const auto& entry) { return entry.second.handle == handle; });
}

// True: this server ended the round with this state.
bool Calls::has_asked(std::string_view state) const {
  return urls_.is_own(state) || own_state(settings_.server, state).has_value();
}

// True: this is the next run of a parked call, or of one that cannot continue.
bool Calls::takes_up(const std::shared_ptr<tool::Invocation>& invocation, const Target& target) {
  const tool::Continuation& resumed = invocation->continuation;
  const std::string& state = resumed.state;
  const bool is_first = state.empty() && resumed.answers.empty();
  if (is_first || has_asked(state)) return false;
  if (!is_parked(state)) {
    fail_continuing({invocation, target},
                    "the section of the upstream was changed, and another server answers now");
    return true;
  }
  const auto found = parked(state);
  const bool fits = found != running_.end() && found->second.held.target.name == target.name &&
                    is_same_call(*found->second.held.invocation, *invocation);
  if (fits) {
    take_up(found->first, found->second, invocation);
  } else if (!retired_.empty()) {
    fail_retired({invocation, target});
  } else {
    fail_continuing({invocation, target},
                    "its answers came too late, too many calls waited for their clients "
                    "(limits.upstream_parked_calls), or the upstream was changed or started again");
  }
  return true;
}

void Calls::take_up(Key key, Running& running, std::shared_ptr<tool::Invocation> invocation) {
  running.held.invocation = std::move(invocation);
  running.handle.clear();
  running.limit.reset();
  if (running.is_lost) return send_lost(key, running);
  if (running.late) {
    const Held held = std::move(running.held);
    auto result = *std::move(running.late);
    running_.erase(key);
    return end(held, std::move(result));
  }
  answer_task(running);
  Connection* const connection = line_.connection();
  const tool::Answers& answers = running.held.invocation->continuation.answers;
  for (auto asked = running.asked.begin(); asked != running.asked.end();) {
    const auto answer = answers.find(asked->question.key);
    if (!asked->is_shown || answer == answers.end()) {
      ++asked;
      continue;
    }
    const auto text = connection ? protocol::legacy_answer(asked->question, answer->second,
                                                           connection->self().version)
                                 : Result<std::string>(std::string());
    if (connection && text) connection->answer(asked->id, *text);
    if (connection && !text)
      connection->refuse(asked->id, protocol::kInternalError, text.error().message);
    asked = running.asked.erase(asked);
  }
  if (!running.asked.empty()) park(key, running);
}

// The upstream that asked is gone, so its questions and the answers to them are too.
void Calls::send_lost(Key key, Running& running) {
  Held held = std::move(running.held);
  running_.erase(key);
  held.sent_again = true;
  held.may_have_acted = true;
  send_or_wait(std::move(held));
}

void Calls::left(Connection& connection, const Error& why) {
  forget_tasks();
  std::vector<Key> asking;
  for (const auto& [key, running] : running_) {
    if (!running.task && !running.asked.empty() && running.sent_on.get() == &connection)
      asking.push_back(key);
  }
  for (const Key key : asking) {
    connection.cancel(running_.at(key).number, "the host cannot answer its question");
    settle(key, Answer::failed(Reached::Perhaps, why));
  }
}

// A client that is being asked gets it at once, any other one when it calls again.
void Calls::keep_late(Running& running, Result<tool::CallResult> result) {
  running.asked.clear();
  running.held.may_have_acted = true;
  const bool is_long =
      result && result->content.size() + result->structured.size() > kMostLateBytes;
  running.late = is_long ? failure(*running.held.invocation,
                                   "its result came before the answers, and is too long to be kept")
                         : std::move(result);
  running.over->request();
}

void Calls::abandon(const std::string& state) {
  const auto found = is_parked(state) ? parked(state) : running_.end();
  if (found != running_.end()) give_up_parked(found->first);
}

void Calls::abandon_all() {
  std::vector<Key> all;
  for (const auto& [key, running] : running_) {
    if (!running.handle.empty()) all.push_back(key);
  }
  for (const Key key : all) give_up_parked(key);
}

// Nobody answers any more: the upstream's call ends too.
void Calls::give_up_parked(Key key) {
  const auto found = running_.find(key);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  const bool has_ended = running.late || running.is_lost;
  Connection* const connection = line_.connection();
  if (connection && !has_ended) {
    for (const Asked& asked : running.asked) {
      if (asked.id.empty()) continue;
      const std::string_view none = protocol::no_answer(asked.question);
      if (none.empty()) {
        connection->refuse(asked.id, protocol::kInternalError, "nobody answered in time");
      } else {
        connection->answer(asked.id, none);
      }
    }
  }
  if (!has_ended) stop(key, running, "nobody answered its question");
  running.over->request();
  tell_if_idle();
}

}  // namespace host::upstream

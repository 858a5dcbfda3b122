#include "upstream/call/calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/client_requests.h"
#include "protocol/foreign_questions.h"
#include "protocol/log_level.h"
#include "tool/call/record.h"
#include "upstream/call/call_form.h"
#include "upstream/call/round_state.h"

namespace host::upstream {
namespace {

// No upstream gets such a state.
bool is_own_state(std::string_view state) {
  return is_parked(state) || OpenedUrls::is_state(state);
}

// A modern upstream reads what its client can be asked from each request.
tool::Abilities both(const tool::Abilities& a, const tool::Abilities& b) {
  return {a.forms && b.forms, a.urls && b.urls, a.sampling && b.sampling,
          a.sampling_tools && b.sampling_tools, a.roots && b.roots};
}

tool::Abilities without(const tool::Abilities& a, const tool::Abilities& b) {
  return {a.forms && !b.forms, a.urls && !b.urls, a.sampling && !b.sampling,
          a.sampling_tools && !b.sampling_tools, a.roots && !b.roots};
}

bool any(const tool::Abilities& one) {
  return one.forms || one.urls || one.sampling || one.roots;
}

// Requests of one client have the same text. Empty parts are parts too.
std::string client_of(const tool::Invocation& call) {
  const tool::Passport& passport = *call.passport;
  std::string out;
  out.reserve(128);  // most texts are shorter
  for (const std::string* part : {&passport.who.principal, &passport.who.agent,
                                  &passport.who.session, &passport.connection}) {
    out += *part;
    out += '\0';
  }
  return out;
}

// Interceptors are of a tool: what they would hide must not reach the client by another one's call.
std::string log_reader_of(const tool::Invocation& call, const std::string& client) {
  if (!call.messages_are_filtered) return client;
  return (call.tool ? call.tool->name() : call.name) + '\0' + client;
}

Result<tool::CallResult> result_of(const tool::Invocation& call, Result<tool::CallResult> read,
                                   const CallSettings& settings) {
  if (!read) return malformed(read.error(), call.function, settings.upstream, *settings.secrets);
  if (read->round) read->round->state = bound_state(settings.server, read->round->state);
  return read;
}

// The data of an error that the client of a resource, a prompt or a completion gets. URLs that a
// user must open first are for the host, which asks the client.
std::string data_to_pass_on(const tool::Invocation& call, const protocol::ForeignError& refusal) {
  const bool has_urls = refusal.code == protocol::kUrlsRequired;
  return has_urls || call.function == tool::Function::Call ? std::string() : refusal.data;
}

}  // namespace

void Calls::take(std::shared_ptr<tool::Invocation> invocation, const Target& target) {
  if (takes_up(invocation, target)) return;
  Held held{.invocation = std::move(invocation), .target = target};
  if (!retired_.empty()) return fail_retired(std::move(held));
  if (!OpenedUrls::are_agreed(held.invocation->continuation)) {
    held.invocation->finish(  // the client's answer is used up
        refusal_of(
            {protocol::kUrlsRequired, "the user has to open a URL first, and did not agree to it"},
            held.invocation->function, settings_.upstream, *settings_.secrets));
    return tell_if_idle();
  }
  if (!waits_for_urls(held)) send_or_wait(std::move(held));
}

void Calls::send_or_wait(Held held) {
  if (!retired_.empty()) return fail_retired(std::move(held));
  if (Connection* const connection = line_.connection()) return send(std::move(held), *connection);
  waiting_.push_back(std::move(held));
  line_.need();
}

bool Calls::catch_up(std::function<void()> done) {
  return retired_.empty() && line_.catch_up && line_.catch_up(std::move(done));
}

void Calls::give_up(const std::shared_ptr<tool::Invocation>& invocation) {
  const Error cancelled{ErrorKind::Cancelled, "the call was cancelled"};
  const auto waits = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Held& held) { return held.invocation == invocation; });
  if (waits != waiting_.end()) {
    const Held held = std::move(*waits);
    waiting_.erase(waits);
    return end(held, cancelled);
  }
  const auto opens = std::find_if(opening_.begin(), opening_.end(), [&](const auto& entry) {
    return entry.second.held.invocation == invocation;
  });
  if (opens != opening_.end())
    return end(std::move(opening_.extract(opens).mapped().held), cancelled);
  const auto runs = std::find_if(running_.begin(), running_.end(), [&](const auto& entry) {
    return entry.second.handle.empty() && entry.second.held.invocation == invocation;
  });
  if (runs == running_.end()) return;
  const Key key = runs->first;
  Running running = std::move(runs->second);
  running_.erase(runs);
  stop(key, running, "cancelled");
  running.held.may_have_acted = true;
  end(running.held, cancelled);
}

// Tells the upstream that nobody waits for the call any more.
void Calls::stop(Key key, const Running& running, std::string_view reason) {
  if (running.task && !running.task->can_send()) return cancel_task(running.task->id(), nullptr);
  if (running.task) return running.task->cancel(reason, cancelling());
  Connection* const connection = running.sent_on.get();
  if (!connection) return;
  // A task is cancelled by its id only, and the id is in the answer. With 2026-07-28 the call can
  // be no task: an upstream that sends progress first has made none.
  const bool is_no_task = connection->era() == Era::Modern && running.has_progress;
  const bool has_left = connection != line_to_cancel();
  if (!running.may_be_task || is_no_task || has_left)
    return connection->cancel(running.number, reason);
  keep_unwanted(key, running.number, *connection);
}

void Calls::connected() {
  if (Connection* const connection = line_.connection()) {
    cancel_tasks_of_before(*connection);
    for (auto& [key, running] : running_) {
      if (!running.task) continue;
      running.sent_on = SentOn(*connection);
      running.task->go_on(*connection);
    }
  }
  std::list<Held> now = std::move(waiting_);
  waiting_.clear();
  for (Held& held : now) {
    Connection* const connection = line_.connection();
    if (connection) {
      send(std::move(held), *connection);
    } else {
      waiting_.push_back(std::move(held));
    }
  }
}

void Calls::fail_waiting(const std::string& why) {
  std::list<Held> now = std::move(waiting_);
  waiting_.clear();
  for (auto& [key, opening] : std::exchange(opening_, {})) now.push_back(std::move(opening.held));
  for (const Held& held : now) fail(held, why);
}

void Calls::retire(std::string why) {
  retired_ = std::move(why);
  fail_waiting(retired_);
  std::vector<Key> parked;
  for (const auto& [key, running] : running_) {
    if (!running.handle.empty()) parked.push_back(key);
  }
  for (const Key key : parked) give_up_parked(key);
  no_more_rounds_->request();
}

void Calls::send(Held held, Connection& connection) {
  if (held.invocation->tool && line_.awaits_tools && line_.awaits_tools())
    return waiting_.push_back(std::move(held));
  const tool::Invocation& invocation = *held.invocation;
  const std::string objection =
      invocation.tool ? line_.objection(*invocation.tool, held.target.name) : std::string();
  if (!objection.empty()) return fail(held, objection);
  if (!is_admitted(held)) return;
  const bool has_rounds = connection.era() == Era::Modern;
  if (!has_rounds && has_begun(invocation) && !is_own_state(invocation.continuation.state))
    return fail_continuing(std::move(held),
                           "the upstream was started again with an earlier protocol version");
  const Key key = ++last_key_;
  Request request = request_of(held, key);
  Running& running = running_[key];
  running.held = std::move(held);
  agree_to_task(running, connection, request);
  running.sent_on = SentOn(connection);
  running.number = connection.send(std::move(request));
}

// False: the call waits, or has ended.
bool Calls::is_admitted(Held& held) {
  if (held.target.listed == Listed::ByUpstream || !line_.admission) return true;
  const Admission admission = line_.admission(held.invocation->function, held.target.name);
  switch (admission.kind) {
    case Admission::Kind::Send:
      return true;
    case Admission::Kind::Wait:
      waiting_.push_back(std::move(held));
      return false;
    case Admission::Kind::Missing:
      end(held, missing_of(held.invocation->function, settings_.upstream));
      return false;
    case Admission::Kind::Unread:
      fail(held, "its lists could not be read since it was started: " + admission.why);
      return false;
  }
  return true;
}

Request Calls::request_of(const Held& held, Key key) {
  const tool::Invocation& invocation = *held.invocation;
  tool::Continuation resumed;
  if (auto own = own_state(settings_.server, invocation.continuation.state))
    resumed = {*std::move(own), invocation.continuation.answers};
  Request request = upstream::request_of(invocation, held.target.name, resumed);
  request.abilities = abilities_of(invocation);
  request.deadline = invocation.deadline;
  request.outlives_session = true;
  request.on_answer = [weak = weak_from_this(), key](Answer&& answer) {
    if (const auto self = weak.lock()) self->take_answer(key, std::move(answer));
  };
  add_listeners(invocation, key, request);
  return request;
}

tool::Abilities Calls::abilities_of(const tool::Invocation& call) const {
  return both(call.abilities, settings_.passed_on);
}

// The invocation of a parked call ends, and another one follows: each is found by the key.
void Calls::add_listeners(const tool::Invocation& invocation, Key key, Request& request) {
  const auto with = [weak = weak_from_this(), key](const auto& act) {
    const auto self = weak.lock();
    tool::Invocation* const now = self ? self->invocation_of(key) : nullptr;
    if (now) act(*now);
  };
  if (invocation.on_progress) {
    request.on_progress = [weak = weak_from_this(),
                           key](const protocol::ForeignProgress& progress) {
      if (const auto self = weak.lock()) self->take_progress(key, progress);
    };
  }
  std::string client = client_of(invocation);
  if (invocation.on_log) {
    request.log_level = protocol::kInfo;
    request.log_reader = log_reader_of(invocation, client);
    request.on_log = [with](const protocol::ForeignLog& line) {
      with([&](tool::Invocation& now) {
        if (now.on_log) now.on_log(line.level, line.logger, line.message, line.fields);
      });
    };
  }
  if (invocation.function == tool::Function::Complete) return;
  request.client = std::move(client);
  if (!any(request.abilities)) return;
  request.on_question = [weak = weak_from_this(), key](const protocol::Id& id,
                                                       tool::Question question) {
    if (const auto self = weak.lock()) self->take_question(key, id, std::move(question));
  };
}

void Calls::take_progress(Key key, const protocol::ForeignProgress& progress) {
  tool::Invocation* const now = invocation_of(key);
  if (!now || !now->on_progress) return;
  Running& running = running_.at(key);
  running.has_progress = true;
  const double total = progress.total > 0 ? progress.total + running.steps : 0;
  now->on_progress(progress.done + running.steps, total, progress.message);
}

tool::Invocation* Calls::invocation_of(Key key) {
  const auto found = running_.find(key);
  const bool is_there = found != running_.end() && found->second.handle.empty();
  return is_there ? found->second.held.invocation.get() : nullptr;
}

void Calls::take_answer(Key key, Answer&& answer) {
  if (!running_.contains(key)) return drop_unwanted(key, answer);
  if (!begin_task(key, answer)) settle(key, std::move(answer));
}

// `answer` is the answer to the call, by whichever request it came.
void Calls::settle(Key key, Answer&& answer) {
  const auto found = running_.find(key);
  if (found == running_.end()) return;
  Running& running = found->second;
  const auto ended = std::move(running.task);  // it can be the caller
  running.may_be_task = false;
  const tool::Invocation& call = *running.held.invocation;
  switch (answer.kind) {
    case Answer::Kind::Result:
      if (answer.reading && settings_.jobs) return convert(key, std::move(answer));
      return take_result(key,
                         result_of(call, read_result(*answer.result, call.function), settings_));
    case Answer::Kind::Refused: {
      Answer lost = Answer::failed(Reached::Perhaps, {ErrorKind::NotFound, "no session"});
      if (answer.names_lost_session && retired_.empty() && is_sent_again(running.held, lost))
        return settle(key, std::move(lost));
      const std::string data = data_to_pass_on(call, answer.refusal);
      auto result = refused(call, std::move(answer));
      if (!result && !data.empty())
        running.held.invocation->refusal_data = settings_.secrets->hide_json(data);
      return take_result(key, std::move(result));
    }
    case Answer::Kind::Failed:
      break;
  }
  if (!running.handle.empty() && is_sent_again(running.held, answer)) {
    running.asked.clear();
    running.is_lost = true;
    return running.over->request();
  }
  if (!running.handle.empty()) {
    return keep_late(running, failure(call, answer.why.message +
                                                ". It may have carried out a part of the call"));
  }
  Held held = std::move(running.held);
  const Connection* const failed = running.sent_on.get();
  running_.erase(found);
  take_failure(std::move(held), answer, failed);
}

// A long answer is made into a result on the other thread. The call may end before.
void Calls::convert(Key key, Answer answer) {
  struct Conversion {
    json::Document tree;
    const json::Value* from = nullptr;
    std::optional<Result<tool::CallResult>> result;
  };
  running_.at(key).has_answer = true;
  const auto call = running_.at(key).held.invocation;
  auto conversion =
      std::make_shared<Conversion>(Conversion{std::move(answer.tree), answer.result, {}});
  settings_.jobs->run(
      [conversion, function = call->function] {
        conversion->result = read_result(*conversion->from, function);
        conversion->tree = json::Document();  // this thread releases it: there may be many values
        return false;
      },
      [weak = weak_from_this(), key, conversion, call, settings = settings_,
       hold = std::move(answer.reading)] {
        auto result = result_of(*call, *std::move(conversion->result), settings);
        if (const auto self = weak.lock()) return self->take_result(key, std::move(result));
        if (result && result->round)
          result = failure_of(*call, settings.upstream, "it was removed", *settings.secrets);
        call->finish(std::move(result));
      });
}

void Calls::take_result(Key key, Result<tool::CallResult> result) {
  const auto found = running_.find(key);
  if (found == running_.end()) return;
  if (!found->second.handle.empty()) return keep_late(found->second, std::move(result));
  Held held = std::move(found->second.held);
  running_.erase(found);
  held.may_have_acted = true;
  end(held, std::move(result));
}

// If the upstream wants the user to open URLs first, the client is asked, and then the call is sent
// again.
Result<tool::CallResult> Calls::refused(const tool::Invocation& call, Answer answer) {
  std::string why;
  if (!answer.required_fault.empty())
    why = ". The host did not ask the user to open its URLs: " + answer.required_fault;
  if (call.function == tool::Function::Complete && !answer.required.empty()) {
    why = ". The host cannot ask the user to open its URLs for a completion";
  } else if (!answer.required.empty()) {
    const tool::Abilities able = abilities_of(call);
    const std::string lacking = protocol::lacking_for(answer.required.front(), able);
    if (lacking.empty()) return urls_.ask(std::move(answer.required));
    why = ". The client of this call cannot be asked to open URLs: it lacks " + lacking;
  }
  protocol::ForeignError refusal = std::move(answer.refusal);
  refusal.message += why;
  auto result = refusal_of(refusal, call.function, settings_.upstream, *settings_.secrets);
  std::string lacking = lacking_at_client(call, refusal.required);
  if (lacking.empty()) return result;
  if (!result) {
    result = tool::CallResult();
    result->is_error = true;
  }
  result->lacking = std::move(lacking);
  return result;
}

// What the operator does not pass on would not help. Nobody is asked for a completion.
std::string Calls::lacking_at_client(const tool::Invocation& call,
                                     const tool::Abilities& required) const {
  if (call.function == tool::Function::Complete) return {};
  tool::Abilities missing = both(without(required, call.abilities), settings_.passed_on);
  missing.sampling = missing.sampling || missing.sampling_tools;
  if (!any(missing)) return {};
  return protocol::client_capabilities(missing, protocol::Version::v2026_07_28);
}

// True: the connection has ended, and the next one gets the call.
bool Calls::is_sent_again(const Held& held, const Answer& answer) {
  const bool ended =
      answer.why.kind == ErrorKind::Unavailable || answer.why.kind == ErrorKind::NotFound;
  return ended && !held.sent_again &&
         (answer.reached == Reached::No || may_be_repeated(*held.invocation));
}

void Calls::take_failure(Held held, const Answer& answer, const Connection* failed) {
  const bool not_acted = answer.reached == Reached::No;
  if (!not_acted) held.may_have_acted = true;
  if (retired_.empty() && is_sent_again(held, answer)) {
    held.sent_again = true;
    Connection* const now = line_.connection();
    if (now && now != failed) return send(std::move(held), *now);
    waiting_.push_back(std::move(held));
    // Otherwise the owner hears of the end next, and connects again.
    if (!now) line_.need();
    return;
  }
  std::string why = answer.why.message;
  if (!not_acted) {
    const bool may_repeat = may_be_repeated(*held.invocation);
    if (may_repeat && held.sent_again) {
      why += ". The host tried the call twice, because it may be repeated";
    } else if (may_repeat) {
      why +=
          ". It may have carried out the call. You can call again, because a repeated call "
          "changes nothing more";
    } else {
      held.invocation->may_have_acted = true;
      why +=
          ". It may have carried out the call, so the host did not repeat it: find out before "
          "you call again";
    }
  }
  fail(held, why);
}

// ---- ends

Result<tool::CallResult> Calls::failure(const tool::Invocation& call,
                                        const std::string& why) const {
  return failure_of(call, settings_.upstream, why, *settings_.secrets);
}

void Calls::fail(const Held& held, const std::string& why) {
  held.invocation->outcome = tool::kUpstreamFailed;
  end(held, failure(*held.invocation, why));
}

void Calls::fail_retired(Held held) {
  if (!has_begun(*held.invocation)) return fail(held, retired_);
  if (is_asked(held.invocation->continuation.state)) return fail(held, can_continue(retired_));
  fail_continuing(std::move(held), "the section of the upstream was changed or removed");
}

// The upstream has asked, and what it began is lost.
void Calls::fail_continuing(Held held, const std::string& why) {
  const tool::Invocation& call = *held.invocation;
  held.may_have_acted = has_begun(call);
  held.invocation->may_have_acted = held.may_have_acted && !may_be_repeated(call);
  fail(held, cannot_continue(call, why));
}

// An upstream that asks has begun the call, and the host gives up the rest of it. An upstream that
// requires URLs has refused the call.
void Calls::fail_asking(const Held& held, const tool::Round& round, const std::string& objection) {
  std::string why = "it asks a question, and " + objection;
  if (!may_be_repeated(*held.invocation) && !OpenedUrls::is_state(round.state)) {
    held.invocation->may_have_acted = true;
    why += ". It may have carried out a part of the call: find out before you call again";
  }
  fail(held, why);
}

void Calls::end(const Held& held, Result<tool::CallResult> result) {
  if (result && result->round) {
    const std::string objection = objection_to(*held.invocation, *result->round);
    if (!objection.empty()) return fail_asking(held, *result->round, objection);
    for (tool::Question& question : result->round->questions) question = shown(std::move(question));
    if (!result->round->over) result->round->over = no_more_rounds_;
  }
  if (held.may_have_acted) {
    held.invocation->finish(std::move(result));
  } else {
    held.invocation->refuse(std::move(result));
  }
  tell_if_idle();
}

void Calls::tell_if_idle() {
  if (waiting_.empty() && running() == 0 && line_.on_idle) line_.on_idle();
}

}  // namespace host::upstream

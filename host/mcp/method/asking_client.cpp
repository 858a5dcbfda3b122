#include "mcp/method/asking_client.h"

#include <boost/asio/this_coro.hpp>

#include <exception>

#include "base/cancel.h"
#include "base/digest.h"
#include "base/process/spawn.h"
#include "json/json.h"
#include "mcp/peer/one_shot.h"
#include "protocol/elicitation.h"
#include "protocol/notifications.h"
#include "tool/call/edits.h"
#include "tool/definition/question_key.h"
#include "tool/definition/state_after.h"

namespace host::mcp {
namespace {

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::string_view kCancelled = R"({"action":"cancel"})";

std::string new_elicitation() {
  return "el_" + random_id();
}

Error cannot_be_asked(const tool::Call& call) {
  return {ErrorKind::PluginFault, "\"" + call.name + "\" asks a client that cannot be asked"};
}

std::optional<std::string> fault_of(const tool::Question& question, const std::string& answer) {
  const auto tree = json::parse(answer);
  return tree ? protocol::answer_fault(question, tree->root()) : tree.error().message;
}

}  // namespace

// The client still hears of the ends of its questions, without the request that asked them.
SessionAsker::~SessionAsker() {
  if (client_ && outlet_) client_->url_questions().leave(*outlet_);
}

boost::asio::awaitable<Result<std::string>> SessionAsker::ask_one(const tool::Question& question,
                                                                  Cancel& no_more) {
  const bool person = question.method == kElicit;
  const std::string elicitation = new_elicitation();
  const std::string params = protocol::params_for(question, version_, elicitation);
  const bool ends = question.ended && protocol::features(version_).elicitation_ids;
  const bool has_ended = ends && question.ended->requested();
  if (ends && !has_ended) client_->url_questions().add(elicitation, question.ended, *outlet_);
  Result<json::Document> result =
      co_await client_->ask(*outlet_, question.method, params, no_more, timeout_);
  if (has_ended) outlet_->send(protocol::elicitation_complete_notification(elicitation));
  if (!result && (!person || result.error().kind == ErrorKind::Cancelled)) {
    co_return std::move(result).error();
  }
  // A person's silence, a client that cannot show the form after all, and nonsense are a no.
  if (person && (!result || !protocol::read_elicit_answer(result->root()))) {
    co_return std::string(kCancelled);
  }
  if (auto fault = protocol::answer_fault(question, result->root())) {
    co_return Error{ErrorKind::InvalidArgument,
                    "the client's answer to \"" + question.key + "\" is of no use: " + *fault};
  }
  co_return json::write(result->root());
}

boost::asio::awaitable<Result<std::optional<tool::Answers>>> SessionAsker::ask(
    const tool::Call& call, const tool::Round& round) {
  if (!client_ || !outlet_) co_return cannot_be_asked(call);
  Cancel no_more;
  const auto of_call = call.cancel->on_cancel([&] { no_more.request(call.cancel->by()); });
  Cancel::Registration of_round;
  if (round.over) of_round = round.over->on_cancel([&] { no_more.request(); });
  std::optional<tool::Answers> answers(std::in_place);
  const auto is_over = [&] {
    return round.over && round.over->requested() && !call.cancel->requested();
  };
  for (const tool::Question& question : round.questions) {
    if (is_over()) break;
    Result<std::string> answer = co_await ask_one(question, no_more);
    if (!answer && is_over()) break;
    if (!answer) co_return std::move(answer).error();
    answers->insert_or_assign(question.key, std::move(*answer));
  }
  co_return answers;
}

// A client that cannot ask its person after all changes nothing: the page is still there.
boost::asio::awaitable<void> SessionAsker::ask_to_open(tool::Visit& visit,
                                                       const std::string& params, Cancel& no_more) {
  const Result<json::Document> result =
      co_await client_->ask(*outlet_, kElicit, params, no_more, timeout_);
  if (!result) co_return;
  const std::string answer = json::write(result->root());
  co_await visit.answered(answer);
}

// Both run beside each other; the one that asks ends before this does, however the wait ended.
boost::asio::awaitable<Result<bool>> SessionAsker::send_to(const tool::Call& call,
                                                           tool::Visit& visit) {
  if (!client_ || !outlet_) co_return cannot_be_asked(call);
  const std::string elicitation = new_elicitation();
  const std::string params = protocol::params_for(visit.question(), version_, elicitation);
  const auto executor = co_await boost::asio::this_coro::executor;
  OneShot asked(executor);
  Cancel no_more;
  spawn(executor, {"session", "asks a client to open a page"}, ask_to_open(visit, params, no_more),
        [&asked](const Result<void>&) { asked.set(); });
  bool settled = false;
  std::exception_ptr fault;
  try {
    const bool waited = co_await visit.wait();
    settled = waited;
  } catch (...) {
    fault = std::current_exception();
  }
  if (settled) outlet_->send(protocol::elicitation_complete_notification(elicitation));
  no_more.request();
  co_await asked.wait();
  if (fault) std::rethrow_exception(fault);
  co_return true;
}

std::optional<std::string> StatelessAsker::resume(const OpenRound& open,
                                                  const json::Value* responses) {
  resumed_.state = open.round.state;
  resumed_.answers = open.answers;
  if (responses) {
    if (auto fault = take(open.round.questions, *responses)) return fault;
  }
  // The state stays good for a request with answers. An approval in it must not allow two runs.
  if (!heard_) {
    std::erase_if(resumed_.answers, [](const auto& one) { return tool::is_host_key(one.first); });
    tool::copy_run(open.answers, resumed_.answers);
  }
  return std::nullopt;
}

std::optional<std::string> StatelessAsker::take(const std::vector<tool::Question>& questions,
                                                const json::Value& responses) {
  for (const tool::Question& question : questions) {
    const json::Value* const response = json::find(responses, question.key);
    if (!response) continue;
    const auto fault = protocol::answer_fault(question, *response);
    if (!fault) {
      heard_ = true;
      resumed_.answers.insert_or_assign(question.key, json::write(*response));
    } else if (question.method != "elicitation/create" ||
               !protocol::read_elicit_answer(*response)) {
      return "inputResponses[\"" + question.key + "\"]: " + *fault;
    } else {
      refused_.insert_or_assign(question.key, *fault);
    }
  }
  return std::nullopt;
}

void StatelessAsker::bring(const json::Value& responses) {
  for (const auto& response : responses.GetObject()) {
    brought_.emplace(json::text(response.name), json::write(response.value));
  }
}

// From here on every question of the provider is a new one.
tool::Continuation StatelessAsker::take_resumed() {
  taken_ = true;
  return resumed_;
}

boost::asio::awaitable<Result<std::optional<tool::Answers>>> StatelessAsker::ask(
    const tool::Call&, const tool::Round& round) {
  std::optional<tool::Answers> answers;
  tool::Answers found;
  for (const tool::Question& question : round.questions) {
    const bool is_new = taken_ && !tool::is_host_key(question.key);
    const tool::Answers& known = is_new ? brought_ : resumed_.answers;
    const auto at = known.find(question.key);
    if (at == known.end()) co_return answers;
    if (auto fault = is_new ? fault_of(question, at->second) : std::nullopt) {
      refused_.insert_or_assign(question.key, *std::move(fault));
      co_return answers;
    }
    found.insert(*at);
  }
  if (taken_) {
    for (const auto& [key, answer] : found) {
      brought_.erase(key);  // asked again, it is another question
      resumed_.answers.insert_or_assign(key, answer);
    }
  }
  answers = std::move(found);
  co_return answers;
}

boost::asio::awaitable<Result<bool>> StatelessAsker::send_to(const tool::Call&,
                                                             tool::Visit& visit) {
  const auto at = resumed_.answers.find(visit.question().key);
  if (at == resumed_.answers.end()) co_return false;
  co_await visit.answered(at->second);
  co_await visit.wait();
  co_return true;
}

OpenRound StatelessAsker::left_open(tool::Round round, const std::string& state) const {
  OpenRound open;
  open.answers = resumed_.answers;
  for (tool::Question& question : round.questions) {
    open.answers.erase(question.key);
    const auto refused = refused_.find(question.key);
    question.refused = refused == refused_.end() ? std::string() : refused->second;
  }
  round.state = tool::state_after(round, taken_ ? state : resumed_.state);
  open.round = std::move(round);
  return open;
}

}  // namespace host::mcp

#include "session/asking_client.h"

#include "protocol/mcp.h"

namespace host::session {

std::optional<tool::Answer> read_answer(const json::Value& result) {
  using Act = tool::Answer::Act;
  const std::string_view action = json::find_text(result, "action");
  tool::Answer answer;
  if (action == "accept") {
    answer.act = Act::Accept;
  } else if (action == "decline") {
    answer.act = Act::Decline;
  } else if (action == "cancel") {
    answer.act = Act::Cancel;
  } else {
    return std::nullopt;
  }
  const json::Value* const content = json::find(result, "content");
  if (content && !content->IsObject() && !content->IsNull()) return std::nullopt;
  if (answer.act == Act::Accept) {
    answer.content = content && content->IsObject() ? json::write(*content) : "{}";
  }
  return answer;
}

namespace {

// Silence, a refusal and nonsense are no yes.
tool::Answer answer_or_no(const Result<json::Document>& result) {
  if (!result) return {};
  return read_answer(result->root()).value_or(tool::Answer{});
}

}  // namespace

boost::asio::awaitable<Result<std::optional<tool::Answer>>> SessionAsker::ask(
    const tool::Call& call, const tool::Question& question) {
  const std::string params = protocol::elicitation_params(question, version_);
  Result<json::Document> result =
      co_await client_->ask(*outlet_, "elicitation/create", params, *call.cancel, timeout_);
  if (!result && result.error().kind == ErrorKind::Cancelled) co_return std::move(result).error();
  std::optional<tool::Answer> answer(answer_or_no(result));
  co_return answer;
}

boost::asio::awaitable<Result<std::optional<tool::Answer>>> StatelessAsker::ask(
    const tool::Call&, const tool::Question& question) {
  const bool answered = answer_ && opened_.key == question.key && states_.use(opened_.nonce);
  if (!answered) co_return std::optional<tool::Answer>();
  std::optional<tool::Answer> answer = std::move(answer_);
  answer_.reset();
  co_return answer;
}

}  // namespace host::session

#include "upstream/connection/request.h"

#include "protocol/foreign_questions.h"

namespace host::upstream {

Answer Answer::of(const protocol::Message& message, json::Document tree) {
  Answer answer;
  if (message.result) {
    answer.kind = Answer::Kind::Result;
    answer.result = message.result;
  } else {
    answer.kind = Answer::Kind::Refused;
    answer.refusal = protocol::read_error(*message.error);
    auto required = protocol::read_required(*message.error);
    if (required) {
      answer.required = *std::move(required);
    } else {
      answer.required_fault = std::move(required).error().message;
    }
    answer.modern_refusal = protocol::is_modern_error(*message.error);
  }
  answer.tree = std::move(tree);
  return answer;
}

void give_answer(std::unique_ptr<Request> request, Answer&& answer, const Secrets& secrets) {
  if (!request || !request->on_answer) return;
  if (answer.kind == Answer::Kind::Failed) answer.why = secrets.hide(std::move(answer.why));
  if (answer.kind == Answer::Kind::Refused)
    answer.refusal.message = secrets.hide_in_words(answer.refusal.message);
  request->on_answer(std::move(answer));
}

}  // namespace host::upstream

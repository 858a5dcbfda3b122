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
    answer.required = protocol::read_required(*message.error);
    answer.modern_refusal = protocol::is_modern_error(*message.error);
  }
  answer.tree = std::move(tree);
  return answer;
}

}  // namespace host::upstream

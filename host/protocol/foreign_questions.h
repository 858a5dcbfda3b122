// What an upstream server asks its client. In versions with sessions a question is a request of the
// server during a call; since 2026-07-28 it is a result of the call. Inside the host each is a
// tool::Question. All of it is untrusted.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

// Bytes of the params of one question.
inline constexpr std::size_t kMostQuestionBytes = 256u << 10u;

// elicitation/create, sampling/createMessage or roots/list.
bool is_question(std::string_view method);

// A server's request as a question in the newest version. `params` null: it has none.
// InvalidArgument: it is malformed or too long.
Result<tool::Question> read_question(std::string_view method, const json::Value* params);

// Whether a client with these abilities can be asked. If not, the capability that it lacks.
std::string lacking_for(const tool::Question& question, const tool::Abilities& abilities);

// A client's answer, a JSON object, as a result in a version with sessions. InvalidArgument: that
// version has no such answer.
Result<std::string> legacy_answer(const tool::Question& question, std::string_view answer,
                                  Version version);

// The answer for a question that nobody answers; empty: it has none, and an error is due.
std::string_view no_answer(const tool::Question& question);

}  // namespace host::protocol

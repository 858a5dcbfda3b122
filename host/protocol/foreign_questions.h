// Reads the questions that an upstream server asks its client. In versions with sessions, a
// question is a request of the server during a call. Since 2026-07-28, questions are a result of
// the call. Inside the host, each question is a tool::Question. The texts are untrusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

// The most bytes of the params of one question.
inline constexpr std::size_t kMostQuestionBytes = 256u << 10u;

// True for elicitation/create, sampling/createMessage and roots/list.
bool is_question(std::string_view method);

// Reads a server's request as a question in the newest version. `params` null: the request has no
// params. InvalidArgument: the request is malformed or too long.
Result<tool::Question> read_question(std::string_view method, const json::Value* params);

// The code of an error with which a server of 2025-11-25 refuses a request until the user has
// opened URLs.
inline constexpr int kUrlsRequired = -32042;
// The most URLs of one such error.
inline constexpr std::size_t kMostRequired = 16;

// Reads the questions of such an error. Question number N has key_of_required(N), from 1 on. Empty:
// it is a different error, or its questions are malformed, too many or too long.
std::vector<tool::Question> read_required(const json::Value& error);
std::string key_of_required(std::size_t number);

// Returns the capability that a client with these abilities lacks for the question. Empty: the
// client can be asked.
std::string lacking_for(const tool::Question& question, const tool::Abilities& abilities);

// Writes a client's answer, a JSON object, as a result in a version with sessions. InvalidArgument:
// that version has no such answer.
Result<std::string> legacy_answer(const tool::Question& question, std::string_view answer,
                                  Version version);

// Returns the answer to send for a question that nobody answers. Empty: the protocol has no such
// answer, and the host must send an error.
std::string_view no_answer(const tool::Question& question);

}  // namespace host::protocol

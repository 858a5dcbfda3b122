// Reads the questions that an upstream server asks its client. In protocol versions with sessions,
// a question is a request that the server sends during a call. Since protocol version 2026-07-28,
// the server returns its questions as the result of the call. The host stores each question as a
// tool::Question. The texts of the questions are untrusted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "protocol/versions.h"
#include "tool/definition/question.h"

namespace host::protocol {

// kMostQuestionBytes is the maximum size of the params of one question. The host refuses a question
// whose params are larger than kMostQuestionBytes.
inline constexpr std::size_t kMostQuestionBytes = 256u << 10u;

// Returns true for elicitation/create, sampling/createMessage and roots/list.
bool is_question(std::string_view method);

// The maximum size of an id in Question::elicitation.
inline constexpr std::size_t kMostElicitationIdBytes = 1024;

// Reads a server's request as a question, in the form of the newest protocol version. `params` is
// null if the request has no params. The Error InvalidArgument means that the request is malformed
// or too long.
Result<tool::Question> read_question(std::string_view method, const json::Value* params);

// Returns the message that the client shows to its user. nullopt: the question is not for the user.
std::optional<std::string> message_of(const tool::Question& question);
// Replaces the message that the client shows to its user.
void set_message(tool::Question& question, std::string_view message);

// Reads one question of `inputRequests`: `asked` contains its method and params, `key` is its name.
Result<tool::Question> read_asked(std::string_view key, const json::Value& asked);

// Returns the id in the notification notifications/elicitation/complete, which is the
// Question::elicitation of a question. Returns an empty text if the notification has no valid id.
std::string read_elicitation_complete(const json::Value& params);

// kUrlsRequired is the code of the error with which a server with protocol version 2025-11-25
// refuses a request until the user has opened URLs.
inline constexpr int kUrlsRequired = -32042;
// kMostRequired is the maximum number of URLs in one error with the code kUrlsRequired. If an error
// with the code kUrlsRequired has more than kMostRequired URLs, the host reads no question from it.
inline constexpr std::size_t kMostRequired = 16;

// Reads the questions in an error with the code kUrlsRequired. key_of_required(N) is the key of
// question number N, from 1 on. Returns an empty list if `error` has another code than
// kUrlsRequired. The Error InvalidArgument means that the questions are malformed, too many or too
// long.
Result<std::vector<tool::Question>> read_required(const json::Value& error);
std::string key_of_required(std::size_t number);

// Returns the capability that `question` needs and a client with `abilities` lacks. Returns an
// empty text if the client has the capability.
std::string lacking_for(const tool::Question& question, const tool::Abilities& abilities);

// Writes a client's answer, a JSON object, as a result for a protocol version with sessions. The
// Error InvalidArgument means that this protocol version has no form for the answer.
Result<std::string> legacy_answer(const tool::Question& question, std::string_view answer,
                                  Version version);

// Returns the host's answer to a question that nobody answers. Returns an empty text if the
// protocol has no answer for an unanswered question: the host must then send an error.
std::string_view no_answer(const tool::Question& question);

}  // namespace host::protocol

#include "upstream/http/http_requests.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/log.h"
#include "base/text/letters.h"
#include "json/json.h"
#include "json/member_scan.h"

namespace host::upstream {
namespace {

constexpr std::uint32_t kMostRedirects = 3;
// Longer texts are not parsed on this thread.
constexpr std::size_t kMostParsedBytes = 64u << 10u;
// Errors of JSON-RPC with which servers speak of the session.
constexpr std::int64_t kBadSession[] = {-32000, -32001};
// Errors about the message itself: its method, its arguments or its resource is unknown, or its
// user has to open URLs first.
constexpr std::int64_t kOfMessage[] = {protocol::kMethodNotFound, protocol::kInvalidParams, -32002,
                                       -32042};

template <class Codes>
bool is_among(const Codes& codes, const std::optional<std::int64_t>& code) {
  return code && std::find(std::begin(codes), std::end(codes), *code) != std::end(codes);
}

bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

// As in "no session" and "InvalidSessionId", but not in "possession".
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0 || !is_letter(text[at - 1])) return true;
  const auto is_small = [](char c) { return c == lower(c); };
  return is_small(text[at - 1]) && !is_small(text[at]);
}

bool names_session(std::string_view text) {
  constexpr std::string_view kWord = "session";
  for (std::size_t i = 0; i + kWord.size() <= text.size(); ++i) {
    if (same_letters(text.substr(i, kWord.size()), kWord) && begins_word(text, i)) return true;
  }
  return false;
}

// In an array of messages, as servers of 2025-03-26 may send. Null: it has no such response.
const json::Value* find_response(const json::Value& array, const protocol::Id& request) {
  const auto all = array.GetArray();
  const auto found = std::find_if(all.begin(), all.end(), [&](const json::Value& one) {
    return one.IsObject() && !json::find(one, "method") &&
           protocol::read_id(json::find(one, "id")) == request;
  });
  return found == all.end() ? nullptr : &*found;
}

// A long array is not read twice. It counts as the response, because a request that is never
// answered would keep its stream.
bool has_response(std::string_view array, const protocol::Id& request) {
  if (array.size() > kMostParsedBytes) return true;
  const auto tree = json::parse(array);
  return tree && tree->root().IsArray() && find_response(tree->root(), request);
}

// Nullopt: the code is no integer.
std::optional<std::int64_t> code_of(const json::Value& error) {
  const json::Value* const code = json::find(error, "code");
  if (!code || !code->IsInt64()) return std::nullopt;
  return code->GetInt64();
}

// Some servers send a text as the error itself.
std::string_view text_of(const json::Value& error) {
  return error.IsString() ? json::text(error) : json::find_text(error, "message");
}

// Null: the response has a result too, or no error.
const json::Value* only_error_of(const json::Value& response) {
  const json::Value* const result = json::find(response, "result");
  const json::Value* const error = json::find(response, "error");
  return error && !error->IsNull() && (!result || result->IsNull()) ? error : nullptr;
}

// Such as the progress of a call that runs, or the result of a call.
bool shows_a_call(const json::Value& message) {
  if (json::find(message, "method")) return true;
  return json::find(message, "result") && !only_error_of(message);
}

bool has_message_of_call(const json::Value& body) {
  if (!body.IsArray()) return shows_a_call(body);
  const auto all = body.GetArray();
  return std::any_of(all.begin(), all.end(), shows_a_call);
}

// Of a response with status 400 that does not answer the message.
bool is_session_error(std::string_view body) {
  if (names_session(body.substr(0, kMostParsedBytes))) return true;
  if (body.size() > kMostParsedBytes) return false;
  const auto tree = json::parse(body);
  if (!tree) return false;
  const json::Value* const id = json::find(tree->root(), "id");
  const json::Value* const error = json::find(tree->root(), "error");
  return (!id || id->IsNull()) && error && is_among(kBadSession, code_of(*error));
}

// Of an error with the id of the message. A code about sessions alone says nothing: servers use
// these codes for other errors, too. `ran`: messages of the call came before.
SessionLoss loss_by_error(int status, const json::Value& error, bool ran) {
  const auto code = code_of(error);
  const bool is_missing = status == 404;
  const bool names = names_session(text_of(error));
  if (names && is_among(kBadSession, code))
    return is_missing && !ran ? SessionLoss::Forgotten : SessionLoss::Named;
  if (!is_missing) return SessionLoss::None;
  if (names) return SessionLoss::Named;
  return is_among(kOfMessage, code) ? SessionLoss::None : SessionLoss::Answered;
}

// Of a response with the id of the message that is no strict JSON.
SessionLoss loss_by_unread(int status, std::string_view response) {
  json::MemberScan scan("id");
  scan.take(response);
  return status == 404 && scan.has("error") ? SessionLoss::Answered : SessionLoss::None;
}

SessionLoss loss_by_answer(int status, const Exchange::Outcome& outcome,
                           const protocol::Id& message) {
  const std::string_view text = outcome.refusal;
  if (text.size() > kMostParsedBytes) return loss_by_unread(status, text);
  const auto tree = json::parse(text);
  if (!tree) return loss_by_unread(status, text);
  const json::Value* const response =
      tree->root().IsArray() ? find_response(tree->root(), message) : &tree->root();
  const json::Value* const error = response ? only_error_of(*response) : nullptr;
  const bool ran = outcome.events_before_answer || has_message_of_call(tree->root());
  return error ? loss_by_error(status, *error, ran) : SessionLoss::None;
}

}  // namespace

outbound::Request request_to(const HttpUpstream& upstream, std::string_view method,
                             const std::string& url) {
  outbound::Request request;
  request.method = method;
  request.url = url;
  request.headers = upstream.headers;
  if (const auto origin = outbound::origin_of(upstream.url)) {
    request.allowed = outbound::AllowList::only(*origin);
  }
  request.allowed_by = "is not the origin of the upstream's `url`";
  request.owner = upstream.url;
  request.redirects = kMostRedirects;
  request.keeps_method = true;
  return request;
}

protocol::Id id_of_response(std::string_view text) {
  json::MemberScan scan("id");
  scan.take(text);
  const bool is_response = scan.has("result") || scan.has("error");
  return is_response ? protocol::Id(scan.kept()) : protocol::Id();
}

bool answers(std::string_view text, const protocol::Id& request) {
  if (request.empty()) return false;
  text = without_mark(text);
  return text.starts_with('[') ? has_response(text, request) : id_of_response(text) == request;
}

Error refusal_of(int status) {
  const std::string what = "it answered with HTTP status " + std::to_string(status);
  if (status == 401 || status == 403) {
    const char* const remedy =
        ": check the upstream's `headers`. If the server wants an OAuth login, set `auth = "
        "\"oauth\"` and run `toolpost upstream login`";
    return Error{ErrorKind::Denied,
                 what + (status == 401 ? remedy : ": check the upstream's `headers`")};
  }
  const bool is_unknown = was_refused(status) && status != 407 && !may_pass(status);
  return Error{is_unknown ? ErrorKind::InvalidArgument : ErrorKind::Io, what};
}

bool was_refused(int status) {
  return status >= 400 && status < 500;
}

bool refuses(const Exchange::Outcome& outcome) {
  if (!was_refused(outcome.status) || outcome.error) return false;
  const std::string_view body = without_mark(outcome.refusal);
  const bool is_json = body.starts_with('{') || body.starts_with('[');
  if (!is_json) return !outcome.refused_in_events;
  if (body.size() > kMostParsedBytes) return false;
  const auto tree = json::parse(body);
  if (!tree || has_message_of_call(tree->root())) return false;
  return !outcome.refused_in_events || (tree->root().IsObject() && only_error_of(tree->root()));
}

SessionLoss session_loss(int status, const Exchange::Outcome& outcome,
                         const protocol::Id& message) {
  if (status != 404 && status != 400) return SessionLoss::None;
  const std::string_view body = outcome.refusal;
  if (answers(body, message)) return loss_by_answer(status, outcome, message);
  if (status == 400 && !is_session_error(body)) return SessionLoss::None;
  return refuses(outcome) ? SessionLoss::Forgotten : SessionLoss::Answered;
}

Error forgotten_session() {
  return {ErrorKind::NotFound, "it has forgotten the session"};
}

bool may_pass(int status) {
  return status >= 500 || status == 408 || status == 425 || status == 429;
}

void log_lost_answer(const HttpUpstream& upstream, const Exchange::Outcome& outcome) {
  // The text of an Error can have the URL, whose query can be secret.
  const std::string why =
      outcome.status == 0 ? "it did not take the request" : refusal_of(outcome.status).message;
  const auto origin = outbound::origin_of(upstream.url);
  log::warning("upstream", "the answer to a question of the upstream did not arrive",
               {{"origin", origin ? origin->text() : std::string()}, {"reason", why}});
}

Error of_request(Error why) {
  const bool is_of_connection =
      why.kind == ErrorKind::Unavailable || why.kind == ErrorKind::NotFound;
  if (is_of_connection) why.kind = ErrorKind::Io;
  return why;
}

Error of_connection(Error why) {
  if (why.kind != ErrorKind::Denied) why.kind = ErrorKind::Unavailable;
  return why;
}

}  // namespace host::upstream

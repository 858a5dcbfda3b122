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
constexpr std::size_t kMostArrayBytes = 64u << 10u;
// Errors of JSON-RPC with which servers speak of the session.
constexpr std::int64_t kBadSession[] = {-32000, -32001};
// Errors about the request itself: its method, its arguments or its resource is unknown, or its
// user has to open URLs first.
constexpr std::int64_t kOfRequest[] = {protocol::kMethodNotFound, protocol::kInvalidParams, -32002,
                                       -32042};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t i = 0; i + word.size() <= text.size(); ++i) {
    if (same_letters(text.substr(i, word.size()), word)) return true;
  }
  return false;
}

// Of an array of messages, as servers of 2025-03-26 may send. A long one is not read twice. It
// counts as the response, because a request that is never answered would keep its stream.
bool has_response(std::string_view array, const protocol::Id& request) {
  if (array.size() > kMostArrayBytes) return true;
  const auto tree = json::parse(array);
  if (!tree || !tree->root().IsArray()) return false;
  const auto all = tree->root().GetArray();
  return std::any_of(all.begin(), all.end(), [&](const json::Value& one) {
    return one.IsObject() && !json::find(one, "method") &&
           protocol::read_id(json::find(one, "id")) == request;
  });
}

// An error of JSON-RPC in the body of a response.
struct BodyError {
  std::int64_t code = 0;
  bool has_id = false;

  template <class Codes>
  bool is_among(const Codes& codes) const {
    return std::find(std::begin(codes), std::end(codes), code) != std::end(codes);
  }
};

// Nullopt: the body is none, or has no number as its code.
std::optional<BodyError> error_in(std::string_view body) {
  const auto tree = json::parse(body);
  if (!tree || !tree->root().IsObject()) return std::nullopt;
  const json::Value* const error = json::find(tree->root(), "error");
  const json::Value* const code = error && error->IsObject() ? json::find(*error, "code") : nullptr;
  if (!code || !code->IsInt64()) return std::nullopt;
  const json::Value* const id = json::find(tree->root(), "id");
  return BodyError{code->GetInt64(), id && !id->IsNull()};
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

bool is_unknown_session(int status, std::string_view body, const protocol::Id& request) {
  if (status != 404 && status != 400) return false;
  const std::optional<BodyError> error = error_in(body);
  const bool is_answer = answers(body, request);
  if (status == 404) return !is_answer || (error && !error->is_among(kOfRequest));
  const bool is_of_session = error && !error->has_id && error->is_among(kBadSession);
  return !is_answer && (is_of_session || has_word(body, "session"));
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

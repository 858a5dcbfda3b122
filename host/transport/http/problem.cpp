#include "transport/http/problem.h"

#include <array>
#include <cstddef>

#include "json/fault.h"
#include "json/object_text.h"

namespace host::transport {
namespace {

// docs/reference/rest.md has this table too, made by scripts/reference.py.
constexpr std::array kTypes = {
    ProblemType{
        Problem::BadRequest, 400, "bad-request", "The request is not valid HTTP",
        "The head or the framing of the request is malformed, or an upload has `Content-Range`."},
    ProblemType{Problem::Unauthorized, 401, "unauthorized", "A valid credential is missing",
                "There is no key, token or login, or it is unknown, revoked or expired."},
    ProblemType{
        Problem::Denied, 403, "denied", "This is not permitted",
        "The key does not have the needed scope, the one-time code is wrong, a signed URL is not "
        "valid, or the `Host` or `Origin` is not allowed."},
    ProblemType{Problem::NotFound, 404, "not-found", "There is no such path or object",
                "The path is unknown, or there is no object with this id that the caller may see."},
    ProblemType{Problem::MethodNotAllowed, 405, "method-not-allowed",
                "The path does not have this method",
                "The `Allow` header of the response lists the methods of the path."},
    ProblemType{Problem::RequestTimeout, 408, "request-timeout", "The request took too long",
                "The head or the body did not arrive within the timeouts of `[limits]`."},
    ProblemType{
        Problem::Conflict, 409, "conflict", "The object is in another state",
        "The object has changed since you read it, or its state does not allow the request."},
    ProblemType{Problem::LengthRequired, 411, "length-required", "Content-Length is missing",
                "An upload needs a `Content-Length`."},
    ProblemType{Problem::VersionMismatch, 412, "version-mismatch", "The object has another version",
                "The object has another version than the one you named; `ETag` has its version."},
    ProblemType{Problem::TooLarge, 413, "too-large", "The body is too large",
                "The body is larger than a limit allows; the detail names the limit."},
    ProblemType{Problem::UriTooLong, 414, "uri-too-long", "The request line is too long",
                "The request line is longer than `limits.header_bytes` allows."},
    ProblemType{Problem::WrongContentType, 415, "wrong-content-type",
                "The content type is not supported",
                "`Content-Type` must be `application/json`. An upload of a file must have no "
                "`Content-Encoding`."},
    ProblemType{Problem::UnknownExpectation, 417, "unknown-expectation",
                "The expectation is unknown", "`Expect` may only be `100-continue`."},
    ProblemType{
        Problem::InvalidArgument, 422, "invalid-argument", "A value is missing, unknown or wrong",
        "A parameter or member is missing, unknown or wrong. The detail names it; for a member, "
        "`pointer` is its JSON Pointer."},
    ProblemType{Problem::VersionMissing, 428, "version-missing", "The request must name a version",
                "A change must name the version that it changes, in `If-Match` or `version`."},
    ProblemType{Problem::LimitReached, 429, "limit-reached", "A limit of the caller is reached",
                "A limit of this principal or address is reached; the detail names it. "
                "`Retry-After` says when to try again."},
    ProblemType{Problem::RateLimited, 429, "rate-limited", "Too many requests",
                "The caller has sent more requests than its rate limit allows. `Retry-After` says "
                "after how many seconds to try again."},
    ProblemType{Problem::TooManyAttempts, 429, "too-many-attempts", "Too many failed attempts",
                "Too many keys, tokens or logins from this address were not valid. `Retry-After` "
                "says when to "
                "try again."},
    ProblemType{Problem::HeadersTooLarge, 431, "headers-too-large",
                "The header fields are too large",
                "There are more than 100 header fields, or they are together larger than "
                "`limits.header_bytes` allows."},
    ProblemType{Problem::Internal, 500, "internal", "The host failed",
                "A fault of the host; its log has the details."},
    ProblemType{Problem::Unavailable, 503, "unavailable", "The host cannot do this now",
                "The store cannot be written, a limit of the whole host is reached, or the host is "
                "stopping."},
    ProblemType{Problem::DeadlineExceeded, 504, "deadline-exceeded", "The deadline has passed",
                "The host did not finish in time."},
    ProblemType{Problem::UnknownHttpVersion, 505, "unknown-http-version",
                "The HTTP version is not supported", "Only HTTP/1.1 and HTTP/1.0 are supported."},
};

constexpr bool is_indexed_by_problem() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].problem) != i) return false;
  }
  return static_cast<std::size_t>(Problem::UnknownHttpVersion) + 1 == kTypes.size();
}
static_assert(is_indexed_by_problem());

}  // namespace

std::span<const ProblemType> problem_types() {
  return kTypes;
}

const ProblemType& type_of(Problem problem) {
  return kTypes[static_cast<std::size_t>(problem)];
}

std::string type_uri(const ProblemType& type) {
  return "/v1/problems/" + std::string(type.name);
}

Problem problem_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument:
      return Problem::InvalidArgument;
    case ErrorKind::NotFound:
      return Problem::NotFound;
    case ErrorKind::Denied:
      return Problem::Denied;
    case ErrorKind::DeadlineExceeded:
      return Problem::DeadlineExceeded;
    case ErrorKind::Unavailable:
    case ErrorKind::Io:  // the store, or another file of the host, cannot be read or written now
      return Problem::Unavailable;
    default:
      return Problem::Internal;
  }
}

Problem problem_of_head(int status) {
  for (const ProblemType& type : kTypes) {
    if (type.status == status) return type.problem;
  }
  return Problem::BadRequest;
}

std::string problem_json(Problem problem, std::string_view detail) {
  const ProblemType& type = type_of(problem);
  std::string out = "{";
  json::add_text(out, "type", type_uri(type));
  json::add_text(out, "title", type.title);
  json::add_member(out, "status", std::to_string(type.status));
  json::add_text(out, "detail", detail);
  return out + "}";
}

std::string problem_json(const Error& fault) {
  std::string out = problem_json(problem_of(fault.kind), fault.message);
  const std::string_view pointer = json::pointer_of(fault);
  if (pointer.empty()) return out;
  out.pop_back();
  json::add_text(out, "pointer", pointer);
  return out + "}";
}

}  // namespace host::transport

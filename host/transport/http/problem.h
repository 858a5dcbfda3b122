// Defines the problem documents (RFC 9457) that HTTP responses use for errors. Each kind of error
// has one problem type with one HTTP status. The problem types are part of the interface: clients
// decide by `type`, and people read `detail`.
//
// The `type` of an error is a relative reference, /v1/problems/NAME, which is the same on every
// host. At the path in `type`, the host serves an explanation of the problem type
// (rest/describe/problems.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::transport {

enum class Problem : std::uint8_t {
  BadRequest,
  Unauthorized,
  Denied,
  NotFound,
  MethodNotAllowed,
  RequestTimeout,
  Conflict,
  LengthRequired,
  VersionMismatch,
  TooLarge,
  UriTooLong,
  WrongContentType,
  UnknownExpectation,
  InvalidArgument,
  VersionMissing,
  LimitReached,
  RateLimited,
  TooManyAttempts,
  HeadersTooLarge,
  Internal,
  Unavailable,
  DeadlineExceeded,
  UnknownHttpVersion,
};

struct ProblemType {
  Problem problem;
  int status;
  std::string_view name;  // the last segment of `type`
  std::string_view title;
  std::string_view meaning;  // one sentence for /v1/problems
};

// Returns all problem types in the order of the enumeration, which is the order of their HTTP
// statuses.
std::span<const ProblemType> problem_types();
const ProblemType& type_of(Problem problem);

// Returns the problem type's URI, such as "/v1/problems/not-found".
std::string type_uri(const ProblemType& type);

Problem problem_of(ErrorKind kind);
// Returns the problem for an error in the HTTP head. `status` is the HTTP status that the parser
// reported.
Problem problem_of_head(int status);

constexpr std::string_view kProblemJson = "application/problem+json";

// Returns {"type":"/v1/problems/not-found","title":"...","status":404,"detail":"..."}
std::string problem_json(Problem problem, std::string_view detail);
// Returns the problem document for an Error. If the Error is about one value of a body, the
// document also contains `pointer` (json/fault.h).
std::string problem_json(const Error& fault);

}  // namespace host::transport

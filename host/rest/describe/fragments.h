// Reads the files in describe/openapi/, which are embedded in the program. Each file is a JSON
// object with `schemas` (by name; other schemas refer to them) and `operations`, by method and
// path.
//
// An operation has the texts `id`, `tag` and `summary`. `query` and `headers` contain a schema for
// each parameter, by its name. `body` is the schema of the JSON body, and `example` is an example
// of the body. If `body_optional` is true, the body can be absent. If `bytes_in` is true, the body
// of the request is a file. If `bytes_out` is true, the body of the answer is a file. `answers`
// contains a schema for each status that is not an error, or null if the answer has no body.
// `answer_headers` contains names of headers of answers that are not errors, without RateLimit,
// RateLimit-Policy and a file's Repr-Digest. `events` is the schema of the events if the answer is
// a stream. `errors` contains the problem types that most other operations do not have. If
// `unlisted` is true, the console or the file store serves the operation, not a route.
#pragma once

#include <span>
#include <string_view>

namespace host::rest {

struct Fragment {
  std::string_view name;
  std::string_view text;
};

std::span<const Fragment> fragments();

}  // namespace host::rest

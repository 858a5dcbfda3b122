// Reads the files in describe/openapi/, which are embedded in the program. Each file is a JSON
// object with `schemas` (by name; other schemas refer to them) and `operations`, by method and
// path. An operation has:
//
//   id, tag, summary    texts that describe the operation
//   query, headers      a schema for each parameter, by its name
//   body, example       the schema of the JSON body, and an example of a body
//   body_optional       true: the body can be absent
//   bytes_in, bytes_out true: the body of the request, or of the answer, is a file
//   answers             a schema for each status that is not an error; null: the answer has no body
//   answer_headers      names of headers of the answers that are not errors; RateLimit,
//                       RateLimit-Policy and, for a file, Repr-Digest need no name here
//   events              the schema of the events, if the answer is a stream
//   errors              names of problem types that most other operations do not have
//   unlisted            true: the console or the file store serves the operation, not a route
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

// The files in describe/openapi/, which are embedded in the program. Each file is a JSON object
// with `schemas` (by name; other schemas refer to them) and `operations`, by method and path. An
// operation has:
//
//   id, tag, summary    of the operation
//   query, headers      parameters: a schema for each name
//   body, example       schema of the JSON body, and a valid body
//   body_optional       true: the body can be absent
//   bytes_in, bytes_out true: the body of the request, or of the answer, is a file
//   answers             a schema for each status that is not an error; null: without a body
//   events              schema of the events, if the answer is a stream
//   errors              names of problem types that do not follow from the other members
//   unlisted            true: the console or the file store serves it, not a route of the table
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

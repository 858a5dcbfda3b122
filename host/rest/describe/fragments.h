// The files of describe/openapi/, embedded in the program. Each is a JSON object with `schemas`
// (schemas that others refer to, by name) and `operations`, by method and path. An operation has:
//
//   id, tag, summary    of the operation
//   query, headers      parameters: a schema for each name
//   body, example       schema of the JSON body, and one that fits
//   body_optional       true: the body may be absent
//   bytes_in, bytes_out true: the body of the request, or of the answer, is a file
//   answers             a schema for each status that is no error; null: without a body
//   events              schema of the events, if the answer is a stream
//   errors              names of problem types in addition to those that follow from all this
//   unlisted            true: no route of the table answers it, but the console or the file store
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

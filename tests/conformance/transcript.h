// A conversation as text. Lines of a file:
//
//   # words for readers
//   > a line that the client sends            (stdio)
//   > POST Header: value | Header: value      (http; the body follows on a `>` line of its own)
//   >> the body
//   ! end | changed | disconnect N            something that is no message: the client's end, a
//   changed list < what the host sends, in order           (http: `< [N] 200 application/json
//   {...}`, N counts requests)
//
// What differs from run to run has a name: `<state>`, `<cursor>` and `<session>` stand for what the
// host gave last, in both directions.
#pragma once

#include <string>
#include <vector>

namespace host::test {

// Plays the client's side of `lines` and returns them with what the host really said.
std::vector<std::string> replay_stdio(const std::vector<std::string>& lines);
std::vector<std::string> replay_http(const std::vector<std::string>& lines);

}  // namespace host::test

// Checks the URLs that a question may ask the user to open (elicitation in URL mode).
#pragma once

#include <string>
#include <string_view>

namespace host::tool {

// Returns why the host does not pass this URL on to a client, as the end of a sentence about the
// URL. Returns an empty text for an allowed URL: https, or http to localhost or a loopback address.
// An allowed URL opens a web page, and starts no other program on the user's machine. A URL with an
// invisible character or a user name is refused, because a user can take it for another URL.
std::string fault_of_question_url(std::string_view url);

}  // namespace host::tool

// Says whether the host can send a request whose resource, template or prompt it found in a stored
// list.
#pragma once

#include <string>

namespace host::upstream {

struct Admission {
  enum class Kind {
    Send,
    Wait,     // the upstream's own lists are not read yet
    Missing,  // the upstream's own lists do not have it
    Unread,   // the upstream's own lists cannot be read
  };
  Kind kind = Kind::Send;
  std::string why;  // Unread: the reason
};

}  // namespace host::upstream

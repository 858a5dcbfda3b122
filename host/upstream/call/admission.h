// An Admission says whether the host can send a request for a resource, template or prompt (the
// target) from a stored list.
#pragma once

#include <string>

namespace host::upstream {

struct Admission {
  enum class Kind {
    Send,
    Wait,     // the upstream's own lists are not read yet
    Missing,  // the upstream's own lists do not have the target
    Unread,   // the upstream's own lists cannot be read
  };
  Kind kind = Kind::Send;
  std::string why;  // Unread: the reason
};

}  // namespace host::upstream

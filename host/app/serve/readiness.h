// The response of /readyz says whether a load balancer should send calls to this host, and lists
// problems for the operator. Call the functions of this header on the I/O thread.
#pragma once

#include <string>

namespace host::app {

class Core;

struct Readiness {
  bool ready = true;
  std::string text;  // lines; the first line is "ready", "stopping" or "not ready"
};

Readiness readiness_of(Core& core, bool stopping);

}  // namespace host::app

// What /readyz says: whether a load balancer should send calls here, and what an operator should
// look at. I/O thread only.
#pragma once

#include <string>

namespace host::app {

class Core;

struct Readiness {
  bool ready = true;
  std::string text;  // lines; the first is "ready", "stopping" or "not ready"
};

Readiness readiness_of(Core& core, bool stopping);

}  // namespace host::app

// Sends a saved state between host and worker, in either direction: pieces in State frames, because
// it may be larger than one frame, then a StateEnd. Untrusted on the host's side.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/saved_state.h"

namespace host::plugin {

void write_state(std::string& out, const SavedState& state);
void write_no_state(std::string& out, std::string_view why);

class StateReader {
 public:
  // A State frame.
  Result<void> add(std::string_view body);
  // A StateEnd frame: returns the whole state, or the reason why there is none. Afterwards the
  // object can receive the next state.
  Result<SavedState> end(std::string_view body);

 private:
  std::string bytes_;
};

}  // namespace host::plugin

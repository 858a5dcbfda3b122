// Sends a saved state between host and worker, in either direction. The sender sends the state in
// pieces in State frames, because the state can be larger than one frame. A StateEnd frame follows.
// The host does not trust frames of a worker.
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
  // Takes the body of a State frame.
  Result<void> add(std::string_view body);
  // Takes the body of a StateEnd frame. Returns the whole saved state, or the reason why there is
  // none. After end(), the StateReader can receive the next state.
  Result<SavedState> end(std::string_view body);

 private:
  std::string bytes_;
};

}  // namespace host::plugin

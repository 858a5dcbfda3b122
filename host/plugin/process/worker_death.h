// How a worker ended, and the calls that it had not finished.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/process/symbolizer.h"
#include "plugin/wire/crash_dump.h"
#include "tool/call/invocation.h"

namespace host::plugin {

// A call that the worker had not finished.
struct LostCall {
  std::uint64_t id = 0;  // the call's id in frames
  std::shared_ptr<tool::Invocation> invocation;
  bool retried = false;    // an earlier worker died while it had this call
  bool cancelled = false;  // its caller no longer waits
};

struct WorkerDeath {
  bool wanted = false;  // the worker exited because the host requested it
  bool at_end = false;  // the host asked the worker to exit, and it had no calls left
  // The death counts as a crash of the plugin; false if the host killed the worker for a caller.
  bool counts = true;
  std::string how;  // "was killed by SIGSEGV (signal 11, ...)", "exited with status 1"
  std::optional<CrashDump> dump;
  Trace trace;
  std::string module;         // the library's file name
  std::string build_id;       // of the library, hex; may be empty
  std::uint64_t culprit = 0;  // the call that caused the death; 0: unknown
  std::vector<LostCall> calls;
  // The worker's last output, for the log; lines may belong to any caller.
  std::vector<std::string> last_lines;
  // The last lines that certainly belong to the call that caused the death, for the answer to that
  // call. These are the lines that the call logged with the ABI's function, or all lines if the
  // worker had no other call. If the worker had no call at all, these are the lines of its start.
  std::vector<std::string> own_lines;

  // Returns one line that says how, why and where the worker died, without folder names. If no
  // frame has a name, as in a stripped library, the place is the offset into the library and its
  // build id.
  std::string words() const;
};

}  // namespace host::plugin

// Describes how a worker ended, and which calls the worker had not finished.
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
  std::uint64_t id = 0;  // the call's id in the frames between host and worker
  std::shared_ptr<tool::Invocation> invocation;
  bool retried = false;    // an earlier worker died while it had this call
  bool cancelled = false;  // the caller no longer waits for the call
};

struct WorkerDeath {
  bool wanted = false;  // the worker exited because the host requested it
  bool at_end = false;  // the host asked the worker to exit, and no calls were left
  // True if the worker's death counts as a crash of the plugin. A worker that the host killed
  // because of a caller, or could not start, does not count as a crash.
  bool counts = true;
  bool started = true;  // false: the host could not start the worker's process
  std::string how;      // like "was killed by SIGSEGV (signal 11, ...)" or "exited with status 1"
  std::optional<CrashDump> dump;
  Trace trace;
  std::string module;         // the library's file name
  std::string build_id;       // the build id of the library, in hex; may be empty
  std::uint64_t culprit = 0;  // the call that caused the death; 0: unknown
  std::vector<LostCall> calls;
  // The worker's last output, for the log. Each output line can come from a call of any caller.
  std::vector<std::string> last_lines;
  // The last output lines that certainly belong to the call that caused the worker's death. The
  // error of the call contains these output lines. If other calls, or state from an earlier worker,
  // could have caused the output, `own_lines` has only lines that the call logged with the ABI's
  // function. If the worker never had a call, `own_lines` contains the lines that the worker wrote
  // at its start.
  std::vector<std::string> own_lines;

  // Returns one line that says how, why and where the worker died, without folder names. If no
  // frame of the crash has a function name, as in a stripped library, the line contains the offset
  // into the library and the library's build id.
  std::string words() const;
};

}  // namespace host::plugin

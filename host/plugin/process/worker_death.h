// How a worker ended, and the calls that it left behind.
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
  std::uint64_t id = 0;  // in its frames
  std::shared_ptr<tool::Invocation> invocation;
  bool retried = false;    // an earlier worker died while it had this call
  bool cancelled = false;  // its caller no longer waits
};

struct WorkerDeath {
  bool wanted = false;  // it exited because the host requested it
  bool at_end = false;  // it was asked to exit and had no calls left
  bool counts = true;   // as a crash of the plugin; false if the host killed it for a caller
  std::string how;      // "was killed by SIGSEGV (signal 11, ...)", "exited with status 1"
  std::optional<CrashDump> dump;
  Trace trace;
  std::string module;         // the library's file name
  std::string build_id;       // of the library, hex; may be empty
  std::uint64_t culprit = 0;  // the call that caused the death; 0: unknown
  std::vector<LostCall> calls;
  std::vector<std::string> last_lines;  // of its output, for the log; they may belong to any caller
  // The last lines that certainly belong to the culprit, for its answer: the lines that the culprit
  // itself logged, or all lines if the worker had no other call. If the worker had no call at all,
  // the lines of its start.
  std::vector<std::string> own_lines;

  // One line: how, why and where the worker died, without folders. If no frame has a name, as in a
  // stripped library, the place is the offset into the library and its build id.
  std::string words() const;
};

}  // namespace host::plugin

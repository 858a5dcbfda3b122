// How a worker ended, and the calls that it left behind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/process/symbolizer.h"
#include "plugin/wire/crash_dump.h"
#include "tool/invocation.h"

namespace host::plugin {

// A call that the worker had not finished.
struct LostCall {
  std::uint64_t id = 0;  // in its frames
  std::shared_ptr<tool::Invocation> invocation;
  bool retried = false;    // an earlier worker died while it had this call
  bool cancelled = false;  // its caller no longer waits
};

struct WorkerDeath {
  bool wanted = false;  // it was asked to exit, and did
  bool at_end = false;  // it was asked to exit: it had no call any more
  bool counts = true;   // against the plugin: not where the host killed it for a caller's sake
  std::string how;      // "was killed by SIGSEGV (signal 11, ...)", "exited with status 1"
  std::optional<CrashDump> dump;
  Trace trace;
  std::string module;         // the library's file name
  std::string build_id;       // of the library, hex; may be empty
  std::uint64_t culprit = 0;  // the call that caused it; 0: unknown
  std::vector<LostCall> calls;
  std::vector<std::string> last_lines;  // that it wrote, for the log: they may be of any caller
  // Those among them that are the culprit's for certain, for its answer: that it logged itself, or
  // all, where the worker had no other call. Where it had none at all, those of its start.
  std::vector<std::string> own_lines;

  // One line with how, why and where, without folders. If no frame has a name, as in a stripped
  // library, the place is the offset into the library and its build id.
  std::string words() const;
};

}  // namespace host::plugin

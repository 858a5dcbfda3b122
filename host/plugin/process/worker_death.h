// How a worker ended, and whom it left behind.
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

// A call that the worker had and did not finish.
struct LostCall {
  std::uint64_t id = 0;  // in its frames
  std::shared_ptr<tool::Invocation> invocation;
  bool retried = false;    // another worker died of or beside it before
  bool cancelled = false;  // nobody waits for it
};

struct WorkerDeath {
  bool wanted = false;  // it was asked to exit
  bool counts = true;   // against the plugin: not where the host killed it for a caller's sake
  std::string how;      // "was killed by SIGSEGV (signal 11, ...)", "exited with status 1"
  std::optional<CrashDump> dump;
  Trace trace;
  std::string module;         // the library's file name
  std::string build_id;       // of the library, hex; may be empty
  std::uint64_t culprit = 0;  // the call that did it; 0: not known
  std::vector<LostCall> calls;
  std::vector<std::string> last_lines;  // that the culprit or no call wrote

  // One line without folders: how, why and where. Where nothing has a name, as in a stripped
  // library, that is the offset into the library and its build id.
  std::string words() const;
};

}  // namespace host::plugin

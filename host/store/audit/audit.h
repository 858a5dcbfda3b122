// The audit log: one JSON object a line for every call (who called what, the decision and the
// outcome), including denied and failed calls. It also records logins, approvals and changes of
// credentials. I/O thread only; other processes may append to the same file.
//
// record() appends to memory, and flush() passes it to the kernel with one write. The transports
// flush before each write to a client, so once a reply was sent its line survives a kill of the
// host. See file.h for the file, and for how truncation and edits are detected.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "store/audit/rotation.h"
#include "tool/call.h"

namespace host::store {

class AuditFile;

class Audit {
 public:
  // Appends to `file` (0600), which is made if absent, with its folder (0700). An empty path: no
  // audit.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock,
                            AuditRotation rotation = {});
  Audit(Audit&& other) noexcept;
  Audit& operator=(Audit&& other) noexcept;
  ~Audit();

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // Records an event that is not a call: "login", "approval", "key". Without secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(std::string_view event, Fields fields);
  void flush();

  // Called by flush() when it wrote something.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }

 private:
  Audit(std::unique_ptr<AuditFile> file, const Clock& clock);

  void report_failure(const Error& error);

  std::unique_ptr<AuditFile> file_;  // null: no audit
  const Clock* clock_;
  std::string pending_;
  std::function<void()> flushed_;
  bool failing_ = false;  // logged once, until a write succeeds again
};

}  // namespace host::store

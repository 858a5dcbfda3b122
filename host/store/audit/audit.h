// Who called what, how it was decided and how it ended: one JSON object a line, for every call,
// denials and failures included; and who came in, answered for people, or changed who may. I/O
// thread only; other processes may append to the same file.
//
// record() appends to memory; flush() hands it to the kernel with one write. The transports flush
// before each write to a peer, so a line survives a kill of the host once its reply was sent. What
// the file is, and how a cut or an edit of it shows: audit_file.h.
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
  // Appends to `file` (0600; made where absent, with its folder, 0700). An empty path keeps no
  // audit.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock,
                            AuditRotation rotation = {});
  Audit(Audit&& other) noexcept;
  Audit& operator=(Audit&& other) noexcept;
  ~Audit();

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // What somebody did that is no call: "login", "approval", "key". No secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(std::string_view event, Fields fields);
  void flush();

  // Called by flush() when it wrote something.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }

 private:
  Audit(std::unique_ptr<AuditFile> file, const Clock& clock);

  void report_failure(const Error& error);

  std::unique_ptr<AuditFile> file_;  // null: no audit is kept
  const Clock* clock_;
  std::string pending_;
  std::function<void()> flushed_;
  bool failing_ = false;  // told once, until a write succeeds again
};

}  // namespace host::store

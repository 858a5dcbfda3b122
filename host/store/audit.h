// Who called what, how it was decided and how it ended: one JSON object a line, for every call,
// denials and failures included; and who came in, answered for people, or changed who may. I/O
// thread only; other processes may append to the same file.
//
// record() appends to memory; flush() hands it to the kernel with one write. The transports flush
// before each write to a peer, so a line survives a kill of the host once its reply was sent.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "tool/call.h"

namespace host::store {

class Audit {
 public:
  // Appends to `file` (0600; made where absent, with its folder, 0700). An empty path keeps no
  // audit.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock);

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // What somebody did that is no call: "login", "approval", "key". No secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(std::string_view event, Fields fields);
  void flush();

  // Called by flush() when it wrote something.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }

 private:
  Audit(UniqueFd fd, const Clock& clock) : fd_(std::move(fd)), clock_(&clock) {}

  void report_failure(int error);

  UniqueFd fd_;
  const Clock* clock_;
  std::string pending_;
  std::function<void()> flushed_;
  bool failing_ = false;  // told once, until a write succeeds again
};

}  // namespace host::store

// The audit log: one JSON object a line for every call (who called what, the decision and the
// outcome), including denied and failed calls. It also records logins, approvals and changes of
// credentials. I/O thread only; other processes may append to the same file.
//
// record() appends to memory; flush() hands it to the kernel with one write. The transports flush
// before each write to a client. So once a reply was sent, its line survives a kill of the host.
// file.h describes the file, and how a truncation or change is detected.
//
// While the file cannot be written, up to 16 MiB of lines wait in memory. Further lines are lost
// and counted. Once the file can be written again, a line says how many were lost and since when.
#pragma once

#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "store/audit/events.h"
#include "store/audit/rotation.h"
#include "store/audit/sync.h"
#include "tool/call/call.h"

namespace host::store {

class AuditFile;

class Audit {
 public:
  // Yes: no call runs before its "begin" line is on the disk.
  enum class Required { No, Yes };

  // Appends to `file` (0600). Makes the file and its folder (0700) if absent. Empty path: no audit.
  // `sync`: the function that syncs the file.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock,
                            AuditRotation rotation = {}, Required required = Required::No,
                            SyncFile sync = ::fdatasync);
  Audit(Audit&& other) noexcept;
  Audit& operator=(Audit&& other) noexcept;
  ~Audit();

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // The fields of a line about an action that is not a call. They must contain no secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(AuditEvent event, Fields fields);
  void flush();

  bool required() const { return required_ == Required::Yes; }
  // If the audit is required: writes the "begin" line of the call, and waits until it is on the
  // disk, so that it also survives a power loss. Unavailable: the call cannot be recorded, and must
  // not run.
  boost::asio::awaitable<Result<void>> begin(const tool::Call& call);
  // If the audit is required: an Error if begin() would certainly fail. Writes no line.
  Result<void> may_begin();

  // The reason why lines cannot be written now, in words that every client may see. Empty: no
  // failure is known.
  std::string fault() const;
  // The number of lost lines.
  std::uint64_t lost() const { return lost_; }
  // Checks that the file is in its place, without writing a line. fault() then has the result.
  void look();
  bool is_kept() const { return file_ != nullptr; }
  // Stops writing. Lines that wait in memory are lost, and the log says so.
  void close();

  // `flushed` is called by flush() after it has written lines.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }
  // Tries to write the waiting lines. After a failed sync, also opens the file again and syncs it.
  // Only this ends such a failure.
  boost::asio::awaitable<void> recover();

  // `failed` is called when lines cannot be written any more. The listener must then call recover()
  // from time to time, until fault() is empty.
  void on_fault(std::function<void()> failed) { failed_ = std::move(failed); }

 private:
  struct Failure {
    WallTime since;
    std::uint64_t lost = 0;    // since the failure
    bool sync_failed = false;  // lines may not be on the disk although they were written
  };

  Audit(std::unique_ptr<AuditFile> file, const Clock& clock, Required required);

  void add_line(const std::string& line);
  Result<void> write_pending();
  Result<void> end_failure();
  boost::asio::awaitable<Result<void>> wait_for_disk();
  void fail(const Error& error);
  void fail_sync(const Error& error);

  std::unique_ptr<AuditFile> file_;  // null: no audit
  const Clock* clock_;
  Required required_;
  std::unique_ptr<boost::asio::thread_pool> syncer_;  // null: the audit is not required
  std::string pending_;
  std::function<void()> flushed_;
  std::function<void()> failed_;
  std::optional<Failure> failure_;
  std::uint64_t lost_ = 0;
};

}  // namespace host::store

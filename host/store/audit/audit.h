// The audit log is a file with one JSON object on each line. For every call, a line names the
// caller, the tool, resource or prompt, the decision, and how the call ended. Denied and failed
// calls have a line too. The audit log also has lines about logins, approvals and changes of
// credentials. The functions of this header are called on the I/O thread. Several processes can
// append to the same audit file.
//
// record() appends a line in memory. flush() passes all such lines to the kernel with one write.
// The transports call flush() before each write to a client. So when a client has a response, the
// audit line of the call survives a kill of the host. file.h describes the file, and how the host
// detects that the file was truncated or changed.
//
// While the file cannot be written, up to 16 MiB of lines wait in memory. If more than 16 MiB wait,
// the audit drops the next lines and counts them. When the file can be written again, a line says
// how many lines were lost and since when.
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
  // Says whether the audit is required. If the audit is required (Yes), no call runs before the
  // call's "begin" line is on the disk.
  enum class Required { No, Yes };

  // Opens the audit log, which appends to `file` (0600). Makes the file and its folder (0700) if
  // they are absent. If the path is empty, the host writes no audit. `sync` is the function that
  // syncs the file to the disk.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock,
                            AuditRotation rotation = {}, Required required = Required::No,
                            SyncFile sync = ::fdatasync);
  Audit(Audit&& other) noexcept;
  Audit& operator=(Audit&& other) noexcept;
  ~Audit();

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // The fields of an audit line about an action that is not a call. The fields of an audit line
  // must contain no secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(AuditEvent event, Fields fields);
  void flush();

  bool required() const { return required_ == Required::Yes; }
  // If the audit is required, the function writes the "begin" line of the call, and waits until the
  // line is on the disk, so that the line also survives a power loss. The Error Unavailable means
  // that the call cannot be recorded, and must not run.
  boost::asio::awaitable<Result<void>> begin(const tool::Call& call);
  // If the audit is required, the function returns an Error if begin() would certainly fail.
  // may_begin() adds no line to the audit.
  Result<void> may_begin();

  // Returns the reason why audit lines cannot be written now, or an empty text if no failure is
  // known. The text of fault() contains no paths, so the host can show it to every client.
  std::string fault() const;
  // Returns the number of lost lines.
  std::uint64_t lost() const { return lost_; }
  // Checks that the audit file is still at its path, without writing a line. fault() returns the
  // result of the check.
  void look();
  bool is_kept() const { return file_ != nullptr; }
  // Call close() when the host ends. close() tries to write the lines that wait in memory. Lines
  // that cannot be written are lost, and the host's log gives their number.
  void close();

  // flush() calls `flushed` after it has written lines.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }
  // Tries to write the audit lines that wait in memory. After a failed sync, recover() also opens
  // the file again and syncs it. After a failed sync, fault() returns the failure until recover()
  // succeeds.
  boost::asio::awaitable<void> recover();

  // The audit calls `failed` when lines can no longer be written. After a failure, the code that
  // set `failed` must call recover() from time to time, until fault() is empty.
  void on_fault(std::function<void()> failed) { failed_ = std::move(failed); }

 private:
  struct Failure {
    WallTime since;
    std::uint64_t lost = 0;    // number of lines lost since the failure
    bool sync_failed = false;  // true: the written lines are perhaps not on the disk
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

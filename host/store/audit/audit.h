// The audit log: one JSON object a line for every call (who called what, the decision and the
// outcome), including denied and failed calls. It also records logins, approvals and changes of
// credentials. I/O thread only; other processes may append to the same file.
//
// record() appends to memory; flush() hands it to the kernel with one write. The transports flush
// before each write to a peer, so a line survives a kill of the host once its reply was sent. What
// the file is, and how a cut or an edit of it shows: file.h.
//
// While the file cannot be written, lines wait in memory, 16 MiB of them; more are lost and
// counted. Once it can be written again, a line says how many were lost and since when.
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
#include "tool/call.h"

namespace host::store {

class AuditFile;

class Audit {
 public:
  // Yes: no call runs unless its begin is on the disk.
  enum class Required { No, Yes };

  // Appends to `file` (0600; made where absent, with its folder, 0700). An empty path keeps no
  // audit. `sync` syncs the file.
  static Result<Audit> open(const std::filesystem::path& file, const Clock& clock,
                            AuditRotation rotation = {}, Required required = Required::No,
                            SyncFile sync = ::fdatasync);
  Audit(Audit&& other) noexcept;
  Audit& operator=(Audit&& other) noexcept;
  ~Audit();

  void record(const tool::Call& call, const Result<tool::CallResult>& result);
  // What somebody did that is no call. No secrets.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  void note(AuditEvent event, Fields fields);
  void flush();

  bool required() const { return required_ == Required::Yes; }
  // Where it is required: writes that the call is about to begin, and waits until that is on the
  // disk, so that it also survives a loss of power. Unavailable: it cannot be recorded, and must
  // not run.
  boost::asio::awaitable<Result<void>> begin(const tool::Call& call);
  // Where it is required: whether begin() may succeed, as far as is known without a line.
  Result<void> may_begin();

  // Why lines cannot be written now, in words that may be shown to anybody; empty: they can, as far
  // as is known.
  std::string fault() const;
  // Lines that are in no file and never will be.
  std::uint64_t lost() const { return lost_; }
  // Looks whether the file is in its place, without writing a line; fault() has what came of it.
  void look();
  bool is_kept() const { return file_ != nullptr; }
  // Nothing is written from here on: what waits in memory is lost, and the log says so.
  void close();

  // Called by flush() when it wrote something.
  void on_flush(std::function<void()> flushed) { flushed_ = std::move(flushed); }
  // Tries to write what waits. After a failed sync, also opens the file again and syncs it: only
  // that ends such a failure.
  boost::asio::awaitable<void> recover();

  // Called when lines cannot be written any more. The listener then calls recover() from time to
  // time, until fault() is empty.
  void on_fault(std::function<void()> failed) { failed_ = std::move(failed); }

 private:
  struct Failure {
    WallTime since;
    std::uint64_t lost = 0;    // since then
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
  std::unique_ptr<boost::asio::thread_pool> syncer_;  // null: nothing is synced
  std::string pending_;
  std::function<void()> flushed_;
  std::function<void()> failed_;
  std::optional<Failure> failure_;
  std::uint64_t lost_ = 0;
};

}  // namespace host::store

#include "store/audit/filler.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "store/audit/parts.h"

namespace host::store {
namespace {

constexpr std::chrono::milliseconds kGather(250);  // lines that come so soon go together
constexpr std::chrono::milliseconds kAfterFailure(5000);
constexpr std::uint64_t kBetweenLooks = 1;  // bytes: whether it shall end is asked after each piece

// Where all cores are busy it gets less than a twentieth of one, still enough for some thousand
// lines a second. Both are the thread's own on Linux.
void lower_priority() {
  constexpr int kNice = 15;
  const sched_param none{};
  static_cast<void>(::sched_setscheduler(0, SCHED_BATCH, &none));
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice));
}

// Files that were rotated away, once the table has their lines.
Result<void> compress_before(const std::filesystem::path& audit_file, std::uint64_t number) {
  for (const AuditPart& part : audit_parts(audit_file)) {
    if (part.number < number && !part.is_compressed) HOST_TRY(compress_part(part.file));
  }
  return {};
}

}  // namespace

AuditFiller::AuditFiller(std::filesystem::path audit_file, std::uint64_t most_rows)
    : audit_file_(std::move(audit_file)), most_rows_(most_rows), thread_([this] { run(); }) {}

AuditFiller::~AuditFiller() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void AuditFiller::wake() {
  if (lines_.exchange(true)) return;
  { const std::lock_guard lock(mutex_); }
  changed_.notify_one();
}

std::optional<std::uint64_t> AuditFiller::behind() const {
  const std::int64_t filled_to = filled_to_;
  if (filled_to < 0) return std::nullopt;
  std::error_code error;
  const auto size = std::filesystem::file_size(audit_file_, error);
  const auto there = static_cast<std::uint64_t>(filled_to);
  return error || size < there ? 0 : size - there;
}

void AuditFiller::run() {
  lower_priority();
  while (wait_for_lines()) {
    const auto filled = fill();
    report(filled);
    if (!filled) {
      lines_ = true;  // they still wait
      if (!pause(kAfterFailure)) return;
    }
  }
}

bool AuditFiller::wait_for_lines() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return lines_ || stopping_; });
  }
  if (!pause(kGather)) return false;
  lines_ = false;
  return true;
}

bool AuditFiller::pause(std::chrono::milliseconds length) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, length, [this] { return stopping_.load(); });
}

Result<void> AuditFiller::fill() {
  if (!table_) {
    HOST_TRY_ASSIGN(table_, AuditTable::open(audit_file_, most_rows_));
  }
  bool whole = false;
  while (!whole && !stopping_) {
    HOST_TRY_ASSIGN(const AuditTable::Filled filled, table_->fill(kBetweenLooks));
    filled_to_ = static_cast<std::int64_t>(filled.offset);
    whole = filled.whole;
    if (filled.faults > 0) {
      log::warning("store", "lines of the audit file are not valid, and are not in its table",
                   {{"lines", std::to_string(filled.faults)}, {"file", audit_file_.string()}});
    }
    if (whole) HOST_TRY(compress_before(audit_file_, filled.number));
  }
  return {};
}

void AuditFiller::report(const Result<void>& filled) {
  if (!filled && !failing_) {
    log::error("store", "the audit's table cannot be filled, lines wait in the audit file",
               {{"error", filled.error().message}});
  }
  failing_ = !filled;
}

}  // namespace host::store

#include "store/audit/verify.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "base/encoding.h"
#include "base/unique_fd.h"
#include "store/audit/chain.h"
#include "store/audit/file.h"
#include "store/audit/parts.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

struct Opened {
  std::string name;
  AuditReader reader;
};

// All files as they are at one moment.
struct Snapshot {
  std::vector<Opened> files;
  std::optional<AuditMark> mark;
  bool from_the_begin = true;
};

Result<void> add(Snapshot& snapshot, const fs::path& file) {
  auto reader = AuditReader::open(file);
  if (!reader && reader.error().kind == ErrorKind::NotFound) return {};
  if (!reader) return reader.error();
  snapshot.files.push_back({file.filename().string(), *std::move(reader)});
  return {};
}

Result<Snapshot> take_snapshot(const fs::path& audit_file) {
  Snapshot snapshot;
  const UniqueFd mark(
      ::open(audit_mark_file(audit_file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!mark && errno != ENOENT)
    return Error{ErrorKind::Io, audit_mark_file(audit_file).string() + ": " + std::strerror(errno)};
  if (mark) {
    ::flock(mark.get(), LOCK_SH);  // closed with the descriptor
    snapshot.mark = read_audit_mark(mark.get());
  }
  const std::vector<AuditPart> parts = audit_parts(audit_file);
  snapshot.from_the_begin = parts.empty() || parts.front().number == 1;
  for (const AuditPart& part : parts) HOST_TRY(add(snapshot, part.file));
  HOST_TRY(add(snapshot, audit_file));
  return snapshot;
}

class Verifier {
 public:
  explicit Verifier(Snapshot& snapshot) : snapshot_(snapshot) {}

  Result<AuditVerdict> run() {
    for (Opened& file : snapshot_.files) {
      HOST_TRY(read(file));
      ++verdict_.files;
      if (!verdict_.fault.empty()) break;
    }
    if (verdict_.fault.empty()) check_end();
    verdict_.last = chain_.end().lines;
    verdict_.digest = base64url(
        {reinterpret_cast<const char*>(chain_.end().digest.data()), chain_.end().digest.size()});
    return verdict_;
  }

 private:
  Result<void> read(Opened& file) {
    for (std::uint64_t number = 1;; ++number) {
      HOST_TRY_ASSIGN(const std::optional<AuditReader::Line> line, file.reader.next());
      if (!line) return {};
      const std::string fault = take(*line);
      if (fault.empty()) continue;
      verdict_.fault = "line " + std::to_string(number) + " of " + file.name + ": " + fault;
      return {};
    }
  }

  std::string take(const AuditReader::Line& line) {
    const auto link = line.ended ? read_audit_link(line.text) : std::nullopt;
    if (!link) {
      chain_.take_loose(line.text);
      ++verdict_.loose;
      return {};
    }
    // The files before it were taken away: what it follows cannot be known.
    if (verdict_.first == 0 && !snapshot_.from_the_begin)
      chain_ = AuditChain({link->number, link->digest});
    else if (!chain_.follow(*link))
      return told(*link);
    if (verdict_.first == 0) verdict_.first = link->number;
    return {};
  }

  std::string told(const AuditLink& link) const {
    const std::uint64_t last = chain_.end().lines;
    if (link.number > last + 1) {
      return "is number " + std::to_string(link.number) + ", after number " + std::to_string(last) +
             ": lines between them were removed";
    }
    if (link.number <= last)
      return "is number " + std::to_string(link.number) + " again: lines were added or copied";
    return "does not fit its digest: it was changed, or a line before it was changed, added or "
           "removed";
  }

  void check_end() {
    const std::uint64_t last = chain_.end().lines;
    if (!snapshot_.mark) {
      if (last > 0) verdict_.fault = "the file that notes the end (.chain) is missing or damaged";
      return;
    }
    const AuditEnd& noted = snapshot_.mark->end;
    if (noted.lines > last) {
      verdict_.fault = "the audit ends with number " + std::to_string(last) + ", but " +
                       std::to_string(noted.lines) + " were written: its end was cut off";
    }
  }

  Snapshot& snapshot_;
  AuditChain chain_;
  AuditVerdict verdict_;
};

}  // namespace

Result<AuditVerdict> verify_audit(const fs::path& audit_file) {
  HOST_TRY_ASSIGN(Snapshot snapshot, take_snapshot(audit_file));
  return Verifier(snapshot).run();
}

}  // namespace host::store

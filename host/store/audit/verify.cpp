#include "store/audit/verify.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "base/text/encoding.h"
#include "base/unique_fd.h"
#include "json/json.h"
#include "store/audit/chain.h"
#include "store/audit/file.h"
#include "store/audit/parts.h"
#include "store/audit/table.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoMark = "the file that notes the end (.chain) is missing or damaged";

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
  const std::uint64_t written = snapshot.mark ? snapshot.mark->number : 1;
  snapshot.from_the_begin = (parts.empty() ? written : parts.front().number) == 1;
  for (const AuditPart& part : parts) HOST_TRY(add(snapshot, part.file));
  HOST_TRY(add(snapshot, audit_file));
  return snapshot;
}

// What a kill leaves of a line is its begin, which is no whole object.
bool is_cut_off(const AuditReader::Line& line) {
  if (line.text.empty()) return true;
  return line.text.front() == '{' && !(line.ended && json::parse(line.text));
}

// By what the audit's table has: it takes lines from the files alone.
bool had_lines(const fs::path& audit_file) {
  std::error_code error;
  if (!fs::exists(AuditTable::file_of(audit_file), error)) return false;
  auto table = AuditTable::open(audit_file, std::numeric_limits<std::uint32_t>::max());
  if (!table) return false;
  AuditQuery newest;
  newest.limit = 1;
  const auto found = table->search(newest);
  return found && !found->lines.empty();
}

std::string missing(const fs::path& audit_file, const fs::path& store_file,
                    const std::optional<AuditMark>& mark) {
  const std::string there_is_none = "there is no " + audit_file.string();
  if (mark && mark->end.lines > 0)
    return there_is_none + ", but " + std::to_string(mark->end.lines) + " lines were written";
  std::error_code error;
  for (const fs::path& trace :
       {audit_mark_file(audit_file), AuditTable::file_of(audit_file), store_file}) {
    if (trace.empty() || !fs::exists(trace, error)) continue;
    return there_is_none + ", but " + trace.string() +
           " shows that a host ran: the audit was removed, " + "or audit.file was changed";
  }
  return there_is_none + ": no host ran with this configuration, or all that it wrote was removed";
}

class Verifier {
 public:
  Verifier(Snapshot& snapshot, const fs::path& audit_file, const fs::path& store_file,
           std::uint64_t from)
      : snapshot_(snapshot), audit_file_(audit_file), store_file_(store_file), from_(from) {}

  Result<AuditVerdict> run() {
    for (Opened& file : snapshot_.files) {
      HOST_TRY(read(file));
      ++verdict_.files;
      if (!verdict_.fault.empty()) break;
    }
    if (verdict_.fault.empty()) check_end();
    if (verdict_.fault.empty()) check_begin();
    if (!verdict_.fault.empty() && verdict_.state == AuditState::Ok)
      verdict_.state = AuditState::Changed;
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
      // An older toolpost wrote whole lines without a digest, but never after one with a digest.
      if (!is_cut_off(line) && (chain_.end().lines > 0 || !snapshot_.from_the_begin))
        return "has no digest, but lines before it have: it was added, or an older toolpost wrote "
               "it";
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

  void fail(AuditState state, std::string fault) {
    verdict_.state = state;
    verdict_.fault = std::move(fault);
  }

  void check_begin() {
    const std::uint64_t last = chain_.end().lines;
    if (from_ > 1 && last < from_) {
      return fail(AuditState::Missing, "the audit ends with number " + std::to_string(last) +
                                           ", but number " + std::to_string(from_) +
                                           " must be there");
    }
    if (verdict_.first <= from_) return;
    const std::string first = std::to_string(verdict_.first);
    verdict_.fault = "the audit begins with number " + first + ", but lines from number " +
                     std::to_string(from_) +
                     " on must be there: a file was removed. If you archived the older files, "
                     "verify them there, and these with --from " +
                     first;
  }

  void check_end() {
    if (snapshot_.files.empty())
      return fail(AuditState::Missing, missing(audit_file_, store_file_, snapshot_.mark));
    const std::uint64_t last = chain_.end().lines;
    if (last == 0 && (!snapshot_.mark || snapshot_.mark->end.lines == 0))
      return check_without_digests();
    if (!snapshot_.mark) {
      if (last > 0) verdict_.fault = kNoMark;
      return;
    }
    const AuditEnd& noted = snapshot_.mark->end;
    if (noted.lines > last) {
      verdict_.fault = "the audit ends with number " + std::to_string(last) + ", but " +
                       std::to_string(noted.lines) + " were written: its end was cut off";
    }
  }

  void check_without_digests() {
    if (verdict_.loose > 0) {
      return fail(AuditState::NoDigests,
                  "no line has a digest: an older toolpost wrote them all, and whether they were "
                  "changed cannot be said");
    }
    if (had_lines(audit_file_))
      verdict_.fault = "the files have no line, but the audit's table has: all lines were removed";
  }

  Snapshot& snapshot_;
  const fs::path& audit_file_;
  const fs::path& store_file_;
  const std::uint64_t from_;
  AuditChain chain_;
  AuditVerdict verdict_;
};

}  // namespace

std::string_view to_string(AuditState state) {
  switch (state) {
    case AuditState::Ok:
      return "ok";
    case AuditState::Changed:
      return "changed";
    case AuditState::Missing:
      return "missing";
    case AuditState::NoDigests:
      return "no_digests";
  }
  return "";
}

Result<AuditVerdict> verify_audit(const fs::path& audit_file, const fs::path& store_file,
                                  std::uint64_t from) {
  HOST_TRY_ASSIGN(Snapshot snapshot, take_snapshot(audit_file));
  return Verifier(snapshot, audit_file, store_file, from).run();
}

std::string fault_of_mark(const fs::path& audit_file) {
  std::error_code error;
  const bool there = fs::exists(audit_file, error);
  const bool has_parts = !audit_parts(audit_file).empty();
  const bool has_lines = has_parts || (there && fs::file_size(audit_file, error) > 0);
  const UniqueFd fd(::open(audit_mark_file(audit_file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const auto mark = fd ? read_audit_mark(fd.get()) : std::nullopt;
  if (!mark) return has_lines ? std::string(kNoMark) : std::string();
  if (there || has_parts || mark->end.lines == 0) return {};
  return std::to_string(mark->end.lines) + " lines were written, but " + audit_file.string() +
         " is missing";
}

}  // namespace host::store

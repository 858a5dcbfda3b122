#include "store/audit/audit.h"

#include <algorithm>
#include <charconv>

#include "base/digest.h"
#include "base/log.h"
#include "base/on_executor.h"
#include "base/text/encoding.h"
#include "json/json.h"
#include "json/object_text.h"
#include "store/audit/file.h"
#include "tool/call/outcome.h"
#include "tool/call/sent_context.h"

namespace host::store {
namespace {

constexpr std::size_t kFlushBytes = 256u << 10u;
constexpr std::size_t kHashWhole = 4096;        // larger arguments get the fast digest
constexpr std::size_t kKeepBytes = 16u << 20u;  // lines that wait for a disk that refuses them
constexpr std::size_t kUsualLine = 512;
constexpr std::size_t kMostTextBytes = 1024;  // of one field; anybody can send long names

Error not_recorded() {
  return {ErrorKind::Unavailable,
          "this host must record each call in its audit before it runs (audit.required), and the "
          "audit cannot be written now, so the host refused the call. Try again later."};
}

// The begin of a text that is too long, its length and its digest, which tells it from others.
std::string shortened(std::string_view text) {
  return std::string(utf8_begin(text, kMostTextBytes)) + "... (" + std::to_string(text.size()) +
         " bytes, xxh3 " + fast_digest(text) + ")";
}

void add(std::string& line, std::string_view key, std::string_view value) {
  line += ",\"";
  line += key;
  line += "\":";
  if (value.size() <= kMostTextBytes) {
    json::write_string(value, line);
  } else {
    json::write_string(shortened(value), line);
  }
}

void add_if(std::string& line, std::string_view key, std::string_view value) {
  if (!value.empty()) add(line, key, value);
}

std::string_view name_of(tool::Origin origin) {
  switch (origin) {
    case tool::Origin::Peer:
      return "peer";
    case tool::Origin::Host:
      return "host";
    case tool::Origin::Admin:
      return "admin";
    case tool::Origin::Plugin:
      return "plugin";
  }
  return "peer";
}

void add_digest(std::string& line, std::string_view text) {
  if (text.size() <= kHashWhole) {
    add(line, "args_sha256", to_hex(sha256(text)));
  } else {
    add(line, "args_xxh3", fast_digest(text));
  }
}

void add_number(std::string& line, std::string_view key, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  line += ",\"";
  line += key;
  line += "\":";
  line.append(digits, end);
}

std::string line_begin(WallTime now) {
  std::string line;
  line.reserve(kUsualLine);
  line.append(R"({"time":")").append(to_rfc3339(now)).append("\"");
  return line;
}

// The names alone, because the context can have secrets.
void add_context(std::string& line, const tool::SentContext& sent) {
  if (!sent || (sent->values.empty() && sent->entries.empty())) return;
  constexpr std::size_t kMostNames = 16;
  std::vector<std::string> names = tool::names_in(*sent);
  const std::size_t all = names.size();
  if (all > kMostNames) {
    names.resize(kMostNames);
    names.push_back("... (" + std::to_string(all) + " names)");
  }
  line += ",\"context\":";
  line += json::list_of(names);
}

// Who calls what with which arguments.
void add_call(std::string& line, const tool::Call& call) {
  const tool::Passport& by = *call.passport;
  add(line, "call", by.call);
  add(line, "origin", name_of(by.origin));
  add(line, "principal", by.who.principal);
  add_if(line, "agent", by.who.agent);
  add_if(line, "session", by.who.session);
  add(line, tool::kind_of(call.function), call.name);
  add_if(line, "provider", call.provider);
  if (by.caller) {
    add(line, "caller", by.caller->tool->name());
    add(line, "caller_call", by.caller->passport->call);
  }
  // A call that was refused before has its arguments as they came.
  if (call.arguments_text.empty()) {
    add_digest(line, json::write(call.arguments.root()));
  } else {
    add_digest(line, call.arguments_text);
  }
  add_context(line, by.sent);
  add_if(line, "decision", call.decision);
  add_if(line, "rule", call.rule);
}

void add_interceptions(std::string& line, const std::vector<std::string>& said) {
  if (said.empty()) return;
  line += ",\"interceptors\":";
  line += json::list_of(said);
}

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

Result<Audit> Audit::open(const std::filesystem::path& file, const Clock& clock,
                          AuditRotation rotation, Required required, SyncFile sync) {
  if (file.empty()) return Audit(nullptr, clock, Required::No);
  auto opened = AuditFile::open(file, clock, rotation, std::move(sync));
  if (!opened) return opened.error();
  return Audit(*std::move(opened), clock, required);
}

Audit::Audit(std::unique_ptr<AuditFile> file, const Clock& clock, Required required)
    : file_(std::move(file)), clock_(&clock), required_(required) {
  if (required_ == Required::Yes) syncer_ = std::make_unique<boost::asio::thread_pool>(1);
}

Audit::Audit(Audit&& other) noexcept = default;
Audit& Audit::operator=(Audit&& other) noexcept = default;

Audit::~Audit() {
  if (syncer_) syncer_->join();
}

void Audit::record(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (!file_) return;
  std::string line = line_begin(clock_->wall());
  add_call(line, call);
  add_interceptions(line, call.interceptions);
  add(line, "outcome", tool::outcome_of(call, result));
  if (call.started != SteadyTime{}) {
    add_number(
        line, "us",
        std::chrono::duration_cast<std::chrono::microseconds>(clock_->steady() - call.started)
            .count());
  }
  add_if(line, "traceparent", call.passport->trace.parent);
  line += "}\n";
  add_line(line);
  if (pending_.size() >= kFlushBytes && !failure_) flush();
}

void Audit::note(AuditEvent event, Fields fields) {
  if (!file_) return;
  std::string line = line_begin(clock_->wall());
  add(line, "event", to_string(event));
  for (const auto& [key, value] : fields) add_if(line, key, value);
  add_line(line + "}\n");
}

// Where there is no room, those that came first stay: they say how it began.
void Audit::add_line(const std::string& line) {
  if (!failure_ || pending_.size() + line.size() <= kKeepBytes) {
    pending_ += line;
    return;
  }
  if (failure_->lost++ == 0)
    log::error("store", "audit lines are lost: too many wait for the audit file",
               {{"waiting_bytes", std::to_string(pending_.size())}});
  ++lost_;
}

void Audit::flush() {
  if (!file_ || (pending_.empty() && !failure_)) return;
  auto written = write_pending();
  if (written && failure_ && !failure_->sync_failed) written = end_failure();
  if (!written) return fail(written.error());
  if (flushed_) flushed_();
}

// A file that failed is tried with one line first: each try digests what it writes.
Result<void> Audit::write_pending() {
  const std::string_view all(pending_);
  std::size_t at = 0;
  Result<void> written;
  for (std::size_t most = failure_ ? 1 : kFlushBytes; at < all.size() && written;
       most = kFlushBytes) {
    const std::size_t end = all.find('\n', std::min(at + most, all.size()) - 1) + 1;
    std::size_t kept = 0;
    written = file_->append(all.substr(at, end - at), &kept);
    at = written ? end : at + kept;
  }
  pending_.erase(0, at);
  return written;
}

Result<void> Audit::end_failure() {
  std::string line = line_begin(clock_->wall());
  add(line, "event", to_string(AuditEvent::Audit));
  add(line, "outcome", "writable_again");
  add(line, "since", to_rfc3339(failure_->since));
  add_number(line, "lost", static_cast<std::int64_t>(failure_->lost));
  HOST_TRY(file_->append(line + "}\n"));
  log::info("store", "the audit can be written again",
            {{"since", to_rfc3339(failure_->since)}, {"lost", std::to_string(failure_->lost)}});
  failure_.reset();
  return {};
}

void Audit::fail(const Error& error) {
  if (failure_) return;
  log::error("store", "the audit cannot be written, lines wait in memory",
             {{"error", error.message}});
  failure_ = Failure{clock_->wall()};
  if (failed_) failed_();
}

void Audit::fail_sync(const Error& error) {
  fail(error);
  failure_->sync_failed = true;
}

boost::asio::awaitable<Result<void>> Audit::begin(const tool::Call& call) {
  if (!required()) co_return Result<void>();
  flush();
  if (failure_) co_return not_recorded();
  std::string line = line_begin(clock_->wall());
  add(line, "event", to_string(AuditEvent::Begin));
  add_call(line, call);
  line += "}\n";
  pending_ += line;
  flush();
  if (failure_) {  // nothing begins
    if (pending_.ends_with(line)) pending_.resize(pending_.size() - line.size());
    co_return not_recorded();
  }
  const auto synced = co_await wait_for_disk();
  if (synced) co_return synced;
  fail_sync(synced.error());
  co_return not_recorded();
}

Result<void> Audit::may_begin() {
  if (!required()) return {};
  if (failure_) flush();
  look();
  return failure_ ? Result<void>(not_recorded()) : Result<void>();
}

// For what was appended until now.
boost::asio::awaitable<Result<void>> Audit::wait_for_disk() {
  auto sync = file_->sync();
  if (!sync) co_return sync.error();
  std::function<Result<void>()> wait = [sync = *sync, number = (*sync)->appended()] {
    return sync->wait(number);
  };
  auto synced = co_await on_executor<Result<void>>(syncer_->get_executor(), std::move(wait));
  co_return synced;
}

boost::asio::awaitable<void> Audit::recover() {
  flush();
  if (!failure_ || !failure_->sync_failed || !pending_.empty()) co_return;
  if (!file_->reopen()) co_return;
  const auto synced = co_await wait_for_disk();
  if (!synced || !failure_) co_return;
  failure_->sync_failed = false;
  flush();
}

std::string Audit::fault() const {
  if (!failure_) return {};
  std::string text = "the audit cannot be written since " + to_rfc3339(failure_->since);
  if (failure_->lost > 0) text += ", " + std::to_string(failure_->lost) + " lines are lost";
  return text;
}

void Audit::look() {
  if (!file_ || failure_) return;
  if (const auto checked = file_->check(); !checked) fail(checked.error());
}

void Audit::close() {
  flush();
  if (pending_.empty()) return;
  const std::uint64_t lines = lines_in(pending_);
  lost_ += lines;
  log::error("store", "the host ends, and audit lines that could not be written are lost",
             {{"lines", std::to_string(lines + (failure_ ? failure_->lost : 0))}});
  pending_.clear();
}

}  // namespace host::store

#include "store/audit/audit.h"

#include <charconv>

#include "base/digest.h"
#include "base/log.h"
#include "json/json.h"
#include "store/audit/file.h"
#include "tool/outcome.h"

namespace host::store {
namespace {

constexpr std::size_t kFlushBytes = 256u << 10u;
constexpr std::size_t kHashWhole = 4096;        // larger arguments get the fast digest
constexpr std::size_t kKeepBytes = 16u << 20u;  // lines that wait for a disk that refuses them

void add(std::string& line, std::string_view key, std::string_view value) {
  line += ",\"";
  line += key;
  line += "\":";
  json::write_string(value, line);
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

}  // namespace

Result<Audit> Audit::open(const std::filesystem::path& file, const Clock& clock,
                          AuditRotation rotation) {
  if (file.empty()) return Audit(nullptr, clock);
  auto opened = AuditFile::open(file, clock, rotation);
  if (!opened) return opened.error();
  return Audit(*std::move(opened), clock);
}

Audit::Audit(std::unique_ptr<AuditFile> file, const Clock& clock)
    : file_(std::move(file)), clock_(&clock) {}
Audit::Audit(Audit&& other) noexcept = default;
Audit& Audit::operator=(Audit&& other) noexcept = default;
Audit::~Audit() = default;

void Audit::record(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (!file_) return;
  std::string& line = pending_;
  line += R"({"time":")";
  line += to_rfc3339(clock_->wall());
  line += '"';
  add(line, "call", call.id);
  add(line, "origin", name_of(call.origin));
  add(line, "principal", call.principal);
  if (!tool::agent_of(call).empty()) add(line, "agent", tool::agent_of(call));
  add_if(line, "session", call.session);
  add(line, tool::kind_of(call.function), call.name);
  add_if(line, "provider", call.provider);
  if (call.caller) {
    add(line, "caller", call.caller->tool->name());
    add(line, "caller_call", call.caller->call);
  }
  // A call that was refused before has its arguments as they came.
  if (call.arguments_text.empty()) {
    add_digest(line, json::write(call.arguments.root()));
  } else {
    add_digest(line, call.arguments_text);
  }
  add_if(line, "decision", call.decision);
  add_if(line, "rule", call.rule);
  add(line, "outcome", tool::outcome_of(call, result));
  if (call.started != SteadyTime{}) {
    add_number(
        line, "us",
        std::chrono::duration_cast<std::chrono::microseconds>(clock_->steady() - call.started)
            .count());
  }
  add_if(line, "traceparent", call.traceparent);
  line += "}\n";
  if (pending_.size() >= kFlushBytes && !failing_) flush();
}

void Audit::note(std::string_view event, Fields fields) {
  if (!file_) return;
  pending_ += R"({"time":")" + to_rfc3339(clock_->wall()) + '"';
  add(pending_, "event", event);
  for (const auto& [key, value] : fields) add_if(pending_, key, value);
  pending_ += "}\n";
}

void Audit::flush() {
  if (pending_.empty()) return;
  std::size_t kept = 0;
  if (const auto written = file_->append(pending_, &kept); !written) {
    pending_.erase(0, kept);
    return report_failure(written.error());
  }
  failing_ = false;
  pending_.clear();
  if (flushed_) flushed_();
}

void Audit::report_failure(const Error& error) {
  if (!failing_)
    log::error("store", "the audit cannot be written, lines wait in memory",
               {{"error", error.message}});
  failing_ = true;
  if (pending_.size() <= kKeepBytes) return;
  log::error("store", "audit lines were lost", {{"bytes", std::to_string(pending_.size())}});
  pending_.clear();
}

}  // namespace host::store

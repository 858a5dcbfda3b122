#include "store/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/digest.h"
#include "base/log.h"
#include "json/json.h"
#include "store/private_folder.h"
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

bool ends_within_a_line(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
    return false;
  char last = '\n';
  return ::pread(fd.get(), &last, 1, about.st_size - 1) == 1 && last != '\n';
}

}  // namespace

Result<Audit> Audit::open(const std::filesystem::path& file, const Clock& clock) {
  if (file.empty()) return Audit(UniqueFd{}, clock);
  make_private_folder(file.parent_path());
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    return Error{ErrorKind::Io,
                 "audit file " + file.string() + ": " + std::strerror(errno) +
                     ": set audit.file to a path that the host may write, or to \"\""};
  }
  Audit audit(std::move(fd), clock);
  // A host that was killed while it wrote began that line: what comes now shall not be its end.
  if (ends_within_a_line(file)) audit.pending_ = "\n";
  return audit;
}

void Audit::record(const tool::Call& call, const Result<tool::CallResult>& result) {
  if (!fd_) return;
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
  if (!fd_) return;
  pending_ += R"({"time":")" + to_rfc3339(clock_->wall()) + '"';
  add(pending_, "event", event);
  for (const auto& [key, value] : fields) add_if(pending_, key, value);
  pending_ += "}\n";
}

void Audit::flush() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t written = ::write(fd_.get(), pending_.data() + done, pending_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      report_failure(errno);
      break;
    }
    failing_ = false;
    done += static_cast<std::size_t>(written);
  }
  pending_.erase(0, done);
  if (done > 0 && flushed_) flushed_();
}

void Audit::report_failure(int error) {
  if (!failing_)
    log::error("store", "the audit cannot be written, lines wait in memory",
               {{"error", std::strerror(error)}});
  failing_ = true;
  if (pending_.size() <= kKeepBytes) return;
  log::error("store", "audit lines were lost", {{"bytes", std::to_string(pending_.size())}});
  pending_.clear();
}

}  // namespace host::store

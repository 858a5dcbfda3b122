#include "plugin/wire/output_log.h"

#include <toolpost/plugin.h>

#include "base/log.h"
#include "base/text/encoding.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostLineBytes = 2048;
constexpr unsigned kMostLines = 500;             // in a window
constexpr std::size_t kMostBytes = 256u << 10u;  // likewise
constexpr std::size_t kMostKeptBytes = 64u << 10u;
constexpr std::size_t kLineOverhead = 64;
constexpr std::chrono::seconds kWindow{10};

log::Level level_of(int level) {
  if (level <= TP_LOG_DEBUG) return log::Level::Debug;
  if (level <= TP_LOG_NOTICE) return log::Level::Info;
  return level == TP_LOG_WARNING ? log::Level::Warning : log::Level::Error;
}

}  // namespace

OutputLog::~OutputLog() {
  tell_dropped();
}

bool OutputLog::may_write(std::size_t bytes) {
  const SteadyTime now = clock_.steady();
  if (now - window_ > kWindow) {
    tell_dropped();
    window_ = now;
    written_ = 0;
    written_bytes_ = 0;
  }
  // The first that finds no room ends the window: which lines are there does not depend on length.
  if (dropped_ == 0 && written_ < kMostLines && written_bytes_ + bytes <= kMostBytes) {
    ++written_;
    written_bytes_ += bytes;
    return true;
  }
  if (++dropped_ == 1) {
    log::warning("plugin", "writes too many lines: the next ones are dropped for some seconds",
                 {{"plugin", plugin_}});
  }
  return false;
}

void OutputLog::tell_dropped() {
  if (dropped_ == 0) return;
  log::warning("plugin", "lines of the plugin were dropped",
               {{"plugin", plugin_}, {"lines", std::to_string(dropped_)}});
  dropped_ = 0;
}

void OutputLog::line(std::string_view text) {
  if (text.empty()) return;
  std::string shown = redact_.begin_of(text, kMostLineBytes);
  if (!is_utf8(shown)) shown = "(a line that is not UTF-8)";
  keep(shown, 0);
  if (may_write(shown.size() + kLineOverhead))
    log::info("plugin", shown, {{"plugin", plugin_}, {"source", "output"}});
}

void OutputLog::keep(std::string_view text, std::uint64_t call) {
  kept_.push_back({std::string(utf8_begin(text, kMostLineBytes)), call});
  kept_bytes_ += kept_.back().text.size() + kLineOverhead;
  while (kept_bytes_ > kMostKeptBytes) {
    kept_bytes_ -= kept_.front().text.size() + kLineOverhead;
    kept_.pop_front();
  }
}

std::vector<std::string> OutputLog::last_lines(std::size_t most) const {
  std::vector<std::string> lines;
  for (auto at = kept_.rbegin(); at != kept_.rend() && lines.size() < most; ++at)
    lines.insert(lines.begin(), at->text);
  return lines;
}

std::vector<std::string> OutputLog::last_lines_of(std::size_t most, std::uint64_t call) const {
  std::vector<std::string> lines;
  for (auto at = kept_.rbegin(); at != kept_.rend() && lines.size() < most; ++at) {
    if (at->call == call) lines.insert(lines.begin(), at->text);
  }
  return lines;
}

void OutputLog::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    // One more than is looked at tells that it was cut.
    const std::size_t most = kMostLineBytes + redact_.reach() + 1;
    open_.append(piece.substr(0, most - std::min(open_.size(), most)));
    if (newline == std::string_view::npos) return;
    end();
    bytes.remove_prefix(newline + 1);
  }
}

void OutputLog::end() {
  line(open_);
  open_.clear();
}

void OutputLog::plugin_line(int level, std::string_view message, std::string_view json_fields,
                            std::uint64_t call) {
  keep(message, call);
  if (!log::enabled(level_of(level))) return;
  message = utf8_begin(message, kMostLineBytes);
  json_fields = utf8_begin(json_fields, kMostLineBytes);
  if (!may_write(message.size() + json_fields.size() + kLineOverhead)) return;
  if (json_fields.empty()) {
    log::write(level_of(level), "plugin", message, {{"plugin", plugin_}});
  } else {
    log::write(level_of(level), "plugin", message,
               {{"plugin", plugin_}, {"fields", std::string(json_fields)}});
  }
}

}  // namespace host::plugin

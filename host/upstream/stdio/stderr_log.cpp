#include "upstream/stdio/stderr_log.h"

#include <chrono>

#include "base/log.h"
#include "base/text/visible.h"
#include "json/excerpt.h"

namespace host::upstream {
namespace {

constexpr std::chrono::seconds kWindow{10};
constexpr unsigned kLines = 100;
constexpr std::size_t kBytes = 64u << 10u;
constexpr std::size_t kLineBytes = 2048;
constexpr std::size_t kKeptLines = 20;

}  // namespace

StderrLog::~StderrLog() {
  report_dropped();
}

void StderrLog::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    // Of a line that is too long, the beginning is kept.
    if (open_.size() < kLineBytes) open_.append(piece.substr(0, kLineBytes + 1 - open_.size()));
    if (end == std::string_view::npos) return;
    this->end();
    bytes.remove_prefix(end + 1);
  }
}

void StderrLog::end() {
  if (!open_.empty() && open_.back() == '\r') open_.pop_back();
  const bool is_cut = open_.size() > kLineBytes;
  if (!open_.empty()) line(json::excerpt(secrets_->hide(open_, is_cut), kLineBytes));
  open_.clear();
}

void StderrLog::line(std::string_view text) {
  const std::string shown = marked(text);
  kept_.push_back(shown);
  if (kept_.size() > kKeptLines) kept_.pop_front();
  if (may_write(shown.size()))
    log::info("upstream", "wrote to standard error", {{"upstream", upstream_}, {"line", shown}});
}

bool StderrLog::may_write(std::size_t bytes) {
  const SteadyTime now = clock_.steady();
  if (window_ == SteadyTime{} || now - window_ >= kWindow) {
    report_dropped();
    window_ = now;
    written_ = 0;
    written_bytes_ = 0;
  }
  if (written_ >= kLines || written_bytes_ + bytes > kBytes) {
    if (dropped_++ == 0) {
      log::warning("upstream", "writes too much to standard error: lines are dropped from the log",
                   {{"upstream", upstream_}});
    }
    return false;
  }
  ++written_;
  written_bytes_ += bytes;
  return true;
}

void StderrLog::report_dropped() {
  if (dropped_ == 0) return;
  log::warning("upstream", "lines of standard error were dropped from the log",
               {{"upstream", upstream_}, {"lines", std::to_string(dropped_)}});
  dropped_ = 0;
}

}  // namespace host::upstream

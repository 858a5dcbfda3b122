#include "upstream/stdio/process_status.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/log.h"
#include "upstream/confine/report.h"

namespace host::upstream {
namespace {

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace

void ProcessStatus::take(std::string_view bytes) {
  rest_.append(bytes);
  for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
    take_line(std::string_view(rest_).substr(0, end));
    rest_.erase(0, end + 1);
  }
}

void ProcessStatus::take_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return;
  const bool is_confined = settings_.sandbox.has_value();
  // toolpost-confine reports its layers before it executes the command.
  const bool is_of_confiner = is_confined && !has_sandbox_report();
  if (is_of_confiner && take_report(line, sandbox_)) return;
  if (is_confined && line.starts_with("refused ")) start_fault_ = line.substr(space + 1);
  int value = 0;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), value);
  const std::string_view word = line.substr(0, space);
  if (word == "started") pid_ = value;
  if (word == "failed") {
    start_fault_ = (is_of_confiner ? "the host's program \"" + confiner_of(settings_).string()
                                   : "the command \"" + settings_.command) +
                   "\" cannot be run: " + std::strerror(value);
  }
  if (word == "exited") end_ = "exited with status " + std::to_string(value);
  if (word == "killed") end_ = "was killed by " + signal_name(value);
}

bool ProcessStatus::ended_by_stop() const {
  return end_ == "was killed by SIGTERM" || end_ == "was killed by SIGKILL";
}

bool ProcessStatus::has_sandbox_report() const {
  return std::all_of(std::begin(sandbox::kLayerNames), std::end(sandbox::kLayerNames),
                     [this](std::string_view name) { return layer_of(name) != nullptr; });
}

std::string ProcessStatus::sandbox_fault() const {
  if (!has_sandbox_report()) return "toolpost-confine did not report that it made the sandbox";
  for (const sandbox::Layer& layer : sandbox_.layers) {
    if (!settings_.sandbox->required.has(layer.name) || layer.active) continue;
    return "toolpost-confine started it without \"" + std::string(to_string(layer.name)) +
           "\", which sandbox.require names";
  }
  return {};
}

// As of a worker.
void ProcessStatus::log_sandbox(const std::string& upstream) const {
  std::string active;
  std::string missing;
  for (const sandbox::Layer& layer : sandbox_.layers) {
    std::string& words = layer.active ? active : missing;
    words += (words.empty() ? "" : ", ") + std::string(to_string(layer.name));
    if (!layer.active) words += " (" + layer.detail + ")";
  }
  log::info("upstream", "runs in a sandbox",
            {{"upstream", upstream}, {"layers", active}, {"missing", missing}});
  for (const std::string& path : sandbox_.absent) {
    log::warning("upstream", "a path of its sandbox cannot be granted",
                 {{"upstream", upstream}, {"path", path}});
  }
}

const sandbox::Layer* ProcessStatus::layer_of(std::string_view name) const {
  const auto found =
      std::find_if(sandbox_.layers.begin(), sandbox_.layers.end(),
                   [&](const sandbox::Layer& layer) { return to_string(layer.name) == name; });
  return found == sandbox_.layers.end() ? nullptr : &*found;
}

}  // namespace host::upstream

#include "plugin/process/handshake.h"

#include <utility>
#include <vector>

#include "base/text/encoding.h"
#include "plugin/declared/settings_check.h"
#include "plugin/wire/fault.h"
#include "plugin/wire/state_frames.h"
#include "plugin/wire/worker_messages.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostReasonBytes = 4096;  // of the worker's reason why it did not start

}  // namespace

void Handshake::settle(Outcome outcome) {
  if (const Told told = std::exchange(told_, nullptr)) told(std::move(outcome));
}

Result<void> Handshake::hear(const Frame& frame, std::string& out, const OutputLog& output) {
  switch (frame.type) {
    case FrameType::Hello:
      return hear_hello(frame.body);
    case FrameType::Sandboxed:
      return hear_sandboxed(frame.body);
    case FrameType::Loaded:
      return hear_loaded(frame.body, out);
    case FrameType::Refused:
      hear_refusal(frame.body, output);
      return {};
    default:
      // A library's constructors can write to the socket before the host has checked anything.
      if (!loaded_) return fault("broken frame: a manifest before its time");
      settle(std::string(frame.body));
      return {};
  }
}

// A library that cannot describe itself has only its output to say why.
void Handshake::hear_refusal(std::string_view body, const OutputLog& output) {
  std::string why(utf8_begin(body, kMostReasonBytes));
  const std::vector<std::string> lines =
      loaded_ ? std::vector<std::string>() : output.last_lines(1);
  if (!lines.empty()) why += "; its last line: " + lines.back();
  settle(fault(std::move(why)));
}

Result<void> Handshake::hear_hello(std::string_view body) {
  if (BodyReader(body).u32() == kProtocolVersion) return {};
  settle(Error{ErrorKind::Internal, executable_ + " is of another version than this host"});
  return fault("another protocol version");
}

// Before the plugin's code runs, once: afterwards it could claim anything.
Result<void> Handshake::hear_sandboxed(std::string_view body) {
  auto applied = read_sandboxed(body);
  if (!applied || !sandbox_.layers.empty() || loaded_) return fault("broken frame: sandboxed");
  sandbox_ = *std::move(applied);
  return {};
}

Result<void> Handshake::hear_loaded(std::string_view config_schema, std::string& out) {
  if (std::exchange(loaded_, true)) return fault("broken frame: loaded twice");
  if (sandbox_.layers.empty()) return fault("broken frame: loaded without a sandbox");
  const Result<void> fits = check_settings(plugin_, config_schema, settings_);
  if (!fits) {
    settle(fits.error());
    return fault("its settings do not fit");
  }
  if (state_) write_state(out, *state_);
  state_.reset();
  FrameWriter(out, FrameType::Create, 0);
  return {};
}

}  // namespace host::plugin

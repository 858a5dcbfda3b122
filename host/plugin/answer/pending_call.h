// A PendingCall is a call that a plugin has not answered yet. A PendingCall has the invocation, the
// result so far, and the last progress that was sent to the call's observer. A PendingCall is not
// thread-safe.
//
// MCP clients get partial results as progress notifications, and each progress value must be higher
// than the last. For a partial result, the host sends the last progress value plus a tiny amount.
// If the plugin's progress value increases, but not above the value that the host sent last, the
// host adds a tiny amount too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "plugin/answer/result_builder.h"
#include "plugin/instance/instance.h"
#include "tool/call/invocation.h"

namespace host::plugin {

std::int64_t deadline_ns(SteadyTime deadline);                   // 0: the call has no deadline
std::uint32_t abilities_of(const tool::Invocation& invocation);  // TP_ASK_... bits
// Returns the tool's index in the library's list of tools. Returns 0 if the invocation's function
// belongs to no tool.
std::uint32_t tool_number(const tool::Invocation& invocation);
// Returns the input that the plugin's instance gets: the URI if the call reads a resource, and
// otherwise the arguments as JSON.
std::string_view input_of(const tool::Invocation& invocation);
bool is_nonblocking(const tool::Invocation& invocation);
std::shared_ptr<const tool::Continuation> continuation_of(
    const std::shared_ptr<tool::Invocation>& invocation);  // null: no earlier questions

class PendingCall {
 public:
  PendingCall(std::shared_ptr<tool::Invocation> invocation, std::uint64_t limit)
      : invocation_(std::move(invocation)),
        builder_(invocation_->passport->call, limit, abilities_of(*invocation_)) {
    if (invocation_->function == tool::Function::ReadResource)
      builder_.read_resource(invocation_->name);
    if (tool::is_interception(invocation_->function)) builder_.read_answer();
  }

  tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes);
  tp_status error(std::int32_t code, std::string_view message, std::string_view json_data) {
    return builder_.error(code, message, json_data);
  }
  tp_status ask(std::string_view key, std::string_view method, std::string_view params) {
    return builder_.ask(key, method, params);
  }
  tp_status keep(std::string_view state) { return builder_.keep(state); }
  void progress(double done, double total, std::string_view message);
  bool log(int level, std::string_view logger, std::string_view message,
           std::string_view json_fields);  // false: the call has no log listener
  void finish(tp_status status);
  void fail(Error error) { invocation_->finish(std::move(error)); }

  const std::shared_ptr<tool::Invocation>& invocation() const { return invocation_; }

 private:
  std::shared_ptr<tool::Invocation> invocation_;
  ResultBuilder builder_;
  std::optional<double> shown_;  // the largest figure that the observer got
  std::optional<double> told_;   // the largest figure of the plugin
  double total_ = 0;
};

}  // namespace host::plugin

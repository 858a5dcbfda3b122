// A call sink receives the result blocks, questions, progress and log lines that a plugin sends in
// one call. The call sink of an inline plugin adds the data to the call. The call sink in a worker
// sends the data to the host in frames.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/json.h"
#include "tool/call/passport.h"
#include "tool/definition/question.h"

namespace host::plugin {

// Any thread can call the functions of CallSink. Two threads must not call the sink's functions for
// the same call at the same time. After done(), no thread may call the sink's functions.
class CallSink {
 public:
  virtual ~CallSink() = default;
  virtual tp_status push(std::uint32_t kind, std::string_view mime, std::string_view bytes) = 0;
  virtual tp_status error(std::int32_t code, std::string_view message,
                          std::string_view json_data) = 0;
  virtual tp_status ask(std::string_view key, std::string_view method, std::string_view params) = 0;
  virtual tp_status keep(std::string_view state) = 0;
  virtual void progress(double done, double total, std::string_view message) = 0;
  virtual void log(int level, std::string_view message, std::string_view json_fields) = 0;
  virtual void done(tp_status status) = 0;  // call done() last, exactly once
};

// The data about a call that the plugin may read.
struct CallInfo {
  std::uint64_t number = 0;      // the call's number in messages to the host; 0: no call
  std::int64_t deadline_ns = 0;  // the deadline on CLOCK_MONOTONIC; 0: no deadline
  tool::PassportPtr passport;    // the passport of the call; null only while the call is not open
  std::uint32_t abilities = 0;   // TP_ASK_... bits of the questions that the call's client supports
  std::shared_ptr<const tool::Continuation> continuation;  // null: the call has asked no questions
  std::string_view input = {};                             // valid until CallTable::returned()
  std::shared_ptr<const json::Document> arguments = {};    // null: not parsed yet
};

}  // namespace host::plugin

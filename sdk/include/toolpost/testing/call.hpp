// testing::Call is one call of a plugin under test: its inputs and its results. See
// toolpost/testing.hpp.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/json.hpp"
#include "toolpost/detail/utf8.hpp"
#include "toolpost/ext/ask.h"
#include "toolpost/plugin.h"

namespace toolpost {
namespace testing {

inline std::string text(tp_str from) {
  return from.ptr == nullptr ? std::string() : std::string(from.ptr, from.len);
}
inline tp_str str(std::string_view from) {
  return {from.data(), from.size()};
}

inline bool is_utf8(std::string_view text) {
  return valid_utf8(text) == text.size();
}
inline bool is_json(std::string_view text) {
  if (!is_utf8(text)) return false;
  try {
    detail::Reader in(text, "value");
    in.any();
    in.end();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// A Block is one push of a result. `kind` is one of TP_TEXT to TP_CONTENT, perhaps with TP_MORE or
// TP_PARTIAL.
struct Block {
  std::uint32_t kind;
  std::string mime;
  std::string bytes;
};

struct Question {
  std::string key;
  std::string method;
  std::string params;
};

// A Call contains the inputs of one call, and everything that the plugin pushed. The Call object
// must exist until the call has ended.
class Call {
 public:
  // ---- inputs
  std::map<std::string, std::string> context;  // texts that the host knows, like "principal"
  std::map<std::string, std::string> values;   // texts that were sent with the call, by key
  std::map<std::string, std::string> entries;  // JSON that was sent with the call, by type
  std::uint32_t abilities = 0;  // TP_ASK_... bits of the questions that the client supports
  std::map<std::string, std::string> answers;  // answers to questions, by key, as JSON
  std::string state;                           // the state that the previous round kept
  std::atomic<bool> cancelled{false};          // see also Plugin::cancel()
  std::int64_t deadline_ns = 0;                // CLOCK_MONOTONIC; 0: none
  int busy = 0;                  // number of times that result() returns TP_E_BUSY at first
  std::string arguments;         // JSON; Plugin sets it
  std::deque<std::string> lent;  // texts of the arguments that the plugin has read

  // Prepares an answer: the client supports all kinds of questions, and answers the question `key`
  // with `answer_json`.
  void reply(const std::string& key, std::string answer_json) {
    abilities |= TP_ASK_FORM | TP_ASK_URL | TP_ASK_SAMPLING | TP_ASK_ROOTS;
    prepared_[key] = std::move(answer_json);
  }
  void set_timeout(std::chrono::nanoseconds from_now) {
    deadline_ns = (std::chrono::steady_clock::now().time_since_epoch() + from_now).count();
  }

  // ---- results
  std::vector<Block> blocks;         // blocks of the result, also partial ones, in order
  std::optional<std::string> error;  // the message of error()
  std::int32_t error_code = 0;
  std::string error_data;           // JSON data of error()
  std::vector<double> progress;     // `done` of each progress report
  std::vector<Question> questions;  // questions of this round
  std::string kept;                 // the state that this round keeps for the next one
  tp_status status = TP_OK;         // the status with which the call ended
  int completions = 0;              // number of calls of complete(); more than one is a fault

  bool failed() const { return error || status != TP_OK; }

  // Returns the text blocks of the result, joined by line feeds. If the result has no text blocks,
  // returns the structured content.
  std::string text() const {
    std::string out;
    const Block* json = nullptr;
    bool any = false;
    bool continues = false;  // true: the previous block had the flag TP_MORE
    for (const Block& block : blocks) {
      const std::uint32_t kind = block.kind & TP_KIND_MASK;
      if ((block.kind & TP_PARTIAL) != 0) continue;
      if (kind == TP_JSON) json = &block;
      if (kind != TP_TEXT) continue;
      if (any && !continues) out += '\n';
      out += block.bytes;
      continues = (block.kind & TP_MORE) != 0;
      any = true;
    }
    return !any && json != nullptr ? json->bytes : out;
  }
  // Returns the structured content of the result. The returned text is empty if the result has no
  // structured content.
  std::string structured() const {
    for (const Block& block : blocks) {
      if (block.kind == TP_JSON) return block.bytes;
    }
    return {};
  }
  // Returns the bytes of the result's only block. Throws if the result does not have exactly one
  // block.
  std::string only() const {
    if (blocks.size() != 1)
      throw std::runtime_error("expected one block, got " + std::to_string(blocks.size()));
    return blocks.front().bytes;
  }

  // Waits for the end of a pending call. Throws if the call has not ended after the time `most`.
  void wait_until_complete(std::chrono::milliseconds most = std::chrono::seconds(20)) {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, most, [&] { return completions > 0; }))
      throw std::runtime_error("the call never completed");
  }

  tp_call* handle() { return reinterpret_cast<tp_call*>(this); }
  static Call& of(const tp_call* call) {
    return *reinterpret_cast<Call*>(const_cast<tp_call*>(call));
  }

 private:
  friend class Plugin;
  friend const tp_host_api& host_api();

  // Adds the prepared answers to the questions. Returns false if a question has no prepared answer.
  bool answer_prepared() {
    for (const Question& question : questions) {
      const auto at = prepared_.find(question.key);
      if (at == prepared_.end()) return false;
      answers[question.key] = at->second;
    }
    return !questions.empty();
  }
  void next_round() {
    state = kept;
    kept.clear();
    blocks.clear();
    questions.clear();
    error.reset();
    completions = 0;
  }

  std::map<std::string, std::string> prepared_;
  std::mutex mutex_;  // guards the status and the completions of a pending call
  std::condition_variable ended_;
};

}  // namespace testing
}  // namespace toolpost

// Collects the answers to one JSON-RPC batch (an array of messages) until the last answer has
// arrived. Only protocol version 2025-03-26 has arrays of messages.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "json/json.h"
#include "protocol/json_rpc.h"

namespace host::mcp {

inline constexpr std::size_t kBatchMembers = 100;

// One message of a JSON-RPC batch (an array of messages). Each message has its own JSON tree,
// because a message lives as long as its call. read_batch() returns a Fault if the array as a whole
// cannot be served.
struct BatchMember {
  json::Document tree;
  std::variant<protocol::Message, protocol::Fault> read;

  bool is_request() const;
  // Returns true if the message has a protocol version in `_meta`.
  bool claims_version() const;
};
// Returns true if a message in the array needs an answer.
bool asks_anything(const std::vector<BatchMember>& members);

std::variant<std::vector<BatchMember>, protocol::Fault> read_batch(const json::Value& array,
                                                                   std::size_t id_bytes);

// The functions of Batch are called on the I/O thread. All code that still has to answer a message
// of the array keeps a shared_ptr to the Batch.
class Batch {
 public:
  // The Batch calls `on_done` once, with the array of answers as JSON text, or with an empty text
  // if no message needs an answer. The Batch calls `on_growth`, which can be null, with the size of
  // the answers so far. The size of the first answer in a batch is not limited. An error replaces a
  // further answer that would make the array larger than `most_bytes` bytes, unless the answer is
  // smaller than the error.
  Batch(std::size_t most_bytes, std::function<void(std::string)> on_done,
        std::function<void(std::size_t)> on_growth = nullptr)
      : most_bytes_(most_bytes), on_done_(std::move(on_done)), on_growth_(std::move(on_growth)) {}

  void expect() { ++expected_; }
  // Takes the answer to the expected message `id`. An empty answer text means that the message
  // needs no answer.
  void arrived(std::string_view text, const protocol::Id& id) {
    add(text, id);
    --expected_;
    finish();
  }
  void add(std::string_view text, const protocol::Id& id);
  // Reports that all messages of the batch were counted with expect().
  void seal() {
    sealed_ = true;
    finish();
  }

 private:
  void finish() {
    if (!sealed_ || expected_ > 0) return;
    if (!answers_.empty()) answers_ += ']';
    on_done_(std::move(answers_));
  }

  const std::size_t most_bytes_;
  std::function<void(std::string)> on_done_;
  std::function<void(std::size_t)> on_growth_;
  std::string answers_;
  std::size_t expected_ = 0;
  bool sealed_ = false;
};

}  // namespace host::mcp

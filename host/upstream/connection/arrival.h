// Reads a text from an upstream into JSON-RPC messages. Any thread can call the functions of this
// header.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "protocol/json_rpc.h"

namespace host::upstream {

struct Arrival {
  std::vector<json::Document> messages;  // null: not a message
  std::shared_ptr<const void> reading;   // set for a long message, see Answer
  bool is_batch = false;
  bool is_cut = false;  // true: the batch had more messages
};

// Servers with protocol version 2025-03-26 may send arrays of messages. If an array has more
// than `most` messages, only the first `most` messages are read. The returned Error says why the
// text cannot be read.
Result<Arrival> arrival_of(std::string_view text, double most);

// Returns the id of the request that a text answers, if the host can find the id without parsing
// the text. If the returned id is empty, no request was found.
protocol::Id answered_by(std::string_view text);

}  // namespace host::upstream

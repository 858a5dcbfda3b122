// Reads a text from an upstream into JSON-RPC messages. Any thread can call the functions.
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

// Servers of 2025-03-26 may send several messages at once. An array of more than `most` messages is
// read up to that number. The Error says why the text cannot be read.
Result<Arrival> arrival_of(std::string_view text, double most);

// Returns the id of the request that a text answers, as far as the host can see it without parsing
// the text. If the id is empty, no request was found.
protocol::Id answered_by(std::string_view text);

}  // namespace host::upstream

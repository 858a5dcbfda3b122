// Handles the calls that clients execute: client-supplied and external tools. The executing client
// picks a record up with the client's first heartbeat, and so gets the lease. Further heartbeats
// refresh the lease. The client answers the call with a response or an error, which ends the lease.
// After the client's answer, the call pipeline ends the call's record. If the heartbeats stop, the
// record ends as abandoned. The functions of Leases are called on the I/O thread.
//
// The client that sends the lease's token owns the lease, even if the client's key has changed.
// Only the client that picks the call up gets the token. If no client ever sends the token, the
// lease belongs to the key and the worker name with which the call was picked up. The host cannot
// distinguish two clients that have the same key and no worker name.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "base/clock.h"
#include "json/json.h"
#include "task/records.h"
#include "task/room.h"
#include "tool/definition/tool.h"

namespace host::task {

class Leases {
 public:
  struct Settings {
    std::chrono::milliseconds heartbeat_timeout{std::chrono::seconds(30)};
    std::chrono::milliseconds pickup_timeout{std::chrono::seconds(300)};
    std::chrono::milliseconds keep{std::chrono::hours(24)};  // how long an ended record is kept
  };
  // Finds the tool of a record. Returns null if the tool is not served any more.
  using FindTool = std::function<std::shared_ptr<const tool::Tool>(const tool::Record&)>;
  // `clock`, `records` and `room` must outlive the Leases.
  Leases(const Clock& clock, Records& records, Room& room, Settings settings, FindTool find_tool);

  struct Worker {
    std::string holder;                  // the API key or login of the worker
    std::string worker;                  // the name that the worker gave itself; empty: none
    std::optional<std::uint64_t> token;  // the lease token that the worker sent; nullopt: none
    std::string by;                      // the text for Transition::by, like "rest:anna"
  };
  struct Refused {
    enum class Kind { Conflict, Invalid };
    Kind kind = Kind::Conflict;
    std::string message;
    std::string pointer = {};  // for Kind::Invalid: the JSON Pointer of the wrong member
  };
  using Answer = std::variant<RecordPtr, Refused>;

  // Handles a heartbeat with the state PROCESSING. The first heartbeat with the state PROCESSING
  // picks the record up.
  Answer heartbeat(const RecordPtr& record, const Worker& worker,
                   std::optional<std::uint64_t> client_clock);
  // Handles a heartbeat with the state ERROR. The error that the client sends answers the call, in
  // the same way as a response.
  Answer fail(const RecordPtr& record, const Worker& worker, std::string_view error);
  // Takes a response. `response` is an object with the member `state`: the value of `response` in
  // the HTTP request's body.
  Answer respond(const RecordPtr& record, const Worker& worker, const json::Value& response);

  // The Leases object calls `listener` with each answered record, before the record is stored.
  using OnResponse = std::function<void(const RecordPtr& record)>;
  void on_response(OnResponse listener) { on_response_ = std::move(listener); }

  // A Held object suspends the timeouts of a record while the client's response waits to be
  // checked, because a worker sends no heartbeats after its response. Destroying a Held object
  // starts the timeouts of its record again. The result is a Refused if the host must refuse the
  // worker's response.
  using Held = std::shared_ptr<const void>;
  std::variant<Held, Refused> hold(const RecordPtr& record, const Worker& worker);

  // Sets the function that ends a record after its heartbeat_timeout or pickup_timeout. EndBy gets
  // the code with which the record ends, and a text for the model.
  using EndBy =
      std::function<void(const RecordPtr& record, std::string_view code, const std::string& words)>;
  void end_by(EndBy end) { end_by_ = std::move(end); }

  // Ends records whose heartbeat_timeout or pickup_timeout has passed. Call sweep() several times
  // within each heartbeat_timeout.
  void sweep();

  // Returns false if the record's tool is not served any more.
  bool has_tool(const tool::Record& record) const { return find_tool_(record) != nullptr; }

  WallTime end_of_keep() const { return clock_.wall() + settings_.keep; }

 private:
  Answer take(const RecordPtr& record, const Worker& worker);
  std::optional<Refused> refusal(const tool::Record& record, const Worker& worker) const;
  std::string body_of(const tool::Record& record, const json::Value& response) const;
  std::optional<Refused> shape_fault(const tool::Record& record, const json::Value& response) const;
  Answer answer(const RecordPtr& record, std::string_view code, std::string result,
                const std::string& by);
  void end(const RecordPtr& record, std::string_view code, const std::string& words);

  const Clock& clock_;
  Records& records_;
  Room& room_;
  const Settings settings_;
  const FindTool find_tool_;
  OnResponse on_response_;                    // null: no listener
  EndBy end_by_;                              // null: the Leases object ends the record itself
  std::unordered_set<std::string> by_token_;  // records whose client sent the lease's token
  std::map<std::string, std::size_t> held_;   // number of waiting responses, by record
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace host::task

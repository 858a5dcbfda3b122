// Serves /v1/tools/request and /v1/tools/response, the routes for detached calls. A client makes a
// call in a session and reads the call's record later. A client that executes a call sends its
// heartbeats and its response to the routes of this header.
#pragma once

#include <array>
#include <string>

#include "rest/route/route.h"
#include "task/leases.h"
#include "task/records.h"

namespace host::rest {

class RequestRoutes {
 public:
  explicit RequestRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/tools/request/*", "GET", Scope::Call, &RequestRoutes::list, {}, Takes::Query},
        Route{"/v1/tools/request/*", "POST", Scope::Call, &RequestRoutes::create, {}, Takes::Body},
        Route{"/v1/tools/request/*/*", "GET", Scope::Call, &RequestRoutes::show, Scope::Approve,
              Takes::Query},
        Route{"/v1/tools/request/*/*", "DELETE", Scope::Call, &RequestRoutes::cancel},
        Route{"/v1/tools/request/*/*/heartbeat",
              "POST",
              Scope::Call,
              &RequestRoutes::heartbeat,
              {},
              Takes::Body},
        Route{"/v1/tools/response/*/*", "POST", Scope::Call, &RequestRoutes::respond,
              Scope::Approve, Takes::Body},
    };
  }

 private:
  enum class For { Owner, OwnerOrReviewer };

  awaitable<void> list(const Asked& asked);
  awaitable<void> create(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> cancel(const Asked& asked);
  awaitable<void> heartbeat(const Asked& asked);
  awaitable<void> respond(const Asked& asked);

  // Returns true if the sender may make calls in the session of the record, as the session's agent.
  bool owns(const Asked& asked, const tool::Record& record) const;
  // Returns the record that the path names. Returns null if the record does not exist, and also if
  // this sender is not allowed to see it.
  task::RecordPtr find(const Asked& asked, For whom) const;
  awaitable<void> answer(const Asked& asked, task::Leases::Answer answer, bool refreshes);
  void note_answer(const Asked& asked, const tool::Record& record);
  std::string answered_json(const tool::Record& answered) const;
  awaitable<void> answer_again(const Asked& asked, const task::RecordPtr& record) const;
  void answer_accepted(const Asked& asked, const tool::Record& record) const;
  awaitable<void> answer_record(const Asked& asked, std::string id);

  const Services& services_;
};

}  // namespace host::rest

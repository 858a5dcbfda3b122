// The answers of the host's services. A function that uses a service either waits for the answer,
// or passes the answer to an OnAnswer later (ext/reply.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/error.hpp"
#include "toolpost/ext/reply.h"

namespace toolpost {
inline namespace v1 {

struct ServiceAnswer {
  tp_status status = TP_OK;
  std::uint64_t number = 0;
  std::string json = {};
  std::string bytes = {};  // after a failure: the reason
};

// An OnAnswer receives an answer on the instance's callback thread. An OnAnswer must be fast, and
// must not wait for another answer.
using OnAnswer = std::function<void(ServiceAnswer)>;

// ServiceError is thrown if a service of the host failed. The model reads the reason of the
// ServiceError.
class ServiceError : public Error {
 public:
  ServiceError(tp_status status, const std::string& why);
  tp_status status() const noexcept { return status_; }

 private:
  tp_status status_;
};

namespace detail {

using Ask = FunctionRef<tp_status(const tp_reply* reply)>;

// Sends a request to the host and waits for the answer. Each request gets exactly one answer.
ServiceAnswer wait_for(Ask ask);
// Waits like wait_for(), and throws Cancelled or ServiceError if the answer's status is not TP_OK.
ServiceAnswer wait_for_good(Ask ask);
// Returns the answer if its status is TP_OK. For any status other than TP_OK, good() throws
// Cancelled or ServiceError.
ServiceAnswer good(ServiceAnswer answer);
// Sends a request. answer_later() calls `then` exactly once. If the host refused the request,
// answer_later() calls `then` immediately, and otherwise later.
void answer_later(Ask ask, OnAnswer then);

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/reply.ipp"
#endif

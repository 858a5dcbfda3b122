// The bodies of reply.hpp.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "toolpost/detail/reply.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE ServiceError::ServiceError(tp_status status, const std::string& why)
    : Error(why), status_(status) {}

namespace detail {

TOOLPOST_INLINE std::string words_for(tp_status status) {
  switch (status) {
    case TP_E_INVALID:
      return "the host did not understand the request";
    case TP_E_UNSUPPORTED:
      return "the host does not offer this service";
    case TP_E_NOMEM:
      return "the request is too large";
    case TP_E_BUSY:
      return "the host takes no request now";
    case TP_E_WOULD_WAIT:
      return "this thread may not wait for an answer: use the form with a function";
    default:
      return "the host refused the request with status " + std::to_string(status);
  }
}

TOOLPOST_INLINE ServiceAnswer read_answer(const tp_answer& answer) {
  const auto text = [](tp_str bytes) {
    return bytes.ptr == nullptr ? std::string() : std::string(bytes.ptr, bytes.len);
  };
  return {answer.status, answer.number, text(answer.json), text(answer.bytes)};
}

TOOLPOST_INLINE ServiceAnswer refused(tp_status status) {
  return {status, 0, {}, words_for(status)};
}

// A Waiter is on the stack of the waiting thread.
class Waiter {
 public:
  static void done(void* self, const tp_answer* answer) noexcept {
    auto& waiter = *static_cast<Waiter*>(self);
    const std::lock_guard lock(
        waiter.mutex_);  // locked, because wait() destroys the Waiter after the notification
    try {
      waiter.answer_ = read_answer(*answer);
    } catch (...) {
      waiter.answer_ = {TP_E_NOMEM, 0, {}, {}};
    }
    waiter.here_ = true;
    waiter.wake_.notify_one();
  }

  ServiceAnswer wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return here_; });
    return std::move(answer_);
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  ServiceAnswer answer_;
  bool here_ = false;
};

TOOLPOST_INLINE ServiceAnswer wait_for(Ask ask) {
  Waiter waiter;
  const tp_reply reply = {sizeof(tp_reply), TP_REPLY_WAITS, &waiter, &Waiter::done};
  const tp_status status = ask(&reply);
  return status == TP_OK ? waiter.wait() : refused(status);
}

TOOLPOST_INLINE ServiceAnswer wait_for_good(Ask ask) {
  return good(wait_for(ask));
}

TOOLPOST_INLINE ServiceAnswer good(ServiceAnswer answer) {
  if (answer.status == TP_E_CANCELLED) throw Cancelled();
  if (answer.status != TP_OK) throw ServiceError(answer.status, answer.bytes);
  return answer;
}

TOOLPOST_INLINE void hand_over(void* kept, const tp_answer* answer) noexcept {
  const std::unique_ptr<OnAnswer> then(static_cast<OnAnswer*>(kept));
  try {
    (*then)(read_answer(*answer));
  } catch (...) {  // no caller can get the exception
  }
}

TOOLPOST_INLINE void answer_later(Ask ask, OnAnswer then) {
  auto kept = std::make_unique<OnAnswer>(std::move(then));
  const tp_reply reply = {sizeof(tp_reply), 0, kept.get(), &hand_over};
  const tp_status status = ask(&reply);
  OnAnswer* const mine = kept.release();
  if (status == TP_OK) return;  // the host calls hand_over(), which deletes the object
  const std::unique_ptr<OnAnswer> again(mine);
  (*again)(refused(status));
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost

// The end of an upstream: with the host, or because its settings changed while the host goes on.
// And the end of its earlier connections, whose session the upstream has forgotten.
#include <boost/asio/post.hpp>

#include <utility>

#include "upstream/manager/upstream.h"

namespace host::upstream {
namespace {

// How long the end waits for the answers to tasks/cancel.
constexpr std::chrono::seconds kTasksEnd{2};

}  // namespace

void Upstream::stop(std::function<void()> done) {
  end("the host stops", std::move(done));
}

void Upstream::end(const std::string& why, std::function<void()> done) {
  pause_.cancel();
  drain_.cancel();
  if (env_.login) {
    env_.login->stop(why);
    done = [login = env_.login, done = std::move(done)] { login->when_idle(done); };
  }
  *stops_ = true;
  end_reason_ = why;
  ended_calls_->set_reason(why);
  set_state(State::Stopped);
  calls_->fail_waiting(why);
  calls_->fail_tasks(why);
  end_left(why);
  const bool is_connected = connection_ != nullptr;
  if (is_connected) {
    on_stopped_ = std::move(done);
    cancel_tasks_and_close();
  }
  calls_->abandon_all();
  tell_waiters(Error{ErrorKind::Unavailable, why});
  if (!is_connected) done();
}

// Its tasks would go on without a client. Its other calls have nothing to wait for.
void Upstream::cancel_tasks_and_close() {
  const auto close = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || !self->connection_) return;
    self->drain_.cancel();
    self->calls_->forget_tasks();
    if (self->connection_) self->connection_->close(self->end_reason_);
  };
  drain_.expires_after(kTasksEnd);
  drain_.async_wait([close](boost::system::error_code error) {
    if (!error) close();
  });
  calls_->end_running(*connection_, end_reason_, close);
}

void Upstream::retire(std::string why, std::chrono::milliseconds drain,
                      std::function<void()> done) {
  if (state_ == State::Stopped) return done();
  retired_ = std::move(why);
  last_error_ = retired_;
  on_stopped_ = std::move(done);
  idle_.cancel();
  refresh_pause_.cancel();
  drain_.expires_after(drain);
  drain_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->end_retirement();
  });
  offering_->store_no_more();
  calls_->retire(retired_);
  end_retirement_if_idle();
}

// became_idle() and the end of the drain bring it here again.
void Upstream::end_retirement_if_idle() {
  const bool is_connected = state_ == State::Ready || !leaving_.empty();
  if (!is_connected || calls_->running() == 0) end_retirement();
}

// Posted: a call that ends, or the connection, is in the middle of telling it.
void Upstream::end_retirement() {
  boost::asio::post(env_.io, [self = shared_from_this()] {
    if (self->state_ != State::Stopped)
      self->end(self->retired_, std::exchange(self->on_stopped_, nullptr));
  });
}

// The next connection serves new calls, while this one waits for the answers to earlier calls.
void Upstream::left(const Error& why) {
  calls_->left(*connection_, why);
  ended(why, true);
}

void Upstream::forget_left(std::uint64_t start) {
  const auto found = leaving_.find(start);
  if (found == leaving_.end()) return;
  boost::asio::post(env_.io, [gone = std::move(found->second)] {});
  leaving_.erase(found);
}

void Upstream::end_left(const std::string& why) {
  for (const auto& [start, connection] : std::exchange(leaving_, {})) {
    connection->end_now({ErrorKind::Unavailable, why});
    boost::asio::post(env_.io, [gone = connection] {});
  }
}

void Upstream::release() {
  is_held_ = false;
  if (std::exchange(is_wanted_, false) && state_ == State::Starting) connect();
}

}  // namespace host::upstream

#include "transport/http/pipeline_turns.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace host::transport {
namespace {

constexpr int kATurn = 4;  // requests; each may list all tools

}  // namespace

void PipelineTurns::wait(std::function<void()> go) {
  waiting_.push_back(std::move(go));
  run_later();
}

void PipelineTurns::run_later() {
  if (waiting_.empty() || std::exchange(posted_, true)) return;
  boost::asio::post(io_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->run();
  });
}

void PipelineTurns::run() {
  posted_ = false;
  for (int i = 0; i < kATurn && !waiting_.empty(); ++i) {
    const std::function<void()> go = std::move(waiting_.front());
    waiting_.pop_front();
    go();
  }
  run_later();
}

}  // namespace host::transport

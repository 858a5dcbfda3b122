#include "base/job_batch.h"

#include <utility>

namespace host {

void JobBatch::run(std::function<bool()> step, std::function<void()> done) {
  if (!gathered_) return jobs_->run(std::move(step), std::move(done));
  gathered_->push_back({std::move(step), std::move(done)});
}

void JobBatch::gather(const std::function<void()>& begin) {
  const auto parts = std::make_shared<Parts>();
  const auto before = std::exchange(gathered_, parts);
  const std::shared_ptr<void> end(nullptr, [this, before](void*) {  // also after an exception
    gathered_ = before;
  });
  begin();
  if (!parts->empty()) start(parts);
}

// As with single jobs, the thread turns to its other jobs after each step, and what `done` refers
// to is released on the I/O thread.
void JobBatch::start(std::shared_ptr<Parts> parts) {
  auto step = [parts, at = std::size_t{0}]() mutable {
    if (!(*parts)[at].step()) ++at;
    return at < parts->size();
  };
  jobs_->run(std::move(step), [self = shared_from_this(), parts] {
    self->gather([&parts] {
      for (Part& part : *parts) std::exchange(part.done, nullptr)();
    });
  });
}

}  // namespace host

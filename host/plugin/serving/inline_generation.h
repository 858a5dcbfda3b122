// A build inside the host's own process: the fastest calls, and code as trusted as the host's. What
// it breaks, it breaks here.
//
// Tools that say NONBLOCKING run right on the I/O thread; all others on the pool, or on a thread of
// the instance's own where it is serial.
#pragma once

#include <memory>

#include "plugin/serving/generation.h"

namespace host::plugin {

class InlineGeneration final : public Generation {
 public:
  // The library in memory with its instance. Blocking: runs plugin code. `state`: of the build
  // before; null: it begins fresh.
  class Core;
  static Result<std::shared_ptr<Core>> load(std::shared_ptr<Surroundings> around,
                                            const Build& build,
                                            std::shared_ptr<const SavedState> state);

  InlineGeneration(std::shared_ptr<Surroundings> around, Build build, std::shared_ptr<Core> core);
  ~InlineGeneration() override;

  void save_state(Saved told) override;
  NewsInbox& news() override;
  void heard_news() override;

 private:
  void begin(std::shared_ptr<tool::Invocation> invocation) override;
  void stop(const std::shared_ptr<tool::Invocation>& invocation) override;
  bool idle() const override;

  std::shared_ptr<Core> core_;
  boost::asio::any_io_executor calls_;  // the pool, or the instance's own thread
};

}  // namespace host::plugin

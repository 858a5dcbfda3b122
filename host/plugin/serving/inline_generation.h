// An inline generation is a build of a plugin that runs inside the host's own process. Inline calls
// are faster than calls to a worker. However, a crash of an inline plugin ends the host, so the
// operator must trust the plugin's code as much as the host.
//
// Tools with the flag TP_TOOL_NONBLOCKING and interceptors with the flag TP_INTERCEPTOR_NONBLOCKING
// run on the I/O thread. All other tools run on the thread pool, or on the instance's own thread if
// the plugin is serial.
#pragma once

#include <memory>

#include "plugin/serving/generation.h"

namespace host::plugin {

class InlineGeneration final : public Generation {
 public:
  // The loaded library with its instance. load() blocks, because it runs plugin code. `state` is
  // the state of the previous build. If `state` is null, the instance starts without state.
  class Core;
  static Result<std::shared_ptr<Core>> load(std::shared_ptr<Surroundings> around,
                                            const Build& build,
                                            std::shared_ptr<const SavedState> state);

  InlineGeneration(std::shared_ptr<Surroundings> around, Build build, std::shared_ptr<Core> core);
  ~InlineGeneration() override;

  NewsInbox& news() override;
  void heard_news() override;

 private:
  void begin(std::shared_ptr<tool::Invocation> invocation) override;
  tool::AtOnce begin_at_once(tool::AtOnceCall& call) override;
  void stop(const std::shared_ptr<tool::Invocation>& invocation) override;
  bool idle() const override;
  void ask_for_state(Saved told) override;
  void end_instance() override;

  std::shared_ptr<Core> core_;
  boost::asio::any_io_executor calls_;  // executor of calls: the pool, or the instance's own thread
};

}  // namespace host::plugin

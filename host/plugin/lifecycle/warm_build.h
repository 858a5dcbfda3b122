// The build that served before the present one, for as long as it may be brought back: its copy of
// the file is held, not a worker, for one is up in milliseconds and one that waits would cost its
// memory. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "plugin/serving/generation.h"

namespace host::plugin {

class WarmBuild {
 public:
  struct Kept {
    Build build;
    std::string manifest;  // as its library wrote it
    CallTally tally;       // of its calls
  };

  explicit WarmBuild(const boost::asio::any_io_executor& io)
      : kept_(std::make_shared<std::optional<Kept>>()), until_(io) {}

  void keep(Kept before, std::chrono::milliseconds window);
  explicit operator bool() const { return kept_->has_value(); }
  const Kept& kept() const { return **kept_; }  // where there is one, as take()
  Kept take();
  void drop();

 private:
  std::shared_ptr<std::optional<Kept>> kept_;
  boost::asio::steady_timer until_;
};

}  // namespace host::plugin

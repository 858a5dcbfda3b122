// A warm build is the previous build of a plugin, which is kept while a rollback to it is possible.
// The host keeps only the private copy of a warm build's file. The host keeps no worker of a warm
// build, because a worker starts within milliseconds, and an idle worker would use memory. The
// functions of this header are called on the I/O thread.
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
    std::string manifest;  // the library's manifest, JSON text
    CallTally tally;       // counts the build's calls
  };

  explicit WarmBuild(const boost::asio::any_io_executor& io)
      : kept_(std::make_shared<std::optional<Kept>>()), until_(io) {}

  void keep(Kept before, std::chrono::milliseconds window);
  explicit operator bool() const { return kept_->has_value(); }
  const Kept& kept() const { return **kept_; }  // kept() and take() need a kept build
  Kept take();
  void drop();

 private:
  std::shared_ptr<std::optional<Kept>> kept_;
  boost::asio::steady_timer until_;
};

}  // namespace host::plugin

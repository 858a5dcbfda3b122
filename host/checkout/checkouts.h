// Manages all Git repositories of skills in the configuration ([[skill_repository]]). Call the
// functions of this header on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "checkout/checkout.h"
#include "config/config.h"
#include "skill/repository.h"
#include "store/desk.h"

namespace host::checkout {

class Checkouts {
 public:
  // The struct Made contains the configured repositories, for skill::Repositories. The constructor
  // needs `pinned`.
  struct Made {
    std::vector<std::unique_ptr<skill::SkillRepository>> repositories;
    std::vector<skill::PinnedRepository*> pinned;  // those of `repositories`, in the same order
  };
  static Made make(const std::vector<config::SkillRepository>& settings);

  // `pinned` is the list that make() has returned. The repositories in `pinned` must outlive the
  // Checkouts. `desk` is null if there is no store.
  Checkouts(boost::asio::any_io_executor io, const config::Config& config,
            const std::vector<skill::PinnedRepository*>& pinned, std::shared_ptr<store::Desk> desk,
            const std::filesystem::path& keeper,
            std::function<void(const std::string& source)> on_served,
            decltype(Checkout::Surroundings::on_own_pull) on_own_pull);

  // start() returns when the host serves the accepted skills, and does not wait for the first pull.
  boost::asio::awaitable<void> start(Pulls pulls);
  boost::asio::awaitable<void> stop();

  bool empty() const { return all_.empty(); }
  std::vector<Status> status() const;

  // The Error NotFound means that no repository has this name.
  Result<std::shared_ptr<Checkout>> find(const std::string& name) const;

 private:
  std::vector<std::shared_ptr<Checkout>> all_;
};

}  // namespace host::checkout

// Publishes builds that changed together in one step. So clients get one notification and never see
// only some of the builds.
//
// Each build has a Place in the batch. It calls gather() when it is ready except for the hand-over
// of state, and publish() when it is ready. It waits for the other builds before the hand-over,
// because calls are queued during a hand-over. A refused build leaves the batch. A build that is
// not ready within the batch's patience is published alone. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plugin/declared/policy.h"
#include "tool/provider/catalog.h"

namespace host::plugin {

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  // Makes a plugin's offer at the moment of publication, because names may have been taken since
  // the build was made. No code is awaited between the offer and the publication.
  struct Candidate {
    std::function<Result<std::shared_ptr<tool::Provider>>(const Taken& taken)> offer;
    std::function<void(std::vector<tool::Refusal>)> published;
  };

  class Place {
   public:
    Place(std::shared_ptr<Batch> batch, std::string plugin);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // The build is ready except for the hand-over. Returns when all builds are, or when the
    // patience has passed. A second call returns at once.
    boost::asio::awaitable<void> gather();
    // The build is ready. Returns when it is published, or with the Error of its offer(). After an
    // Error it can be published again, alone.
    boost::asio::awaitable<Result<void>> publish(Candidate candidate);

   private:
    friend class Batch;
    enum class At { Way, Gathered, Ready, Done };

    boost::asio::awaitable<void> wait_while(At at);
    void come_to(At at);

    const std::shared_ptr<Batch> batch_;
    const std::string plugin_;
    At at_ = At::Way;
    bool late_ = false;
    Candidate candidate_;
    Result<void> outcome_;
    boost::asio::steady_timer wake_;
  };

  // Make all places before the first gather().
  Batch(boost::asio::any_io_executor io, tool::Catalog& catalog,
        std::chrono::milliseconds patience);

 private:
  using At = Place::At;

  void look();
  void open();
  void publish_all();
  void publish(const std::vector<Place*>& places);
  void arm_patience();
  void leave_late_behind();
  Taken taken_for(const std::vector<Place*>& places,
                  const std::vector<tool::Catalog::Change>& before) const;

  const boost::asio::any_io_executor io_;
  tool::Catalog& catalog_;
  const std::chrono::milliseconds patience_;
  std::vector<Place*> places_;  // places that the batch waits for
  bool open_ = false;           // all builds have gathered
  bool waits_ = false;          // the timer is running
  boost::asio::steady_timer timer_;
};

}  // namespace host::plugin

// A batch publishes new builds of several plugins together, in one step. So clients get one
// notification, and see either none of the new builds or all of them.
//
// Each build of the batch uses a separate Place object. The code that loads a build calls gather()
// before the hand-over of state, and publish() after the hand-over. gather() waits for the batch's
// other builds, so that all builds hand over their state at the same time. Calls wait in a queue
// during a hand-over. If a build is refused, it leaves the batch. If a build is not ready within
// the batch's `patience`, the batch publishes the other builds without it. The batch publishes a
// late build separately, as soon as it is ready. The functions of this header are called on the I/O
// thread.
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
  // If `patience` is kNoEnd, the batch waits for all its builds.
  static constexpr std::chrono::milliseconds kNoEnd = std::chrono::milliseconds::max();

  // A candidate is a build to publish. `offer` makes the list of the build's tools at the moment of
  // publication, because other providers can have taken names since the build was made. There must
  // be no co_await between `offer` and the publication, so that no other provider takes a name.
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

    // Call gather() when the build is ready except for the hand-over of state. The function
    // gather() returns when all builds of the batch have called gather(), or when the batch's
    // `patience` has passed.
    boost::asio::awaitable<void> gather();
    // Call publish() when the build is ready. The function publish() returns when the build is
    // published, or with the Error of `candidate.offer`. After an Error, publish() can be called
    // again, and then publishes this build alone.
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

  // All Places of a batch must exist before the first call of Place::gather().
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
  std::vector<Place*> places_;  // Places whose builds the batch has not published yet
  bool open_ = false;           // all builds of the batch have called gather()
  bool waits_ = false;          // the timer is running
  boost::asio::steady_timer timer_;
};

}  // namespace host::plugin

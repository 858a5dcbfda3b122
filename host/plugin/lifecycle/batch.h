// Builds that one change of the folders brought, on their way into the catalog: they show in one
// publication, so that peers hear of them once and see no half of them.
//
// Each has a place and comes to it twice: when it is ready but for a hand-over of state (calls are
// held during that, so it waits for the others first), and when it is ready. Whoever is refused
// leaves; whoever takes longer than the patience is left behind, and comes into the catalog by
// itself. I/O thread only.
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
#include "tool/catalog.h"

namespace host::plugin {

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  // What a plugin offers, at the moment of publication: names may have been taken since it was
  // made. Nothing is waited for between the two.
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

    // Ready but for the hand-over. Returns when all are, or nobody waits any longer. Again: at
    // once.
    boost::asio::awaitable<void> gather();
    // Ready. Returns when it was published, or with the Error of its offer(): then it may try
    // again, by itself.
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

  // Places are taken before the first comes to one.
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
  std::vector<Place*> places_;  // that are waited for
  bool open_ = false;           // all have gathered
  bool waits_ = false;          // the timer runs
  boost::asio::steady_timer timer_;
};

}  // namespace host::plugin

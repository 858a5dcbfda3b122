// When and how a Lifecycle goes back to the build before.
#include <utility>

#include "base/log.h"
#include "base/process/spawn.h"
#include "plugin/lifecycle/lifecycle.h"

namespace host::plugin {
namespace asio = boost::asio;

// Where a newer build is being looked at, that one decides; else the next crash or fault asks
// again.
bool Lifecycle::may_roll_back(const std::shared_ptr<Generation>& from) const {
  if (from != serving_ || !before_ || loading_ || loader_->stopping) return false;
  return !before_.kept().build.record->quarantined();  // its calls would only fail
}

void Lifecycle::crashed(const std::shared_ptr<Generation>& generation) {
  if (!may_roll_back(generation)) return;
  begin_roll_back(generation, Loses::State,
                  "its worker " + generation->build().record->last_crash());
}

void Lifecycle::failed_a_call(const std::shared_ptr<Generation>& generation) {
  if (!may_roll_back(generation)) return;
  const CallTally tally = generation->tally();
  const CallTally& before = before_.kept().tally;
  const std::uint32_t least = loader_->options.plugins.supervision.rollback_faults;
  if (!tally.far_worse_than(before, least)) return;
  const auto share = [](const CallTally& of) {
    return std::to_string(of.faults()) + " of " + std::to_string(of.calls());
  };
  begin_roll_back(generation, Loses::Nothing,
                  share(tally) + " calls failed by its own fault, and " + share(before) +
                      " of the build before");
}

void Lifecycle::begin_roll_back(std::shared_ptr<Generation> bad, Loses lost, std::string why) {
  loading_ = true;
  spawn(loader_->around->io, {"plugin", "brings a build back"},
        roll_back(std::move(bad), lost, std::move(why)),
        [self = shared_from_this()](const Result<void>& ended) {
          if (!ended) self->broke_off(ended.error());
        });
}

asio::awaitable<void> Lifecycle::roll_back(std::shared_ptr<Generation> bad, Loses lost,
                                           std::string why) {
  const auto self = shared_from_this();
  WarmBuild::Kept before = before_.take();
  const std::uint32_t number = before.build.number;
  const auto place = place_alone();
  Result<void> outcome;
  if (lost == Loses::State) {
    outcome = co_await serve(std::move(before.build), std::move(before.manifest), nullptr, *place);
  } else {
    outcome = co_await take_over(std::move(before.build), std::move(before.manifest), *place);
  }
  Reload reload;
  reload.generation = bad->build().number;
  reload.hash = bad->build().staged->hash;
  if (outcome) {
    rolled_back_hash_ = reload.hash;
    rolled_back_why_ = "generation " + std::to_string(reload.generation) + " was rolled back, " +
                       why + ": it is tried again when the file changes";
    state_ = State::Rejected;
    last_error_ = rolled_back_why_;
    loader_->around->metrics->build_tried(name_, "rolled_back");
    reload.reason = last_error_;
    log::warning("plugin", last_error_,
                 {{"plugin", name_}, {"serving", "generation " + std::to_string(number)}});
    loader_->around->tell_setback(
        name_, last_error_ + "; generation " + std::to_string(number) + " serves");
  } else if (!present()) {
    state_ = State::Absent;
  } else {
    state_ = State::Active;
    last_error_ = "the build before cannot be brought back: " + outcome.error().message;
    log::error("plugin", last_error_, {{"plugin", name_}});
  }
  remember(std::move(reload));
  loading_ = false;
  if (again_ && !loader_->stopping) co_await load(nullptr);
}

}  // namespace host::plugin

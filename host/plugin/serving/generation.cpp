#include "plugin/serving/generation.h"

#include <algorithm>
#include <utility>

#include "tool/call/intercepts.h"

namespace host::plugin {
namespace {

tool::ProviderIdentity identity_of(const Build& build) {
  return {tool::ProviderIdentity::Kind::Plugin, build.plugin, build.source.string(),
          build.staged ? "sha256:" + build.staged->hash : std::string()};
}

bool is_external(const tool::Invocation& invocation) {
  return invocation.function == tool::Function::Call && invocation.tool &&
         invocation.tool->declared().external;
}

using Tools = std::vector<std::shared_ptr<const tool::Tool>>;

// True if a running call of one of these tools may be waiting for the invocation. The tool of a
// call may be a copy, with a preset: it has the same name.
bool is_below(const Tools& tools, const tool::Invocation& invocation) {
  if (!invocation.passport) return false;
  for (const tool::Caller* above = invocation.passport->caller.get(); above;
       above = above->passport->caller.get()) {
    const auto is_it = [&](const auto& one) { return one->name() == above->tool->name(); };
    if (above->tool && std::any_of(tools.begin(), tools.end(), is_it)) return true;
  }
  return false;
}

}  // namespace

Generation::Generation(std::shared_ptr<Surroundings> around, Build build)
    : around_(std::move(around)), build_(std::move(build)), identity_(identity_of(build_)) {}

Generation::~Generation() = default;

void Generation::start(std::shared_ptr<tool::Invocation> invocation) {
  if (is_external(*invocation)) {
    if (around_->callers) return around_->callers->hand_over(std::move(invocation));
    invocation->refuse(
        Error{ErrorKind::Unavailable, "this host has no callers that execute external tools"});
    return;
  }
  if (heir_) return pass_on(std::move(invocation));
  if (!must_be_held(*invocation)) return begin(std::move(invocation));
  if (held_.size() < kMostHeld) return held_.push_back(std::move(invocation));
  invocation->refuse(Error{ErrorKind::Unavailable, "plugin \"" + build_.plugin +
                                                       "\" is being replaced, and too many " +
                                                       "calls wait for that: try again"});
}

bool Generation::must_be_held(const tool::Invocation& invocation) const {
  return holds_ && !(is_below(all_tools_, invocation) && busy());
}

void Generation::save_state(Saved told) {
  if (std::exchange(*saving_, true)) {
    return told(Error{ErrorKind::DeadlineExceeded,
                      "the save() of an earlier hand-over has not ended: try again later"});
  }
  ask_for_state([saving = saving_, told = std::move(told)](Result<SavedState> state) {
    *saving = false;
    told(std::move(state));
  });
}

// While calls are held, start() decides.
tool::AtOnce Generation::run_at_once(tool::AtOnceCall& call) {
  if (heir_) {
    const bool as_asked =
        !heir_lacks(call.function) && !heir_lacks_arguments(call.function, call.input);
    return as_asked ? heir_->run_at_once(call) : tool::AtOnce::No;
  }
  return holds_ ? tool::AtOnce::No : begin_at_once(call);
}

void Generation::cancel(const std::shared_ptr<tool::Invocation>& invocation) {
  if (is_external(*invocation)) {
    if (around_->callers) around_->callers->take_back(invocation);
    return;
  }
  const auto at = std::find(held_.begin(), held_.end(), invocation);
  if (at != held_.end()) {
    held_.erase(at);
    invocation->refuse(Error{ErrorKind::Cancelled, "cancelled before it began"});
    return;
  }
  stop(invocation);
  if (heir_) heir_->cancel(invocation);
}

void Generation::release_calls() {
  holds_ = false;
  for (auto& invocation : std::exchange(held_, {})) start(std::move(invocation));
}

void Generation::release_calls_to(std::shared_ptr<Generation> next) {
  heir_ = std::move(next);
  release_calls();
}

bool Generation::end_if_unused() {
  if (busy() || *saving_) return false;
  end_instance();
  return true;
}

void Generation::pass_on(std::shared_ptr<tool::Invocation> invocation) {
  if (invocation->tool) {
    const auto is_it = [&](const auto& tool) { return tool->name() == invocation->tool->name(); };
    const auto& tools = heir_->tools();
    const auto at = std::find_if(tools.begin(), tools.end(), is_it);
    if (auto why = not_for_heir(*invocation, at == tools.end() ? nullptr : at->get())) {
      invocation->refuse(*std::move(why));
      return;
    }
    invocation->tool = *at;
  } else if (heir_lacks(invocation->function)) {
    invocation->finish(tool::CallResult());  // the function that is no more changes nothing
    return;
  } else if (heir_lacks_arguments(invocation->function, invocation->arguments)) {
    invocation->refuse(Error{ErrorKind::Unavailable,
                             "the plugin was replaced by a build that reads the call's arguments, "
                             "which this call does not have"});
    return;
  }
  if (tool::is_interception(invocation->function))
    invocation->nonblocking = heir_->offer().intercepts.nonblocking;
  heir_->start(std::move(invocation));
}

// A build without any function of an interceptor has not left one out: its calls fail.
bool Generation::heir_lacks(tool::Function function) const {
  const tool::Intercepts& offered = heir_->offer().intercepts;
  return tool::is_interception(function) && offered.any() && !tool::has(offered, function);
}

// A call gets its arguments as this build's interceptor declares it.
bool Generation::heir_lacks_arguments(tool::Function function, std::string_view arguments) const {
  const bool reads =
      function == tool::Function::BeforeCall || function == tool::Function::EnterCall;
  return reads && arguments.empty() && !heir_->offer().intercepts.no_arguments;
}

// What was decided about the call was decided about this build: a yes is for its bytes, every other
// decision for what its tool said of itself.
std::optional<Error> Generation::not_for_heir(const tool::Invocation& invocation,
                                              const tool::Tool* tool) const {
  const std::string named = "\"" + invocation.tool->name() + "\"";
  if (tool == nullptr) {
    return Error{ErrorKind::Unavailable,
                 "the plugin was replaced, and has no " + named + " any more"};
  }
  if (invocation.approved && heir_->identity().build != identity_.build) {
    return Error{ErrorKind::Unavailable,
                 "the plugin was replaced after this call of " + named +
                     " was approved. It did not run. Call again: it is asked about anew"};
  }
  if (tool->digest() != invocation.tool->source_digest()) {
    return Error{ErrorKind::Unavailable, "the plugin was replaced by a build that declares " +
                                             named +
                                             " otherwise. The call did not run. Call again"};
  }
  return std::nullopt;
}

void Generation::set_tools(std::vector<std::shared_ptr<const tool::Tool>> tools) {
  all_tools_ = std::move(tools);
  pick_tools();
}

bool Generation::offer_tools(const News& news) {
  const std::set<std::uint32_t> before = withdrawn_;
  if (news.restarted) withdrawn_.clear();
  for (const auto& [tool, on] : news.tools) {
    if (on) {
      withdrawn_.erase(tool);
    } else if (tool < build_.manifest.tools.size()) {  // a worker may say anything
      withdrawn_.insert(tool);
    }
  }
  if (withdrawn_ == before) return false;
  pick_tools();
  return true;
}

void Generation::pick_tools() {
  tools_.clear();
  for (const auto& tool : all_tools_) {
    if (!withdrawn_.contains(tool->index())) tools_.push_back(tool);
  }
}

}  // namespace host::plugin

#include "cli/access/plugin_orders.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "app/orders/upstream_orders.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/process/process.h"
#include "cli/output/noted.h"

namespace host::cli {
namespace {

using store::HostRecord;
using store::OrderState;
using store::PluginOrder;

// A shell or a debugger can stop a process for a moment.
constexpr std::chrono::seconds kMomentStopped{2};
constexpr std::chrono::milliseconds kLookEvery{50};

bool runs(const HostRecord& host) {
  return !has_ended(static_cast<pid_t>(host.pid), host.process);
}

// Whether the host had not begun with it, so that it never will.
bool withdraw(store::HostStore& hosts, const PluginOrder& order) {
  const auto withdrawn = hosts.withdraw(order.id);
  return withdrawn && *withdrawn;
}

Error unanswered(ErrorKind kind, const std::string& why, bool undone) {
  return Error{kind, why + ": " +
                         (undone ? "nothing was done there"
                                 : "the host may be at work on it; the audit shows how that ends")};
}

// A host that is seen to run keeps its entry, so that later commands name it too. If its process
// cannot be seen, it may have been killed; a host that is removed adds itself again.
Result<void> forget_unseen(store::HostStore& hosts, const HostRecord& host) {
  if (mark_of_process(static_cast<pid_t>(host.pid)) == host.process) return {};
  return hosts.remove(host.id);
}

Result<std::string> outcome_of(const PluginOrder& order) {
  if (order.state == OrderState::Done) return order.answer;
  switch (order.state) {
    case OrderState::NotFound:
      return Error{ErrorKind::NotFound, order.answer};
    case OrderState::NotNeeded:
      return Error{ErrorKind::InvalidArgument, order.answer};
    default:
      return Error{ErrorKind::PluginFault, order.answer};
  }
}

bool is_answered(const PluginOrder& order) {
  return order.state != OrderState::Given && order.state != OrderState::Taken;
}

std::string seconds_in(std::chrono::seconds time) {
  return std::to_string(time.count()) + " s";
}

// One order for each of several hosts.
class Orders {
 public:
  struct Given {
    PluginOrder order;
    SteadyTime take_by;
    bool was_ignored = false;  // see HostAnswer
  };

  Orders(store::Store& store, const Patience& patience)
      : pins_(store.pins()),
        hosts_(store.hosts()),
        patience_(patience),
        end_(begun_ + patience.to_answer) {}

  Result<Given> give(const HostRecord& host, const std::string& action, const std::string& about) {
    PluginOrder order;
    order.id = random_id();
    order.host = host.id;
    order.action = action;
    order.plugin = about;
    order.given_by = who_answers();
    order.created = system_clock().wall();
    order.take_by = order.created + patience_.to_take;
    if (action == app::kUpstreamAccept) {
      HOST_TRY_ASSIGN(order.created, app::time_of_acceptance(pins_, about, order.created));
    }
    HOST_TRY(hosts_.give(order));  // can wait for the store
    return Given{std::move(order), steady_now() + patience_.to_take, false};
  }

  // Returns nullopt while the host can still answer in time.
  std::optional<Result<std::string>> answer_to(Given& given, const HostRecord& host) {
    const PluginOrder& order = given.order;
    const auto found = hosts_.find(order.id);
    if (!found)
      return unanswered(found.error().kind, found.error().message, withdraw(hosts_, order));
    const std::optional<PluginOrder>& now = *found;
    if (now && is_answered(*now)) {
      if (const auto forgotten = hosts_.forget(order.id); !forgotten) return forgotten.error();
      return outcome_of(*now);
    }
    if (!now || !runs(host)) {
      if (const auto forgotten = hosts_.forget(order.id); !forgotten) return forgotten.error();
      return Error{ErrorKind::Unavailable, "it ended before it answered"};
    }
    // If the host takes the order at this moment, the order cannot be withdrawn.
    const std::string silence = now->state == OrderState::Given ? silence_of(host, given) : "";
    if (!silence.empty() && withdraw(hosts_, order)) {
      given.was_ignored = true;
      return not_taken(host, silence);
    }
    if (steady_now() < end_) return std::nullopt;
    return unanswered(ErrorKind::DeadlineExceeded,
                      "it did not answer within " + seconds_in(patience_.to_answer),
                      withdraw(hosts_, order));
  }

 private:
  // Why the host takes no order; empty: it can still take one in time.
  std::string silence_of(const HostRecord& host, const Given& given) const {
    const SteadyTime now = steady_now();
    if (now >= given.take_by)
      return "it did not take the order within " + seconds_in(patience_.to_take);
    const bool stopped =
        now >= begun_ + kMomentStopped && is_stopped(static_cast<pid_t>(host.pid), host.process);
    return stopped ? "its process is stopped" : "";
  }

  Error not_taken(const HostRecord& host, const std::string& silence) {
    if (const auto removed = forget_unseen(hosts_, host); !removed) return removed.error();
    return unanswered(ErrorKind::DeadlineExceeded,
                      "it does not answer: " + silence + ", so the order was withdrawn", true);
  }

  store::PinStore& pins_;
  store::HostStore& hosts_;
  const Patience patience_;
  const SteadyTime begun_ = steady_now();
  const SteadyTime end_;
};

}  // namespace

Result<std::vector<HostRecord>> running_hosts(store::Store& store) {
  HOST_TRY_ASSIGN(std::vector<HostRecord> hosts, store.hosts().list());
  std::erase_if(hosts, [](const HostRecord& host) { return !runs(host); });
  return hosts;
}

bool serves_over_http(const HostRecord& host) {
  return !host.address.starts_with(store::kOnStdio);
}

bool is_done(const std::vector<HostAnswer>& answers) {
  return std::any_of(answers.begin(), answers.end(),
                     [](const HostAnswer& one) { return one.answer.has_value(); });
}

std::string host_in_words(const HostRecord& host) {
  return "the host at " + host.address + " (process " + std::to_string(host.pid) + ")";
}

Result<std::string> give_order(store::Store& store, const HostRecord& host,
                               const std::string& action, const std::string& about,
                               const Patience& patience) {
  return std::move(give_orders(store, {host}, action, about, patience).front().answer);
}

std::vector<HostAnswer> give_orders(store::Store& store, const std::vector<HostRecord>& all,
                                    const std::string& action, const std::string& about,
                                    const Patience& patience) {
  Orders orders(store, patience);
  std::vector<Result<Orders::Given>> given;
  for (const HostRecord& host : all) given.push_back(orders.give(host, action, about));
  std::vector<std::optional<Result<std::string>>> answers(all.size());
  for (std::size_t missing = all.size(); missing > 0;) {
    missing = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (answers[i]) continue;
      answers[i] = given[i] ? orders.answer_to(*given[i], all[i])
                            : std::optional(Result<std::string>(given[i].error()));
      if (!answers[i]) ++missing;
    }
    if (missing > 0) std::this_thread::sleep_for(kLookEvery);
  }
  std::vector<HostAnswer> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out.push_back({all[i], *std::move(answers[i]), given[i] && given[i]->was_ignored});
  return out;
}

}  // namespace host::cli

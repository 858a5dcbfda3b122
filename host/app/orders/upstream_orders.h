// Executes the orders of `toolpost upstream` commands. An order is a request that a command stores
// for a running host. All orders are in one table of the store.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/part/host_store.h"
#include "store/part/pin_store.h"
#include "upstream/manager/upstreams.h"

namespace host::app {

inline constexpr const char* kUpstreamReport = "upstream-report";  // answer: a JSON array
// The host answers an order to restart or to refresh an upstream with the status of the upstream.
inline constexpr const char* kUpstreamRestart = "upstream-restart";
inline constexpr const char* kUpstreamRefresh = "upstream-refresh";
inline constexpr const char* kUpstreamLogin = "upstream-login";  // answer: {"id", "url", ...}
// kUpstreamLoginWait is a command's request to wait until a login has ended. PluginOrder::plugin is
// "NAME ID": the upstream's name and the login's id.
inline constexpr const char* kUpstreamLoginWait = "upstream-login-wait";
inline constexpr const char* kUpstreamLogout = "upstream-logout";
// The name of the order to accept definitions of tools. In an order to accept definitions,
// PluginOrder::plugin is "NAME DIGEST" for all waiting definitions of an upstream, or "NAME/TOOL
// DIGEST" for one tool.
inline constexpr const char* kUpstreamAccept = "upstream-accept";

bool is_upstream_order(const store::PluginOrder& order);

// Returns the value of PluginOrder::created for an order to accept that is given now. `about` is
// PluginOrder::plugin of the order. If the clock was set back, the returned time is the time of the
// newest decision of a person about a definition of the same upstream.
Result<WallTime> time_of_acceptance(store::PinStore& stored, const std::string& about,
                                    WallTime now);

// Returns the Error InvalidArgument if a person accepted another definition after `order`, an order
// to accept, was given. So a late order does not replace the later decision. `here` contains the
// records of the order's upstream at this host.
Result<void> check_later_decisions(store::PinStore& stored,
                                   const std::vector<store::PinRecord>& here,
                                   const store::PluginOrder& order);

// Gets the outcome of an order that changes something, before the host reads the upstream's status
// for the answer.
using OnOutcome = std::function<void(const Result<void>&)>;
boost::asio::awaitable<Result<std::string>> answer_upstream_order(upstream::Upstreams& upstreams,
                                                                  store::PluginOrder order,
                                                                  OnOutcome on_outcome);

}  // namespace host::app

#include "outbound/gate.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include "base/process/spawn.h"
#include "outbound/address.h"
#include "outbound/curl_client.h"
#include "outbound/flight.h"
#include "outbound/request_check.h"
#include "outbound/stream_flight.h"

namespace host::outbound {
namespace asio = boost::asio;
namespace {

using asio::awaitable;

constexpr std::size_t kMostAddresses = 4;  // that are tried, one after the other

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// One of the requests on their way.
class Place {
 public:
  explicit Place(std::uint32_t& taken) : taken_(taken) { ++taken_; }
  ~Place() { --taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::uint32_t& taken_;
};

Error denied(const std::string& what) {
  return Error{ErrorKind::Denied, what};
}

}  // namespace

class Gate::Impl : public std::enable_shared_from_this<Gate::Impl> {
 public:
  Impl(asio::any_io_executor io, Settings settings)
      : io_(std::move(io)),
        settings_(std::move(settings)),
        loopback_(settings_.loopback),
        internal_(settings_.internal),
        resolver_(io_, settings_.lookups, settings_.look_up) {}

  // Requests on their way would keep their client, and be kept by it.
  void close() {
    is_closed_ = true;
    resolver_.give_up({ErrorKind::Cancelled, "the host stops"});
    curl_.reset();
  }

  std::unique_ptr<Stream> open(Request request, StreamLimits limits, StreamHandlers handlers);

  void send(Request request, Done done) {
    auto run = [self = shared_from_this(),
                flight = std::make_shared<Flight>(io_, std::move(request)),
                done]() -> awaitable<void> {
      const bool begins = co_await self->begins();
      if (!begins) co_return;
      auto response = co_await self->fly(flight);
      if (!self->is_closed_) done(std::move(response));
    };
    spawn(io_, {"outbound", "makes a request"}, std::move(run), [done](const Result<void>& ended) {
      if (!ended) done(ended.error());
    });
  }

 private:
  awaitable<bool> begins();
  awaitable<Result<Response>> fly(std::shared_ptr<Flight> flight);
  awaitable<Result<Response>> fly_counted(std::shared_ptr<Flight> flight, std::uint32_t& flying,
                                          std::uint32_t most);
  awaitable<Result<Response>> follow(std::shared_ptr<Flight> flight);
  awaitable<Result<Addresses>> resolve(std::shared_ptr<Flight> flight, Origin origin);
  awaitable<Result<Addresses>> look_up(std::shared_ptr<Flight> flight, std::string host);
  awaitable<Result<HopAnswer>> try_addresses(std::shared_ptr<Flight> flight, Hop hop,
                                             Addresses addresses);
  awaitable<Result<HopAnswer>> exchange(std::shared_ptr<Flight> flight, Hop hop);
  Hop hop_of(const std::shared_ptr<Flight>& flight) const;
  Result<void> check_origin(const Origin& origin, const Request& request) const;
  Result<void> check_address(const asio::ip::address& address, const Origin& origin) const;

  const asio::any_io_executor io_;
  const Settings settings_;
  const AllowList loopback_;
  const AllowList internal_;
  Resolver resolver_;
  std::shared_ptr<CurlClient> curl_;  // null until the first request
  std::uint32_t flying_ = 0;
  std::uint32_t streaming_ = 0;
  bool is_closed_ = false;
};

Result<void> Gate::Impl::check_origin(const Origin& origin, const Request& request) const {
  if (!request.allowed.allows(origin)) return denied(origin.text() + " " + request.allowed_by);
  if (origin.scheme != "https" && !loopback_.allows(origin)) {
    return denied(origin.text() + ": only https goes out, save to " + settings_.loopback_key);
  }
  return {};
}

Result<void> Gate::Impl::check_address(const asio::ip::address& address,
                                       const Origin& origin) const {
  const bool fits = loopback_.allows(origin)
                        ? address.is_loopback()
                        : is_public(address) || (internal_.allows(origin) && is_private(address));
  if (fits) return {};
  return denied(origin.text() + " leads to an address that is not for the outside");
}

// A coroutine that is spawned on its own thread runs at once. A request that is refused at once
// would end while its caller still begins it, so each request begins with the next turn of the
// loop. False: the gate was closed meanwhile.
awaitable<bool> Gate::Impl::begins() {
  co_await asio::post(io_, asio::use_awaitable);
  co_return !is_closed_;
}

std::unique_ptr<Stream> Gate::Impl::open(Request request, StreamLimits limits,
                                         StreamHandlers handlers) {
  auto flight =
      std::make_shared<StreamFlight>(io_, std::move(request), limits, std::move(handlers));
  auto run = [self = shared_from_this(), flight]() -> awaitable<void> {
    const bool begins = co_await self->begins();
    if (!begins) co_return;
    auto response = co_await self->fly(flight);
    if (!self->is_closed_) flight->ended(response);
  };
  spawn(io_, {"outbound", "makes a request"}, std::move(run), [flight](const Result<void>& ended) {
    if (!ended) flight->ended(ended.error());
  });
  return std::make_unique<Stream>(flight);
}

awaitable<Result<Response>> Gate::Impl::fly(std::shared_ptr<Flight> flight) {
  const bool streams = flight->pieces() != nullptr;
  auto response = co_await fly_counted(flight, streams ? streaming_ : flying_,
                                       streams ? settings_.streams : settings_.concurrent);
  co_return response;
}

awaitable<Result<Response>> Gate::Impl::fly_counted(std::shared_ptr<Flight> flight,
                                                    std::uint32_t& flying, std::uint32_t most) {
  HOST_CO_TRY(check_request(flight->request));
  if (flying >= most) {
    co_return Error{ErrorKind::Unavailable, "too many requests are on their way: try again later"};
  }
  if (!curl_) {
    HOST_CO_TRY_ASSIGN(curl_, CurlClient::create(io_));
  }
  const Place place(flying);  // also if what follows throws
  flight->start_clock(settings_);
  Cancel::Registration registration;
  if (flight->request.cancel) {
    registration = flight->request.cancel->on_cancel([weak = std::weak_ptr(flight)] {
      if (const auto there = weak.lock()) there->give_up({ErrorKind::Cancelled, "cancelled"});
    });
  }
  auto response = co_await follow(flight);
  flight->clock.cancel();
  if (!response && flight->given_up) co_return *flight->given_up;
  co_return response;
}

Hop Gate::Impl::hop_of(const std::shared_ptr<Flight>& flight) const {
  const Request& request = flight->request;
  Hop hop;
  hop.method = request.method;
  hop.url = request.url;
  hop.headers = lines_of(request.headers);
  hop.body = request.body;
  hop.pieces = flight->pieces();
  hop.max_bytes = request.max_bytes;
  if (!hop.pieces && (hop.max_bytes == 0 || hop.max_bytes > settings_.response_bytes)) {
    hop.max_bytes = settings_.response_bytes;
  }
  hop.ca_file = settings_.ca_file;
  hop.sent = flight->sent;
  hop.may_repeat = request.may_repeat;
  return hop;
}

// From hop to hop; each is checked as the first one was.
awaitable<Result<Response>> Gate::Impl::follow(std::shared_ptr<Flight> flight) {
  Request& request = flight->request;
  const std::uint32_t most = std::min(request.redirects, settings_.redirects);
  for (std::uint32_t hops = 0;; ++hops) {
    HOST_CO_TRY_ASSIGN(const Origin origin, origin_of(request.url));
    if (const auto allowed = check_origin(origin, request); !allowed) {
      co_return hops == 0 ? allowed.error() : allowed.error().within("a redirect is not followed");
    }
    HOST_CO_TRY_ASSIGN(auto addresses, co_await resolve(flight, origin));
    *flight->sent = false;
    HOST_CO_TRY_ASSIGN(HopAnswer answer,
                       co_await try_addresses(flight, hop_of(flight), std::move(addresses)));
    const bool leads_on = is_redirect(answer.status) && !answer.location.empty() && most > 0;
    if (!leads_on) {
      Response response;
      response.status = answer.status;
      response.url = request.url;
      response.headers = std::move(answer.headers);
      response.body = std::move(answer.body);
      co_return response;
    }
    if (hops == most) co_return denied("more than " + std::to_string(most) + " redirects");
    HOST_CO_TRY_ASSIGN(const Origin next, origin_of(answer.location));
    const std::string method = request.method;
    redirect(request, answer.status, std::move(answer.location), next == origin);
    if (request.keeps_method && request.method != method) {
      co_return denied("a redirect with status " + std::to_string(answer.status) +
                       " would change the request to a GET");
    }
  }
}

awaitable<Result<Addresses>> Gate::Impl::resolve(std::shared_ptr<Flight> flight, Origin origin) {
  if (flight->given_up) co_return *flight->given_up;
  boost::system::error_code error;
  const auto literal = asio::ip::make_address(origin.host, error);
  if (!error) {  // needs no thread
    HOST_CO_TRY(check_address(literal, origin));
    Addresses only(1, literal);
    co_return only;
  }
  HOST_CO_TRY_ASSIGN(Addresses addresses, co_await look_up(flight, origin.host));
  for (const asio::ip::address& address : addresses) {
    HOST_CO_TRY(check_address(address, origin));  // one that is not for us condemns them all
  }
  if (addresses.size() > kMostAddresses) addresses.resize(kMostAddresses);
  co_return addresses;
}

awaitable<Result<Addresses>> Gate::Impl::look_up(std::shared_ptr<Flight> flight, std::string host) {
  const auto answer = std::make_shared<std::optional<Result<Addresses>>>();
  resolver_.find(host, flight->request.owner,
                 [answer, weak = std::weak_ptr(flight)](const Result<Addresses>& found) {
                   *answer = found;
                   if (const auto there = weak.lock()) there->lookup.cancel();
                 });
  flight->lookup.expires_at(asio::steady_timer::time_point::max());
  while (!*answer && !flight->given_up)
    co_await flight->lookup.async_wait(asio::as_tuple(asio::use_awaitable));
  if (flight->given_up) co_return *flight->given_up;
  co_return **answer;
}

awaitable<Result<HopAnswer>> Gate::Impl::try_addresses(std::shared_ptr<Flight> flight, Hop hop,
                                                       Addresses addresses) {
  Result<HopAnswer> answer = Error{};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (flight->given_up) co_return *flight->given_up;
    hop.address = addresses[i];
    Hop one = i + 1 < addresses.size() ? hop : std::move(hop);  // the last one needs no copy
    answer = co_await exchange(flight, std::move(one));
    const bool unreachable = !answer && answer.error().kind == ErrorKind::Unavailable;
    if (!unreachable) co_return answer;
  }
  co_return Error{ErrorKind::Io, answer.error().message};
}

awaitable<Result<HopAnswer>> Gate::Impl::exchange(std::shared_ptr<Flight> flight, Hop hop) {
  if (is_closed_) co_return Error{ErrorKind::Cancelled, "the host stops"};
  auto initiate = [this, flight](auto handler, Hop what) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    const std::uint64_t id = curl_->start(std::move(what), [kept](Result<HopAnswer> answer) {
      std::move (*kept)(std::move(answer));
    });
    flight->hop_began(curl_, id);
  };
  Result<HopAnswer> answer =
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<HopAnswer>)>(
          initiate, asio::use_awaitable, std::move(hop));
  flight->hop_ended();
  if (flight->given_up) co_return *flight->given_up;
  co_return answer;
}

Gate::Gate(asio::any_io_executor io, Settings settings)
    : impl_(std::make_shared<Impl>(std::move(io), std::move(settings))) {}

Gate::~Gate() {
  impl_->close();
}

void Gate::send(Request request, Done done) {
  impl_->send(std::move(request), std::move(done));
}

std::unique_ptr<Stream> Gate::open(Request request, StreamLimits limits, StreamHandlers handlers) {
  return impl_->open(std::move(request), limits, std::move(handlers));
}

}  // namespace host::outbound

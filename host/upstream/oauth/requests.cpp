#include "upstream/oauth/requests.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>

#include "base/clock.h"

namespace host::upstream::oauth {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using outbound::Response;

constexpr std::chrono::seconds kForOneRequest{10};
constexpr std::uint64_t kMostBytes = 512u << 10u;

outbound::Request request_to(std::string_view method, std::string url, outbound::Headers headers) {
  outbound::Request request;
  request.method = method;
  request.url = std::move(url);
  request.headers = std::move(headers);
  return request;
}

}  // namespace

awaitable<Result<Response>> Requests::get(std::string url) const {
  auto request = request_to("GET", std::move(url), {{"Accept", "application/json"}});
  auto response = co_await send(std::move(request));
  co_return response;
}

awaitable<Result<Response>> Requests::post_form(std::string url, Form form,
                                                outbound::Headers headers) const {
  headers.emplace_back("Accept", "application/json");
  headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  auto request = request_to("POST", std::move(url), std::move(headers));
  request.body = to_string(form);
  auto response = co_await send(std::move(request));
  co_return response;
}

awaitable<Result<Response>> Requests::post_json(std::string url, std::string body,
                                                outbound::Headers headers) const {
  headers.emplace_back("Content-Type", "application/json");
  auto request = request_to("POST", std::move(url), std::move(headers));
  request.body = std::move(body);
  auto response = co_await send(std::move(request));
  co_return response;
}

awaitable<Result<Response>> Requests::send(outbound::Request request) const {
  if (const auto origin = outbound::origin_of(request.url))
    request.allowed = outbound::AllowList::only(*origin);
  request.allowed_by = "is not the origin of the request";
  request.deadline = steady_now() + kForOneRequest;
  request.max_bytes = kMostBytes;
  request.redirects = 0;
  request.cancel = cancel_;
  // Captured, because this object may go before the answer.
  auto initiate = [gate = gate_](auto handler, outbound::Request what) {
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    gate->send(std::move(what),
               [kept](Result<Response> answer) { std::move (*kept)(std::move(answer)); });
  };
  Result<Response> answer =
      co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Response>)>(
          initiate, asio::use_awaitable, std::move(request));
  // It is no file of this host that failed.
  if (!answer && answer.error().kind == ErrorKind::Io) answer.error().kind = ErrorKind::Unavailable;
  co_return answer;
}

}  // namespace host::upstream::oauth

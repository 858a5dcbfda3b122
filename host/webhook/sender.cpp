#include "webhook/sender.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "outbound/address.h"
#include "outbound/origin.h"
#include "webhook/signature.h"

namespace host::webhook {
namespace {

constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kMostFailureBytes = 200;
constexpr std::uint64_t kMostRetrySeconds = 86'400;

outbound::Settings gate_settings(const Sender::Settings& settings) {
  outbound::Settings gate;
  gate.redirects = 0;
  gate.streams = settings.concurrent;
  gate.loopback = settings.loopback;
  gate.internal = settings.internal;
  gate.loopback_key = "webhooks.loopback";
  gate.ca_file = settings.ca_file;
  return gate;
}

// Only the form of RFC 9110 that is a number of seconds.
std::optional<std::chrono::milliseconds> seconds_in(std::string_view text) {
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = !text.empty() && end == text.data() + text.size();
  if (is_number && error == std::errc::result_out_of_range)
    seconds = kMostRetrySeconds;
  else if (!is_number || error != std::errc())
    return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kMostRetrySeconds));
}

std::string redirected(int status) {
  return "status " + std::to_string(status) + ": the host does not follow redirects of webhooks";
}

outbound::Request request_of(const Message& message, const Sender::Settings& settings,
                             const Clock& clock) {
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.wall().time_since_epoch());
  const auto timestamp = static_cast<std::uint64_t>(now.count());
  outbound::Request request;
  request.method = "POST";
  request.url = message.url;
  request.headers = {
      {"Content-Type", "application/json"},
      {"User-Agent", settings.user_agent},
      {"webhook-id", message.id},
      {"webhook-timestamp", std::to_string(timestamp)},
      {"webhook-signature", signature_of(message.id, timestamp, message.body, message.secrets)}};
  request.body = message.body;
  if (const auto origin = outbound::origin_of(message.url)) {
    request.allowed = outbound::AllowList::only(*origin);
  }
  request.owner = message.principal;
  request.redirects = 0;
  request.may_repeat = true;  // it has an id
  request.deadline = steady_now() + settings.timeout;
  return request;
}

}  // namespace

struct Sender::Attempt {
  Done done;
  Answer answer;
  std::uint64_t bytes = 0;  // of the answer's body
  std::unique_ptr<outbound::Stream> stream;
};

Sender::Sender(boost::asio::any_io_executor io, Settings settings, const Clock& clock)
    : io_(std::move(io)),
      settings_(std::move(settings)),
      clock_(clock),
      loopback_(settings_.loopback),
      internal_(settings_.internal),
      gate_(io_, gate_settings(settings_)) {}

Sender::~Sender() {
  *is_alive_ = false;
}

Result<void> check_url(const std::string& url, const outbound::AllowList& loopback,
                       const outbound::AllowList& internal) {
  const auto bad = [](const std::string& why) { return Error{ErrorKind::InvalidArgument, why}; };
  if (url.size() > kMostUrlBytes) return bad("must have at most 2048 bytes");
  if (url.find('#') != std::string::npos) return bad("must have no fragment");
  const auto origin = outbound::origin_of(url);
  if (!origin) return bad(origin.error().message);
  if (loopback.allows(*origin)) return {};
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(origin->host, error);
  const bool is_here = origin->host == "localhost" || origin->host.ends_with(".localhost");
  if (origin->scheme != "https") {
    const bool is_loopback = is_here || (!error && address.is_loopback());
    return bad(std::string("must begin with https://") +
               (is_loopback ? ", unless the operator allows its origin in webhooks.loopback" : ""));
  }
  const bool fits = error ? !is_here
                          : outbound::is_public(address) ||
                                (internal.allows(*origin) && outbound::is_private(address));
  if (fits) return {};
  return bad(
      "leads to an address that is not public: the operator can allow its origin in "
      "webhooks.loopback or webhooks.internal");
}

std::uint64_t Sender::send(const Message& message, Done done) {
  const std::uint64_t number = ++last_;
  const auto attempt = std::make_shared<Attempt>();
  attempt->done = std::move(done);
  attempts_[number] = attempt;
  outbound::StreamHandlers handlers;
  handlers.head = [attempt = attempt.get()](const outbound::StreamHead& head) {
    attempt->answer.status = head.status;
    if (head.status / 100 != 2) attempt->answer.failure = "status " + std::to_string(head.status);
    if (head.status == 429 || head.status == 503)
      attempt->answer.retry_after = seconds_in(head.header("Retry-After"));
  };
  handlers.body = [this, attempt = attempt.get(), number](std::string_view bytes) {
    attempt->bytes += bytes.size();
    if (attempt->bytes > settings_.answer_bytes) ended(number);
  };
  handlers.end = [this, attempt = attempt.get(), number](const outbound::StreamEnd& end) {
    if (end.error && attempt->answer.status == 0) {
      attempt->answer.status = end.redirect;
      attempt->answer.failure = end.redirect > 0 ? redirected(end.redirect)
                                                 : end.error->message.substr(0, kMostFailureBytes);
    }
    attempt->answer.was_not_made = end.error && end.error->kind == ErrorKind::Unavailable;
    ended(number);
  };
  attempt->stream =
      gate_.open(request_of(message, settings_, clock_), {settings_.timeout, {}, 0}, handlers);
  return number;
}

void Sender::drop(std::uint64_t number) {
  const auto at = attempts_.find(number);
  if (at == attempts_.end()) return;
  const std::shared_ptr<Attempt> attempt = at->second;
  attempts_.erase(at);
  boost::asio::post(io_, [attempt] { attempt->stream.reset(); });
}

// The stream ends in a later turn, because one of its handlers may be running.
void Sender::ended(std::uint64_t number) {
  const auto at = attempts_.find(number);
  if (at == attempts_.end()) return;
  const std::shared_ptr<Attempt> attempt = at->second;
  attempts_.erase(at);
  boost::asio::post(io_, [attempt, is_alive = is_alive_] {
    attempt->stream.reset();
    if (*is_alive) attempt->done(attempt->answer);
  });
}

}  // namespace host::webhook

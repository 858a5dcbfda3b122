#include "upstream/openapi/api_session.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <set>
#include <utility>

#include "json/excerpt.h"
#include "json/object_text.h"
#include "protocol/versions.h"
#include "tool/definition/declared_text.h"

namespace host::upstream::openapi {
namespace {

using boost::system::error_code;

constexpr std::size_t kToolsOfPage = 64;
constexpr std::size_t kBytesOfPage = 1u << 20u;     // the last definition may go beyond it
constexpr std::size_t kMostEventBytes = 1u << 20u;  // of one call
constexpr std::uint32_t kMostReadRedirects = 3;
constexpr std::size_t kMadeHere = 64u << 10u;  // bytes of a response, within a millisecond
constexpr std::chrono::milliseconds kFetchHead{30'000};
constexpr std::chrono::milliseconds kFetchSilence{30'000};

std::string response_text(const protocol::Id& id, const char* member, const std::string& json) {
  return R"({"jsonrpc":"2.0","id":)" + id + ",\"" + member + "\":" + json + "}";
}

// No byte of a request was acted on: the connection could not be made.
bool is_without_connection(const Exchange::Outcome& outcome) {
  return outcome.status == 0 && !outcome.sent && outcome.error &&
         outcome.error->kind == ErrorKind::Io;
}

// The gate's own refusals come before any byte.
bool is_before_sending(const Exchange::Outcome& outcome) {
  return outcome.status == 0 && !outcome.sent && outcome.error &&
         (outcome.error->kind == ErrorKind::Denied ||
          outcome.error->kind == ErrorKind::InvalidArgument ||
          outcome.error->kind == ErrorKind::Unavailable);
}

Error no_operation(const Operations& read) {
  if (read.refusals.empty())
    return Error{ErrorKind::InvalidArgument, "the document has no operation"};
  const tool::Refusal& first = read.refusals.front();
  const std::string name = first.tool.empty() ? "" : tool::quoted_name(first.tool) + ": ";
  return Error{ErrorKind::InvalidArgument,
               "no operation of the document can be served, for example " + name + first.reason};
}

}  // namespace

struct ApiSession::Reading {
  std::optional<std::string> text;  // unset: it is in the file
  std::optional<OperationReader> reader;
  std::vector<std::string> schemes;
  FileStamp stamp;
  std::optional<Error> fault;
  std::atomic<bool> is_stale = false;  // a later one replaces it, or nobody waits for it
};

ApiSession::ApiSession(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
                       ApiUpstream settings)
    : io_(std::move(io)),
      gate_(std::move(gate)),
      settings_(std::move(settings)),
      look_timer_(io_) {}

// ---- the document

// A later reading replaces an earlier one, which may end after it.
void ApiSession::load(const protocol::Id& asked_by, Loaded done) {
  forget_reading();
  loading_ = asked_by;
  settings_.is_url ? fetch(std::move(done)) : read(std::nullopt, std::move(done));
}

// Credentials and headers of the API go to granted origins only.
void ApiSession::fetch(Loaded done) {
  outbound::Request request;
  request.url = settings_.document;
  const auto origin = outbound::origin_of(settings_.document);
  if (!origin)
    return later([done, why = origin.error()] { done(why.within("the document's URL")); });
  request.headers = {{"Accept", "application/json, application/yaml;q=0.9, text/*;q=0.5"},
                     {"User-Agent", "Toolpost"}};
  if (settings_.read.servers.granted.allows(*origin)) {
    for (const auto& header : settings_.access.headers) request.headers.push_back(header);
  }
  request.allowed = outbound::AllowList::only(*origin);
  request.allowed_by = "is not the origin of the document";
  request.redirects = kMostReadRedirects;
  outbound::StreamLimits limits;
  limits.head = kFetchHead;
  limits.idle = kFetchSilence;
  const auto text = std::make_shared<std::string>();
  Exchange::Handlers handlers;
  handlers.event = [](const ServerEvent&) {};
  handlers.text = [text](std::string_view body) { *text = std::string(body); };
  handlers.end = [weak = weak_from_this(), text, done](const Exchange::Outcome& outcome) {
    const auto there = weak.lock();
    if (!there) return;
    there->fetch_ = nullptr;
    if (outcome.status / 100 == 2 && !outcome.error) return there->read(std::move(*text), done);
    const std::string why =
        outcome.error ? outcome.error->message : "HTTP status " + std::to_string(outcome.status);
    done(Error{ErrorKind::Unavailable, "the document cannot be fetched: " + why});
  };
  fetch_ =
      Exchange::begin(io_, *gate_, std::move(request),
                      {settings_.message_bytes, settings_.budget, limits}, std::move(handlers));
}

// In steps on the thread for such work: the document first, then one operation at a time.
void ApiSession::read(std::optional<std::string> text, Loaded done) {
  auto reading = std::make_shared<Reading>();
  reading->text = std::move(text);
  reading_ = reading;
  const auto step = [reading, file = settings_.document, most = settings_.message_bytes,
                     how = settings_.read] {
    if (reading->is_stale) return false;
    if (reading->reader) return reading->reader->step();
    if (!reading->text) {
      reading->stamp = stamp_of(file);
      auto found = read_document_file(file, most);
      if (!found) {
        reading->fault = found.error();
        return false;
      }
      reading->text = *std::move(found);
    }
    auto document = ApiDocument::read(*reading->text);
    reading->text.reset();
    if (!document) {
      reading->fault = document.error().within("the document \"" + file + "\" cannot be used");
      return false;
    }
    reading->schemes = schemes_of(*document);
    reading->reader.emplace(*std::move(document), how);
    return true;
  };
  settings_.jobs->run(step, [weak = weak_from_this(), reading, done] {
    const auto there = weak.lock();
    if (there && !reading->is_stale) done(there->take(*reading));
  });
}

void ApiSession::forget_reading() {
  loading_.clear();
  if (const auto reading = std::exchange(reading_, nullptr)) reading->is_stale = true;
  if (const auto fetch = std::exchange(fetch_, nullptr)) fetch->close();
}

Result<void> ApiSession::take(Reading& reading) {
  if (reading.fault) return *reading.fault;
  HOST_TRY(check_credentials(reading.schemes));
  Operations read = reading.reader->take();
  if (read.all.empty()) return no_operation(read);
  version_ = read.version;
  next_ = std::move(read);
  seen_ = reading.stamp;
  is_fresh_ = true;
  return {};
}

// Nobody expects that a credential is for a scheme that does not exist.
Result<void> ApiSession::check_credentials(const std::vector<std::string>& schemes) const {
  for (const auto& [name, value] : settings_.access.credentials) {
    if (std::binary_search(schemes.begin(), schemes.end(), name)) continue;
    std::string known;
    for (const std::string& one : schemes) known += (known.empty() ? "" : ", ") + one;
    return Error{ErrorKind::InvalidArgument,
                 "`credentials` has " + tool::quoted_name(name) +
                     ", which is no security scheme of the document: " +
                     (known.empty() ? "it has none" : "it has " + json::excerpt(known, 256))};
  }
  return {};
}

// A file has nobody who says that it changed.
void ApiSession::look() {
  look_timer_.expires_after(settings_.look_every);
  look_timer_.async_wait([weak = weak_from_this()](error_code error) {
    const auto there = weak.lock();
    if (error || !there || !there->listener_) return;
    const auto stamp = std::make_shared<FileStamp>();
    there->settings_.jobs->run(
        [stamp, file = there->settings_.document] {
          *stamp = stamp_of(file);
          return false;
        },
        [weak, stamp] {
          const auto self = weak.lock();
          if (!self || !self->listener_) return;
          self->looked(*stamp);
          if (self->listener_) self->look();
        });
  });
}

// A file that is being replaced can be absent for a moment.
void ApiSession::looked(const FileStamp& stamp) {
  const bool was_absent = std::exchange(was_absent_, stamp == FileStamp());
  const bool may_come = was_absent_ && !was_absent;
  if (stamp == seen_ || may_come) return;
  seen_ = stamp;
  listener_->message(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})", {});
}

void ApiSession::negotiated() {
  if (!settings_.is_url) look();
}

// ---- messages

void ApiSession::send(Outgoing message) {
  if (!listener_) return;
  if (message.method == "server/discover") {
    return later([this, id = message.id] {
      listener_->failed(id, Reached::No, {ErrorKind::InvalidArgument, "it is an HTTP API"});
    });
  }
  if (message.method == "initialize") return initialize(message);
  if (message.method == "tools/list") return list(message);
  if (message.method == "tools/call") return call(message);
  if (message.method.empty() || message.id.empty()) return;
  later([this, id = message.id, method = message.method] {
    refuse(id, protocol::kMethodNotFound, "an HTTP API has no " + method);
  });
}

void ApiSession::initialize(const Outgoing& message) {
  load(message.id, [this, id = message.id](const Result<void>& loaded) {
    if (!listener_) return;
    if (!loaded) return end({ErrorKind::Unavailable, loaded.error().message});
    std::string info = "{";
    json::add_text(info, "name", next_->title.empty() ? "HTTP API" : next_->title);
    json::add_text(info, "version", next_->release);
    std::string result = "{";
    json::add_text(result, "protocolVersion", protocol::to_string(protocol::kLatestLegacy));
    json::add_member(result, "capabilities", R"({"tools":{"listChanged":true}})");
    json::add_member(result, "serverInfo", info + "}");
    answer(id, result + "}");
  });
}

void ApiSession::list(const Outgoing& message) {
  std::size_t first = 0;
  const auto tree = json::parse(message.text);
  const json::Value* const params = tree ? json::find(tree->root(), "params") : nullptr;
  const std::string_view cursor = params ? json::find_text(*params, "cursor") : "";
  std::from_chars(cursor.data(), cursor.data() + cursor.size(), first);
  const protocol::Id id = message.id;
  if (first > 0 || std::exchange(is_fresh_, false))
    return later([this, id, first] { list_page(id, first); });
  load(id, [this, id](const Result<void>& loaded) {
    if (!listener_) return;
    is_fresh_ = false;
    if (!loaded) return listener_->failed(id, Reached::No, loaded.error());
    list_page(id, 0);
  });
}

void ApiSession::list_page(const protocol::Id& id, std::size_t first) {
  const std::vector<Operation> none;
  const std::vector<Operation>& all = next_ ? next_->all : none;
  std::string tools = "[";
  std::size_t next = std::min(first, all.size());
  while (next < all.size() && next - first < kToolsOfPage && tools.size() < kBytesOfPage) {
    if (next > first) tools += ',';
    tools += all[next++].definition;
  }
  std::string result = "{";
  json::add_member(result, "tools", tools + "]");
  if (next < all.size()) json::add_text(result, "nextCursor", std::to_string(next));
  answer(id, result + "}");
}

// From now on calls are for the operations whose definitions the host has compared.
std::vector<tool::Refusal> ApiSession::tools_were_read() {
  if (!next_) return refusals_;
  served_.clear();
  std::set<std::string> origins;
  for (Operation& one : next_->all) {
    if (const auto origin = outbound::origin_of(one.server)) origins.insert(origin->text());
    one.definition.clear();
    std::string name = one.name;
    served_.emplace(std::move(name), std::move(one));
  }
  servers_ = origins.size();
  refusals_ = std::move(next_->refusals);
  next_.reset();
  return refusals_;
}

// ---- calls

void ApiSession::call(const Outgoing& message) {
  const protocol::Id id = message.id;
  const auto refuse_later = [&](const std::string& why) {
    later([this, id, why] { refuse(id, protocol::kInvalidParams, why); });
  };
  const auto found = served_.find(message.name);
  if (found == served_.end()) return refuse_later("the document has no such operation");
  const auto tree = json::parse(message.text);
  const json::Value* const params = tree ? json::find(tree->root(), "params") : nullptr;
  const json::Value* const given = params ? json::find(*params, "arguments") : nullptr;
  const json::Value none;
  auto request = request_for(found->second, given ? *given : none, settings_.access);
  if (!request) return refuse_later(request.error().message);
  begin(id, found->second, *std::move(request));
}

// A redirect is followed within the origin, and only where the request reads.
void ApiSession::begin(const protocol::Id& id, const Operation& operation, CallRequest made) {
  Call& call = calls_[id];
  call.is_read_only = operation.reads;
  call.answer.promises_object = operation.promises_object;
  call.has_body = !made.body.empty();
  call.answer.method = made.method;
  call.answer.url = made.url.substr(0, made.url.find('?'));
  outbound::Request request;
  request.method = std::move(made.method);
  request.url = std::move(made.url);
  request.headers = std::move(made.headers);
  request.body = std::move(made.body);
  if (const auto origin = outbound::origin_of(operation.server))
    request.allowed = outbound::AllowList::only(*origin);
  request.allowed_by = "is not the origin of the operation";
  request.redirects = call.is_read_only ? kMostReadRedirects : 0;
  request.keeps_method = true;
  outbound::StreamLimits limits;
  limits.head = std::chrono::milliseconds(0);  // the call has a timeout of its own
  Exchange::Handlers handlers;
  const auto with = [weak = weak_from_this(), id](const auto& act) {
    const auto there = weak.lock();
    if (!there) return;
    const auto at = there->calls_.find(id);
    if (at != there->calls_.end()) act(at->second);
  };
  handlers.head = [with](const outbound::StreamHead& head) {
    with([&](Call& one) {
      one.answer.status = head.status;
      one.answer.content_type = head.header("content-type");
      one.answer.retry_after = head.header("retry-after");
      if (one.answer.method == "HEAD") one.answer.headers = head.headers;
    });
  };
  handlers.event = [weak = weak_from_this(), id](const ServerEvent& event) {
    if (const auto there = weak.lock()) there->add_event(id, event.data);
  };
  handlers.text = [with](std::string_view body) {
    with([&](Call& one) { one.answer.body = std::string(body); });
  };
  handlers.end = [weak = weak_from_this(), id](const Exchange::Outcome& outcome) {
    if (const auto there = weak.lock()) there->finish(id, outcome);
  };
  call.exchange =
      Exchange::begin(io_, *gate_, std::move(request),
                      {std::min(settings_.message_bytes, kMostBodyBytes), settings_.budget, limits},
                      std::move(handlers));
}

// Of a response that is a stream of events: their data, one after the other.
void ApiSession::add_event(const protocol::Id& id, const std::string& data) {
  const auto at = calls_.find(id);
  if (at == calls_.end()) return;
  if (at->second.is_too_long) return;
  std::string& body = at->second.answer.body;
  body.append(data).append(1, '\n');
  const std::size_t most = std::min(settings_.message_bytes, kMostEventBytes);
  if (body.size() <= most) return;
  at->second.is_too_long = true;
  later([this, id, most] {
    if (calls_.erase(id) == 0) return;
    listener_->failed(
        id, Reached::Perhaps,
        {ErrorKind::Io, "a stream of events of more than " + std::to_string(most) + " bytes"});
  });
}

void ApiSession::finish(const protocol::Id& id, const Exchange::Outcome& outcome) {
  const auto at = calls_.find(id);
  if (at == calls_.end() || !listener_) return;
  Call call = std::move(at->second);
  calls_.erase(at);
  if (outcome.status == 0 || outcome.error) return fail(id, call, outcome);
  if (!outcome.refusal.empty()) call.answer.body = outcome.refusal;
  give_result(id, std::move(call.answer));
}

// The whole upstream waits if its only server cannot be reached and nothing else is on its way.
void ApiSession::fail(const protocol::Id& id, const Call& call, const Exchange::Outcome& outcome) {
  Error why = outcome.error.value_or(Error{ErrorKind::Io, "it did not answer"});
  const bool is_known_unsent = is_before_sending(outcome) || (is_without_connection(outcome) &&
                                                              (call.is_read_only || call.has_body));
  const bool ends =
      is_without_connection(outcome) && is_known_unsent && servers_ == 1 && calls_.empty();
  why.kind = ends ? ErrorKind::Unavailable : ErrorKind::Io;
  const auto self = shared_from_this();
  listener_->failed(id, is_known_unsent ? Reached::No : Reached::Perhaps, why);
  if (ends && listener_) end(why);
}

void ApiSession::give_result(const protocol::Id& id, CallAnswer given) {
  if (given.body.size() <= kMadeHere) return answer(id, result_of(given, *settings_.secrets));
  struct Making {
    CallAnswer given;
    Secrets secrets;
    std::string result;
  };
  auto making = std::make_shared<Making>(Making{std::move(given), *settings_.secrets, {}});
  settings_.jobs->run(
      [making] {
        making->result = result_of(making->given, making->secrets);
        return false;
      },
      [weak = weak_from_this(), making, id] {
        if (const auto there = weak.lock()) there->answer(id, making->result);
      });
}

void ApiSession::cancel(const protocol::Id& request) {
  calls_.erase(request);  // closes its connection
  if (request == loading_) forget_reading();
}

// ---- ends

void ApiSession::answer(const protocol::Id& id, const std::string& result) {
  tell(response_text(id, "result", result), id);
}

void ApiSession::refuse(const protocol::Id& id, int code, const std::string& why) {
  std::string error = "{";
  json::add_member(error, "code", std::to_string(code));
  json::add_text(error, "message", why);
  tell(response_text(id, "error", error + "}"), id);
}

void ApiSession::tell(std::string text, const protocol::Id& id) {
  if (listener_) listener_->message(text, id);
}

// The listener is never called from within a function of the transport.
void ApiSession::later(std::function<void()> act) {
  boost::asio::post(io_, [weak = weak_from_this(), act = std::move(act)] {
    const auto there = weak.lock();
    if (there && there->listener_) act();
  });
}

void ApiSession::close() {
  calls_.clear();
  later([this] { end({ErrorKind::Unavailable, "it was closed"}); });
}

void ApiSession::drop() {
  listener_ = nullptr;
  look_timer_.cancel();
  forget_reading();
  calls_.clear();
}

void ApiSession::end(const Error& why) {
  TransportListener* const listener = listener_;
  drop();
  if (listener) listener->ended(why);
}

std::string ApiSession::describe() const {
  const std::string document = settings_.document.substr(
      0, settings_.is_url ? settings_.document.find('?') : std::string::npos);
  return version_.empty() ? document : "OpenAPI " + version_ + ", " + document;
}

}  // namespace host::upstream::openapi

#include "plugin/services/kv.h"

#include <toolpost/ext/kv.h>

#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/text/encoding.h"
#include "json/json.h"
#include "plugin/services/status.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostKeyBytes = 512;
constexpr std::size_t kMostValueBytes = 1u << 20u;
constexpr std::uint32_t kMostListed = 1000;
constexpr std::chrono::hours kForgetEvery{1};

static_assert(TP_KV_ANY == store::kAnyVersion && TP_KV_ABSENT == store::kNoVersion);

Error malformed(const char* why) {
  return Error{ErrorKind::InvalidArgument, why};
}

HostAnswer failure(const Error& error) {
  return {status_of(error.kind), 0, {}, error.message};
}

Result<void> check_key(std::string_view key) {
  if (key.empty() || key.size() > kMostKeyBytes || !is_utf8(key)) {
    return malformed("a key is 1 to 512 bytes of UTF-8");
  }
  return {};
}

HostAnswer answer_to(const Result<store::KvWrite>& written) {
  if (!written) return failure(written.error());
  switch (written->outcome) {
    case store::KvWrite::Outcome::Conflict:
      return {TP_E_CONFLICT, written->version, {}, "another version is there"};
    case store::KvWrite::Outcome::Full:
      return {
          TP_E_NOMEM, written->version, {}, "over the plugin's quota, store.kv_bytes or kv_keys"};
    case store::KvWrite::Outcome::Done:
      break;
  }
  return {TP_OK, written->version, {}, {}};
}

HostAnswer answer_to(const Result<store::KvPage>& page) {
  if (!page) return failure(page.error());
  std::string json = "[";
  for (const store::KvKey& key : page->keys) {
    json += json.size() > 1 ? ",{\"key\":" : "{\"key\":";
    json::write_string(key.key, json);
    json += ",\"version\":" + std::to_string(key.version) +
            ",\"bytes\":" + std::to_string(key.bytes) + "}";
  }
  return {TP_OK, page->more ? 1u : 0u, json + "]", {}};
}

}  // namespace

// What a plugin asked for, checked.
struct KvService::Request {
  store::KvSpace space;
  std::string key;    // the prefix of a list
  std::string value;  // where a list goes on
  std::uint64_t expected = 0;
  std::uint32_t limit = 0;
};

namespace {

using store::KvSpace;

Result<KvSpace> space_of(std::uint32_t scope, const ServiceCall& call) {
  if (scope == TP_KV_PLUGIN) return KvSpace{call.plugin, {}};
  if (scope != TP_KV_SESSION) return malformed("there is no such scope");
  if (!call.call || call.call->passport->who.session.empty()) {
    return Error{ErrorKind::NotFound, "the call has no session"};
  }
  return KvSpace{call.plugin, call.call->passport->who.session};
}

}  // namespace

// When the sessions of old were forgotten last; on the store's thread alone.
struct KvService::Cleaning {
  void run(store::KvStore& store, std::chrono::milliseconds session_ttl) {
    const WallTime now = system_clock().wall();
    if (now < next) return;
    next = now + kForgetEvery;
    const auto forgotten = store.forget_sessions(now - session_ttl);
    if (!forgotten)
      log::warning("plugin", "old sessions stay stored: " + forgotten.error().message);
  }

  WallTime next{};
};

KvService::KvService(Settings settings, std::shared_ptr<store::Desk> desk)
    : settings_(settings), desk_(std::move(desk)), cleaning_(std::make_shared<Cleaning>()) {}

void KvService::run(const std::shared_ptr<ServiceCall>& call, Result<Request> request, Act act) {
  if (!request) return call->answer(failure(request.error()));
  store::Desk::Act<HostAnswer> work =
      [call, cleaning = cleaning_, ttl = settings_.session_ttl, act = std::move(act),
       wanted = std::move(*request)](store::Store& store) -> Result<HostAnswer> {
    if (call->cancel->requested()) return HostAnswer{TP_E_CANCELLED, 0, {}, "the call is over"};
    cleaning->run(store.kv(), ttl);
    return act(store.kv(), wanted);
  };
  desk_->ask<HostAnswer>(std::move(work), [call](Result<HostAnswer> answer) {
    call->answer(answer ? *std::move(answer) : failure(answer.error()));
  });
}

void KvService::offer_in(ServiceTable& table) {
  const auto read_key = [](const ServiceCall& call, bool writes,
                           bool has_value) -> Result<Request> {
    BodyReader body(call.bytes);
    Request request;
    HOST_TRY_ASSIGN(request.space, space_of(body.u32(), call));
    if (writes) request.expected = body.u64();
    request.key = body.text();
    HOST_TRY(check_key(request.key));
    if (has_value) request.value = body.rest();
    if (!body.done()) return malformed("a malformed request");
    if (request.value.size() > kMostValueBytes) return malformed("a value is at most 1 MiB");
    return request;
  };
  table.add(ServiceId::KvGet, [=, this](const std::shared_ptr<ServiceCall>& call) {
    run(call, read_key(*call, false, false), [](store::KvStore& store, const Request& wanted) {
      auto value = store.get(wanted.space, wanted.key);
      if (!value) return failure(value.error());
      return HostAnswer{TP_OK, value->version, {}, std::move(value->bytes)};
    });
  });
  table.add(ServiceId::KvSet, [=, this](const std::shared_ptr<ServiceCall>& call) {
    run(call, read_key(*call, true, true),
        [quota = settings_.quota](store::KvStore& store, const Request& wanted) {
          return answer_to(
              store.set(wanted.space, wanted.key, wanted.value, wanted.expected, quota));
        });
  });
  table.add(ServiceId::KvRemove, [=, this](const std::shared_ptr<ServiceCall>& call) {
    run(call, read_key(*call, true, false), [](store::KvStore& store, const Request& wanted) {
      return answer_to(store.remove(wanted.space, wanted.key, wanted.expected));
    });
  });
  const auto read_list = [](const ServiceCall& call) -> Result<Request> {
    BodyReader body(call.bytes);
    Request request;
    HOST_TRY_ASSIGN(request.space, space_of(body.u32(), call));
    request.limit = body.u32();
    request.key = body.text();
    request.value = body.text();
    if (!body.done() || request.limit == 0 || request.limit > kMostListed) {
      return malformed("a malformed request, or a limit that is not 1 to 1000");
    }
    return request;
  };
  table.add(ServiceId::KvList, [=, this](const std::shared_ptr<ServiceCall>& call) {
    run(call, read_list(*call), [](store::KvStore& store, const Request& wanted) {
      return answer_to(store.list(wanted.space, wanted.key, wanted.value, wanted.limit));
    });
  });
}

}  // namespace host::plugin

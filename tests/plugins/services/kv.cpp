// tp.kv/1: waited for, answered later, from a thread that may not wait, and at a call's end.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "services.h"

namespace {

using toolpost::Context;
using toolpost::Kv;

struct Key {
  std::string key;
  bool session = false;
  TOOLPOST_FIELDS(Key, TOOLPOST_FIELD(key), TOOLPOST_FIELD(session, "", toolpost::defaulted))
};

struct Entry {
  std::string key;
  std::string value;
  std::optional<std::uint64_t> expected;
  bool session = false;
  TOOLPOST_FIELDS(Entry, TOOLPOST_FIELD(key), TOOLPOST_FIELD(value), TOOLPOST_FIELD(expected),
                  TOOLPOST_FIELD(session, "", toolpost::defaulted))
};

struct Range {
  std::string prefix = "";
  std::string after = "";
  std::uint32_t limit = 1000;
  TOOLPOST_FIELDS(Range, TOOLPOST_FIELD(prefix, "", toolpost::defaulted),
                  TOOLPOST_FIELD(after, "", toolpost::defaulted), TOOLPOST_FIELD(limit))
};

Kv kv_of(const Context& call, bool session) {
  return session ? call.session_kv() : call.kv();
}

std::string get(const Key& args, Context& call) {
  const auto entry = kv_of(call, args.session).get(args.key);
  return entry ? std::to_string(entry->version) + " " + entry->value : "nothing";
}

std::string set(const Entry& args, Context& call) {
  const Kv kv = kv_of(call, args.session);
  if (!args.expected) return std::to_string(kv.set(args.key, args.value));
  const auto version = kv.try_set(args.key, args.value, *args.expected);
  return version ? std::to_string(*version) : "conflict";
}

// A value of many bytes, told by its size.
struct Large {
  std::string key;
  std::uint64_t bytes;
  TOOLPOST_FIELDS(Large, TOOLPOST_FIELD(key), TOOLPOST_FIELD(bytes))
};
std::string set_large(const Large& args, Context& call) {
  call.kv().set(args.key, std::string(args.bytes, 'x'));
  return std::to_string(call.kv().get(args.key)->value.size());
}

std::string remove_key(const Key& args, Context& call) {
  return kv_of(call, args.session).remove(args.key) ? "removed" : "nothing";
}

std::string list(const Range& args, Context& call) {
  const auto page = call.kv().list(args.prefix, args.after, args.limit);
  std::string text;
  for (const auto& key : page.keys) text += key.key + "=" + std::to_string(key.bytes) + " ";
  return text + (page.more ? "more" : "end");
}

// Adds one, however many calls do so at once.
std::string count(const Key& args, Context& call) {
  for (;;) {
    const auto old = call.kv().get(args.key);
    const auto next = std::to_string(old ? std::stoull(old->value) + 1 : 1);
    if (call.kv().try_set(args.key, next, old ? old->version : 0)) return next;
  }
}

// Returns at once; the answer comes on another thread, which asks again from there.
void later(const Key& args, toolpost::Pending pending) {
  auto kept = std::make_shared<toolpost::Pending>(std::move(pending));
  const Kv kv = kept->context().kv();
  kv.set(args.key, "later", TP_KV_ANY, [kept, kv, key = args.key](toolpost::ServiceAnswer) {
    kv.get(key, [kept](const toolpost::ServiceAnswer& got) { kept->finish(got.bytes); });
  });
}

// Asks for no call, and does not care.
void leave(const Key& args, Context& call) {
  call.host().kv().set(args.key, "left", TP_KV_ANY, [](const toolpost::ServiceAnswer&) {});
}

// Waits where nothing may wait.
std::string impatient(const Key& args, Context& call) {
  return call.kv().get(args.key) ? "there" : "nothing";
}

// The same from a function that takes an answer.
void impatient_later(const Key& args, toolpost::Pending pending) {
  auto kept = std::make_shared<toolpost::Pending>(std::move(pending));
  const Kv kv = kept->context().kv();
  kv.get(args.key, [kept, kv, key = args.key](const toolpost::ServiceAnswer&) {
    try {
      kv.get(key);
      kept->finish("it waited");
    } catch (const toolpost::ServiceError& error) {
      kept->finish(std::to_string(error.status()));
    }
  });
}

// Asks as often as it may without waiting for an answer, and tells the first refusal.
std::string flood(const Key& args, Context& call) {
  struct Tally {
    std::mutex mutex;
    std::condition_variable all;
    int open = 0;
    tp_status refused = TP_OK;
  };
  auto tally = std::make_shared<Tally>();
  for (int i = 0; i < 200'000; ++i) {
    {
      const std::lock_guard lock(tally->mutex);
      if (tally->refused != TP_OK) break;
      ++tally->open;
    }
    call.kv().get(args.key, [tally](const toolpost::ServiceAnswer& answer) {
      const std::lock_guard lock(tally->mutex);
      if (answer.status != TP_OK) tally->refused = answer.status;
      if (--tally->open == 0) tally->all.notify_all();
    });
  }
  std::unique_lock lock(tally->mutex);
  tally->all.wait(lock, [&] { return tally->open == 0; });
  return std::to_string(tally->refused);
}

// Is cancelled, and its instance waits in cancel().
void until_cancelled(Instance& instance, Context& call) {
  instance.cancel_status = Instance::kAsk;
  call.progress(0);
  for (;;) {
    call.check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string cancel_status(Instance& instance) {
  return std::to_string(instance.cancel_status);
}

}  // namespace

Services with_kv(Services plugin) {
  return std::move(plugin)
      .tool("kv_get", "Reads a key", get, {.read_only = true})
      .tool("kv_set", "Writes a key", set)
      .tool("kv_set_large", "Writes and reads a large value", set_large)
      .tool("kv_remove", "Removes a key", remove_key)
      .tool("kv_list", "Lists keys", list, {.read_only = true})
      .tool("kv_count", "Adds one to a key", count)
      .tool("kv_later", "Writes and reads without waiting", later)
      .tool("kv_leave", "Writes without a call", leave)
      .tool("kv_impatient", "Waits where it must not", impatient, {.nonblocking = true})
      .tool("kv_impatient_later", "Waits in an answer", impatient_later)
      .tool("kv_flood", "Asks very often", flood)
      .tool("kv_until_cancelled", "Waits in cancel()", until_cancelled)
      .tool("kv_cancel_status", "How that ended", cancel_status);
}

// The host's side of the C ABI in one header, to test plugins through it and nothing else. No test
// framework, so that a program outside the tree can use it too.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "toolpost/ext/announce.h"
#include "toolpost/ext/ask.h"
#include "toolpost/plugin.h"

namespace fake {

inline std::string text(tp_str from) {
  return from.ptr == nullptr ? std::string() : std::string(from.ptr, from.len);
}
inline tp_str str(std::string_view from) {
  return {from.data(), from.size()};
}

struct Block {
  uint32_t kind;
  std::string mime;
  std::string bytes;
};

struct Question {
  std::string key;
  std::string method;
  std::string params;
};

// One call and everything that the plugin pushed into it.
struct Call {
  std::uint32_t abilities = 0;                 // TP_ASK_... bits of what its client can answer
  std::map<std::string, std::string> answers;  // by key
  std::string state;                           // of the round before
  std::vector<Question> questions;             // what it asks now
  std::string kept;
  std::vector<Block> blocks;
  std::optional<std::string> error;
  std::int32_t error_code = 0;
  std::vector<double> progress;
  std::atomic<bool> cancelled{false};
  std::int64_t deadline_ns = 0;
  int busy = 0;              // result() answers TP_E_BUSY that often before it takes a block
  tp_status status = TP_OK;  // how the call ended

  tp_call* handle() { return reinterpret_cast<tp_call*>(this); }
  static Call& of(const tp_call* call) {
    return *reinterpret_cast<Call*>(const_cast<tp_call*>(call));
  }

  // The bytes of the only block.
  std::string only() const {
    if (blocks.size() != 1)
      throw std::runtime_error("expected one block, got " + std::to_string(blocks.size()));
    return blocks.front().bytes;
  }

  void wait_until_complete() {
    std::unique_lock lock(mutex);
    if (!ended.wait_for(lock, std::chrono::seconds(20), [&] { return completions > 0; })) {
      throw std::runtime_error("the call never completed");
    }
  }

  std::mutex mutex;
  std::condition_variable ended;
  int completions = 0;  // guarded by mutex
};

struct Host {
  std::vector<std::string> log;
  std::vector<std::string> announced;  // "resources", "prompts", "updated URI", "tool 3 off"
  std::mutex mutex;                    // guards both

  static Host& of(tp_host* host) { return *reinterpret_cast<Host*>(host); }
  void announce(std::string what) {
    const std::lock_guard lock(mutex);
    announced.push_back(std::move(what));
  }

  tp_host* handle() { return reinterpret_cast<tp_host*>(this); }
};

// Takes every question that the call's client can be asked.
inline const tp_ask_api& ask_api() {
  static const tp_ask_api api = [] {
    tp_ask_api made{};
    made.struct_size = sizeof made;
    made.abilities = [](const tp_call* call) { return Call::of(call).abilities; };
    made.answer = [](const tp_call* call, tp_str key) -> tp_str {
      const auto& answers = Call::of(call).answers;
      const auto at = answers.find(text(key));
      return at == answers.end() ? tp_str{nullptr, 0} : str(at->second);
    };
    made.ask = [](tp_call* call, tp_str key, tp_str method, tp_str params) -> tp_status {
      Call& self = Call::of(call);
      const std::string name = text(method);
      const std::uint32_t need = name == "roots/list"               ? TP_ASK_ROOTS
                                 : name == "sampling/createMessage" ? TP_ASK_SAMPLING
                                                                    : TP_ASK_FORM;
      if ((self.abilities & need) == 0) return TP_E_UNSUPPORTED;
      self.questions.push_back({text(key), name, text(params)});
      return TP_OK;
    };
    made.state = [](const tp_call* call) { return str(Call::of(call).state); };
    made.keep = [](tp_call* call, tp_str state) -> tp_status {
      Call::of(call).kept = text(state);
      return TP_OK;
    };
    return made;
  }();
  return api;
}

inline const tp_announce_api& announce_api() {
  static const tp_announce_api api = [] {
    tp_announce_api made{};
    made.struct_size = sizeof made;
    made.resources_changed = [](tp_host* host) { Host::of(host).announce("resources"); };
    made.prompts_changed = [](tp_host* host) { Host::of(host).announce("prompts"); };
    made.resource_updated = [](tp_host* host, tp_str uri) {
      Host::of(host).announce("updated " + text(uri));
    };
    made.offer_tool = [](tp_host* host, uint32_t tool, int32_t on) -> tp_status {
      Host::of(host).announce("tool " + std::to_string(tool) + (on ? " on" : " off"));
      return TP_OK;
    };
    return made;
  }();
  return api;
}

inline const tp_host_api& host_api() {
  static const tp_host_api api = [] {
    tp_host_api made{};
    made.struct_size = sizeof made;
    made.extension = [](tp_host*, const char* id) -> const void* {
      if (std::string_view(id) == TP_EXT_ASK) return &ask_api();
      if (std::string_view(id) == TP_EXT_ANNOUNCE) return &announce_api();
      return nullptr;
    };
    made.log = [](tp_host* host, int32_t, tp_str message, tp_str) {
      auto& self = *reinterpret_cast<Host*>(host);
      const std::lock_guard lock(self.mutex);
      self.log.push_back(text(message));
    };
    made.result = [](tp_call* call, uint32_t kind, tp_str mime, tp_str bytes) -> tp_status {
      Call& self = Call::of(call);
      if (self.cancelled) return TP_E_CANCELLED;
      if (self.busy-- > 0) return TP_E_BUSY;
      self.blocks.push_back({kind, text(mime), text(bytes)});
      return TP_OK;
    };
    made.error = [](tp_call* call, int32_t code, tp_str message, tp_str) -> tp_status {
      Call::of(call).error = text(message);
      Call::of(call).error_code = code;
      return TP_OK;
    };
    made.progress = [](tp_call* call, double done, double, tp_str) -> tp_status {
      Call::of(call).progress.push_back(done);
      return Call::of(call).cancelled ? TP_E_CANCELLED : TP_OK;
    };
    made.cancelled = [](const tp_call* call) -> int32_t { return Call::of(call).cancelled; };
    made.deadline_ns = [](const tp_call* call) { return Call::of(call).deadline_ns; };
    made.complete = [](tp_call* call, tp_status status) {
      Call& self = Call::of(call);
      const std::lock_guard lock(self.mutex);
      self.status = status;
      ++self.completions;
      self.ended.notify_all();
    };
    return made;
  }();
  return api;
}

// A loaded library and one instance of it.
class Plugin {
 public:
  explicit Plugin(const std::string& path, std::string_view config = "{}",
                  const tp_host_api& api = host_api())
      : library_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    const auto entry =
        reinterpret_cast<decltype(&toolpost_plugin_v1)>(::dlsym(library_, TP_ENTRY_SYMBOL));
    if (entry == nullptr) throw std::runtime_error(path + " has no " TP_ENTRY_SYMBOL);
    open(entry(), config, api);
  }
  // A plugin that is linked in, by its description.
  Plugin(const tp_plugin* about, std::string_view config, const tp_host_api& api = host_api()) {
    open(about, config, api);
  }
  ~Plugin() {
    if (instance_ != nullptr) {
      if (api_->quiesce != nullptr) api_->quiesce(instance_, 1000);
      api_->destroy(instance_);
    }
#if !defined(__SANITIZE_ADDRESS__)
    // Under the leak check libraries stay, so that it can name their frames and what a library
    // caches for its whole life, as time zones, is still reachable.
    if (library_ != nullptr) ::dlclose(library_);
#endif
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const tp_plugin& about() const {
    return *about_;
  }
  const tp_instance_api& api() const {
    return *api_;
  }
  tp_instance* instance() const {
    return instance_;
  }
  tp_status created() const {
    return created_;
  }
  Host& host() {
    return host_;
  }

  // By the plugin's stride, never by our size.
  const tp_tool& tool(uint32_t index) const {
    const auto* bytes = reinterpret_cast<const char*>(about_->tools);
    return *reinterpret_cast<const tp_tool*>(bytes +
                                             static_cast<size_t>(index) * about_->tool_stride);
  }

  uint32_t index_of(std::string_view name) const {
    for (uint32_t i = 0; i < about_->tool_count; ++i) {
      if (text(tool(i).name) == name) return i;
    }
    throw std::runtime_error("no tool " + std::string(name));
  }

  tp_status call(std::string_view name, std::string_view args, Call& call) {
    const tp_status status = api_->call(instance_, index_of(name), str(args), call.handle());
    if (status == TP_PENDING) {
      call.wait_until_complete();
    } else {
      call.status = status;
    }
    return call.status;
  }

  // The plugin's own table for an extension, NULL where it has none.
  template <class Table>
  const Table* extension(const char* id) const {
    if (api_->extension == nullptr) return nullptr;
    return static_cast<const Table*>(api_->extension(instance_, id));
  }

  // The text of the only block of a call that succeeds; of one that does not, "error: ..." or
  // "status N".
  std::string answer(std::string_view name, std::string_view args) {
    Call made;
    const tp_status status = call(name, args, made);
    if (made.error) return "error: " + *made.error;
    if (status != TP_OK) return "status " + std::to_string(status);
    return made.only();
  }

 private:
  void open(const tp_plugin* about, std::string_view config, const tp_host_api& api) {
    if (about == nullptr) throw std::runtime_error("the library has no description");
    about_ = about;
    created_ = about->create(&api, host_.handle(), str(config), &api_, &instance_);
    if (created_ == TP_OK && api_->activate != nullptr) created_ = api_->activate(instance_);
  }

  void* library_ = nullptr;
  const tp_plugin* about_ = nullptr;
  const tp_instance_api* api_ = nullptr;
  tp_instance* instance_ = nullptr;
  tp_status created_ = TP_E_INTERNAL;
  Host host_;
};

}  // namespace fake

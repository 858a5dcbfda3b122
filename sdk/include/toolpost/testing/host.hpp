// testing/host.hpp is the host's side of the ABI in a test: tables of functions that record what
// the plugin pushes. See toolpost/testing.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/ext/announce.h"
#include "toolpost/ext/ask.h"
#include "toolpost/ext/context.h"
#include "toolpost/ext/metrics.h"
#include "toolpost/plugin.h"
#include "toolpost/testing/args.hpp"
#include "toolpost/testing/call.hpp"

namespace toolpost {
namespace testing {

// testing::Host is the test's host, for one instance.
class Host {
 public:
  struct Declared {
    std::uint32_t kind;
    std::string name;
    std::vector<std::string> labels;
  };
  std::vector<std::string> log;
  std::vector<std::string> announced;  // announced changes, like "prompts" or "tool 3 off"
  // `metrics` contains the plugin's metrics, by `name` or `name{label="value",...}`. The value of a
  // metric is the sum of a counter, the value of a gauge, or the sum of the observed values of a
  // histogram.
  std::map<std::string, double> metrics;
  std::mutex mutex;  // guards the members above
  // Further tables of functions that the test offers, by extension id.
  std::map<std::string, const void*> extensions;

  tp_host* handle() { return reinterpret_cast<tp_host*>(this); }
  static Host& of(tp_host* host) { return *reinterpret_cast<Host*>(host); }
  std::vector<Declared> declared;  // metrics; the index is the metric's number minus one

  void announce(std::string what) {
    const std::lock_guard lock(mutex);
    announced.push_back(std::move(what));
  }
};

inline const tp_context_api& context_api() {
  static const tp_context_api api = [] {
    tp_context_api made{};
    made.struct_size = sizeof made;
    made.text = [](const tp_call* call, tp_str key) -> tp_str {
      const auto& context = Call::of(call).context;
      const auto at = context.find(text(key));
      return at == context.end() ? tp_str{nullptr, 0} : str(at->second);
    };
    made.value = [](const tp_call* call, tp_str key) -> tp_str {
      const auto& values = Call::of(call).values;
      const auto at = values.find(text(key));
      return at == values.end() ? tp_str{nullptr, 0} : str(at->second);
    };
    made.entry = [](const tp_call* call, tp_str type) -> tp_str {
      const auto& entries = Call::of(call).entries;
      const auto at = entries.find(text(type));
      return at == entries.end() ? str("null") : str(at->second);
    };
    return made;
  }();
  return api;
}

// Accepts every question that the call's client supports.
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
      if (!is_json(text(params))) return TP_E_INVALID;
      self.questions.push_back({text(key), name, text(params)});
      return TP_OK;
    };
    made.state = [](const tp_call* call) { return str(Call::of(call).state); };
    made.keep = [](tp_call* call, tp_str state) -> tp_status {
      if (state.len > 16384) return TP_E_NOMEM;
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

// Returns a pointer to the value of the measured metric series. Returns nullptr if the measurement
// is malformed. Call measured() with the host's mutex locked.
inline double* measured(Host& host, std::uint32_t number, tp_strs labels, double value,
                        bool (*fits)(std::uint32_t kind, double value)) {
  if (number == 0 || number > host.declared.size()) return nullptr;
  const Host::Declared& metric = host.declared[number - 1];
  const bool finite = value - value == 0;
  if (labels.count != metric.labels.size() || !finite || !fits(metric.kind, value)) return nullptr;
  std::string key = metric.name;
  for (std::uint64_t i = 0; i < labels.count; ++i) {
    key += (i == 0 ? '{' : ',') + metric.labels[i] + "=\"" + text(labels.items[i]) + '"';
  }
  return &host.metrics[labels.count == 0 ? key : key + '}'];
}

// Records the plugin's metrics. In a metric's declaration, only the kind is checked.
inline const tp_metrics_api& metrics_api() {
  static const tp_metrics_api api = [] {
    tp_metrics_api made{};
    made.struct_size = sizeof made;
    made.declare = [](tp_host* host, const tp_metric* metric, uint32_t* number) -> tp_status {
      Host& self = Host::of(host);
      const std::lock_guard lock(self.mutex);
      if (metric->kind < TP_METRIC_COUNTER || metric->kind > TP_METRIC_HISTOGRAM) {
        return TP_E_INVALID;
      }
      Host::Declared made_known{metric->kind, text(metric->name), {}};
      for (std::uint64_t i = 0; i < metric->labels.count; ++i) {
        made_known.labels.push_back(text(metric->labels.items[i]));
      }
      self.declared.push_back(std::move(made_known));
      *number = static_cast<uint32_t>(self.declared.size());
      return TP_OK;
    };
    made.add = [](tp_host* host, uint32_t number, tp_strs labels, double value) -> tp_status {
      Host& self = Host::of(host);
      const std::lock_guard lock(self.mutex);
      const auto fits = [](std::uint32_t kind, double more) {
        return (kind == TP_METRIC_COUNTER && more >= 0) || kind == TP_METRIC_GAUGE;
      };
      double* const at = measured(self, number, labels, value, fits);
      if (at != nullptr) *at += value;
      return at == nullptr ? TP_E_INVALID : TP_OK;
    };
    made.set = [](tp_host* host, uint32_t number, tp_strs labels, double value) -> tp_status {
      Host& self = Host::of(host);
      const std::lock_guard lock(self.mutex);
      const auto fits = [](std::uint32_t kind, double) { return kind == TP_METRIC_GAUGE; };
      double* const at = measured(self, number, labels, value, fits);
      if (at != nullptr) *at = value;
      return at == nullptr ? TP_E_INVALID : TP_OK;
    };
    made.observe = [](tp_host* host, uint32_t number, tp_strs labels, double value) -> tp_status {
      Host& self = Host::of(host);
      const std::lock_guard lock(self.mutex);
      const auto fits = [](std::uint32_t kind, double) { return kind == TP_METRIC_HISTOGRAM; };
      double* const at = measured(self, number, labels, value, fits);
      if (at != nullptr) *at += value;
      return at == nullptr ? TP_E_INVALID : TP_OK;
    };
    return made;
  }();
  return api;
}

inline const tp_host_api& host_api() {
  static const tp_host_api api = [] {
    tp_host_api made{};
    made.struct_size = sizeof made;
    made.extension = [](tp_host* host, const char* id) -> const void* {
      const auto& own = Host::of(host).extensions;
      if (const auto at = own.find(id); at != own.end()) return at->second;
      if (std::string_view(id) == TP_EXT_CONTEXT) return &context_api();
      if (std::string_view(id) == TP_EXT_ARGS) return &args_api();
      if (std::string_view(id) == TP_EXT_ASK) return &ask_api();
      if (std::string_view(id) == TP_EXT_ANNOUNCE) return &announce_api();
      if (std::string_view(id) == TP_EXT_METRICS) return &metrics_api();
      return nullptr;
    };
    made.log = [](tp_host* host, int32_t, tp_str message, tp_str) {
      Host& self = Host::of(host);
      const std::lock_guard lock(self.mutex);
      self.log.push_back(text(message));
    };
    made.result = [](tp_call* call, uint32_t kind, tp_str mime, tp_str bytes) -> tp_status {
      Call& self = Call::of(call);
      if (self.cancelled) return TP_E_CANCELLED;
      if (self.busy-- > 0) return TP_E_BUSY;
      const std::uint32_t what = kind & TP_KIND_MASK;
      const bool is_text_of_json =
          what == TP_JSON || what == TP_CONTENT || what == TP_RESOURCE_LINK;
      if (what < TP_TEXT || what > TP_CONTENT) return TP_E_INVALID;
      if (is_text_of_json && !is_json(text(bytes))) return TP_E_INVALID;
      if (what == TP_TEXT && !is_utf8(text(bytes))) return TP_E_INVALID;
      if (kind == TP_JSON && !self.structured().empty()) return TP_E_INVALID;
      self.blocks.push_back({kind, text(mime), text(bytes)});
      return TP_OK;
    };
    made.error = [](tp_call* call, int32_t code, tp_str message, tp_str data) -> tp_status {
      Call& self = Call::of(call);
      if (!is_utf8(text(message))) return TP_E_INVALID;
      if (data.len > 0 && !is_json(text(data))) return TP_E_INVALID;
      self.error = text(message);
      self.error_code = code;
      self.error_data = text(data);
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
      const std::lock_guard lock(self.mutex_);
      self.status = status;
      ++self.completions;
      self.ended_.notify_all();
    };
    return made;
  }();
  return api;
}

}  // namespace testing
}  // namespace toolpost

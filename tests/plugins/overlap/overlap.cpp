// overlap: tools that watch how they are scheduled, and tools that end in every way a call can end.
//
// Written against the C ABI itself, so that a fault in the C++ face cannot hide one in the host.
// The gauges live in this library: they see the calls of one process and one generation.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "toolpost/plugin.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How many calls are inside at once, and the most that ever were.
struct Gauge {
  std::atomic<int> inside{0};
  std::atomic<int> peak{0};
};

class Visit {
 public:
  explicit Visit(Gauge& gauge) : gauge_(gauge) {
    const int inside = ++gauge_.inside;
    int peak = gauge_.peak;
    while (inside > peak && !gauge_.peak.compare_exchange_weak(peak, inside)) {
    }
  }
  ~Visit() { --gauge_.inside; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Gauge& gauge_;
};

Gauge serial, exclusive, inflight, unbounded;

struct Instance {
  const tp_host_api* host;
  std::mutex mutex;
  std::vector<std::thread> threads;  // guarded by mutex; joined in quiesce()
};

tp_str str(std::string_view text) {
  return {text.data(), text.size()};
}

tp_status push(const Instance& self, tp_call* call, uint32_t kind, std::string_view bytes) {
  return self.host->result(call, kind, tp_str{nullptr, 0}, str(bytes));
}

// The member "ms" of the arguments: a whole number by schema.
milliseconds ms_of(tp_str args) {
  const std::string_view text(args.ptr, args.len);
  const size_t member = text.find("\"ms\"");
  if (member == text.npos) return milliseconds(0);
  const size_t digits = text.find_first_of("0123456789", member + 4);
  int value = 0;
  if (digits != text.npos) std::from_chars(text.data() + digits, text.data() + text.size(), value);
  return milliseconds(value);
}

// Passes the time in small steps; false once the call should stop.
bool pass(const Instance& self, tp_call* call, milliseconds time) {
  const auto end = Clock::now() + time;
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    if (self.host->cancelled(call) != 0) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(end - now, milliseconds(2)));
  }
  return self.host->cancelled(call) == 0;
}

tp_status probe(const Instance& self, tp_call* call, milliseconds time, Gauge& gauge) {
  const Visit visit(gauge);
  if (!pass(self, call, time)) return TP_E_CANCELLED;
  return push(self, call, TP_JSON, "{\"peak\":" + std::to_string(gauge.peak) + "}");
}

tp_status slow(const Instance& self, tp_call* call, milliseconds time) {
  constexpr int kSteps = 10;
  for (int step = 1; step <= kSteps; ++step) {
    if (!pass(self, call, time / kSteps)) return TP_E_CANCELLED;
    if (self.host->progress(call, step, kSteps, str("working")) == TP_E_CANCELLED)
      return TP_E_CANCELLED;
  }
  return push(self, call, TP_TEXT, "done");
}

tp_status stuck(const Instance& self, tp_call* call, milliseconds time) {
  std::this_thread::sleep_for(time);
  return push(self, call, TP_TEXT, "done");
}

tp_status pending(Instance& self, tp_call* call, milliseconds time) {
  const std::lock_guard lock(self.mutex);
  self.threads.emplace_back([&self, call, time] {
    tp_status status = TP_E_CANCELLED;
    if (pass(self, call, time)) status = push(self, call, TP_TEXT, "done later");
    self.host->complete(call, status);
  });
  return TP_PENDING;
}

tp_status fails(const Instance& self, tp_call* call) {
  return self.host->error(call, 7, str("it failed, as asked"), tp_str{nullptr, 0});
}

tp_status received(const Instance& self, tp_call* call, tp_str args) {
  return push(self, call, TP_JSON,
              "{\"received\":" + std::string(args.ptr, static_cast<size_t>(args.len)) + "}");
}

enum Tool : uint32_t {
  kSerialProbe,
  kExclusiveA,
  kExclusiveB,
  kInflightProbe,
  kFreeProbe,
  kSlow,
  kStuck,
  kPending,
  kFails,
  kAction,
  kPreConfirmed,
  kPostConfirmed,
  kPrivSecret,
  kInternal,
  kToolCount
};

constexpr std::string_view kTimed =
    R"({"type":"object","properties":{"ms":{"type":"integer","minimum":0,"maximum":600000,)"
    R"("description":"How long the call takes, in milliseconds"}},"required":["ms"]})";
constexpr std::string_view kPeak =
    R"({"type":"object","properties":{"peak":{"type":"integer"}},"required":["peak"]})";
constexpr std::string_view kAnything = R"({"type":"object","properties":{}})";
constexpr std::string_view kText =
    R"({"type":"object","properties":{"text":{"type":"string","description":"Given back"}}})";
constexpr std::string_view kAfter =
    R"({"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"},)"
    R"("result":{"type":"object"},"call_id":{"type":"string"}}})";

constexpr tp_str view(std::string_view text) {
  return {text.data(), text.size()};
}

constexpr tp_tool tool(std::string_view name, std::string_view description, std::string_view schema,
                       uint64_t flags) {
  tp_tool made{};
  made.struct_size = sizeof(tp_tool);
  made.flags = flags;
  made.name = view(name);
  made.description = view(description);
  made.input_schema = view(schema);
  return made;
}

constexpr tp_tool probe_tool(std::string_view name, std::string_view description, uint64_t flags,
                             std::string_view exclusive_name, uint32_t max_inflight) {
  tp_tool made = tool(name, description, kTimed, flags | TP_TOOL_READ_ONLY);
  made.output_schema = view(kPeak);
  made.exclusive = view(exclusive_name);
  made.max_inflight = max_inflight;
  return made;
}

constexpr tp_str kAfterAction[] = {TP_STR("action")};

constexpr tp_tool after_tool() {
  tp_tool made =
      tool("post_confirmed", "Runs after action and pre_confirmed; gives back what it got", kAfter,
           TP_TOOL_READ_ONLY);
  made.after = {kAfterAction, 1};
  return made;
}

// In the order of Tool.
constexpr tp_tool kTools[kToolCount] = {
    probe_tool("serial_probe", "Never runs beside itself", TP_TOOL_SERIAL, "", 0),
    probe_tool("exclusive_a", "Never runs beside exclusive_b", 0, "overlap.exclusive", 0),
    probe_tool("exclusive_b", "Never runs beside exclusive_a", 0, "overlap.exclusive", 0),
    probe_tool("inflight_probe", "Runs at most twice at once", 0, "", 2),
    probe_tool("free_probe", "Runs beside everything", 0, "", 0),
    tool("slow", "Takes its time, tells how far it is, and stops when asked", kTimed,
         TP_TOOL_READ_ONLY),
    tool("stuck", "Takes its time and does not listen", kTimed, TP_TOOL_READ_ONLY),
    tool("pending", "Answers from a thread of its own", kTimed, TP_TOOL_READ_ONLY),
    tool("fails", "Always fails", kAnything, TP_TOOL_READ_ONLY),
    tool("action", "Gives its arguments back", kText, TP_TOOL_READ_ONLY),
    tool("pre_confirmed", "Gives its arguments back, once confirmed", kText, 0),
    after_tool(),
    tool("priv_secret", "Gives its arguments back to who has a code", kText, 0),
    tool("_internal", "Gives its arguments back to the host alone", kText, 0),
};

tp_status run(Instance& self, uint32_t tool, tp_str args, tp_call* call) {
  switch (tool) {
    case kSerialProbe:
      return probe(self, call, ms_of(args), serial);
    case kExclusiveA:
    case kExclusiveB:
      return probe(self, call, ms_of(args), exclusive);
    case kInflightProbe:
      return probe(self, call, ms_of(args), inflight);
    case kFreeProbe:
      return probe(self, call, ms_of(args), unbounded);
    case kSlow:
      return slow(self, call, ms_of(args));
    case kStuck:
      return stuck(self, call, ms_of(args));
    case kPending:
      return pending(self, call, ms_of(args));
    case kFails:
      return fails(self, call);
    case kAction:
    case kPreConfirmed:
    case kPostConfirmed:
    case kPrivSecret:
    case kInternal:
      return received(self, call, args);
    default:
      return TP_E_UNSUPPORTED;
  }
}

tp_status overlap_call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) {
  try {
    return run(*reinterpret_cast<Instance*>(self), tool, args, call);
  } catch (...) {  // no memory, no thread
    return TP_E_INTERNAL;
  }
}

tp_status overlap_quiesce(tp_instance* self, uint32_t) {
  auto& instance = *reinterpret_cast<Instance*>(self);
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(instance.mutex);
    threads.swap(instance.threads);
  }
  for (std::thread& thread : threads) thread.join();
  return TP_OK;
}

void overlap_destroy(tp_instance* self) {
  overlap_quiesce(self, 0);
  delete reinterpret_cast<Instance*>(self);
}

constexpr tp_instance_api make_instance_api() {
  tp_instance_api api{};
  api.struct_size = sizeof(api);
  api.concurrency = TP_CONCURRENT;
  api.call = overlap_call;
  api.quiesce = overlap_quiesce;
  api.destroy = overlap_destroy;
  return api;
}
constexpr tp_instance_api kInstanceApi = make_instance_api();

tp_status overlap_create(const tp_host_api* host_api, tp_host*, tp_str, const tp_instance_api** api,
                         tp_instance** out) {
  auto instance = std::unique_ptr<Instance>(new (std::nothrow) Instance{host_api, {}, {}});
  if (!instance) return TP_E_NOMEM;
  *api = &kInstanceApi;
  *out = reinterpret_cast<tp_instance*>(instance.release());
  return TP_OK;
}

constexpr tp_plugin make_plugin() {
  tp_plugin plugin{};
  plugin.struct_size = sizeof(plugin);
  plugin.abi_major = TP_ABI_MAJOR;
  plugin.abi_minor = TP_ABI_MINOR;
  plugin.host_api_min_size = sizeof(tp_host_api);
  plugin.tool_count = kToolCount;
  plugin.tool_stride = sizeof(tp_tool);
  plugin.tools = kTools;
  plugin.id = TP_STR("io.toolpost.test.overlap");
  plugin.name = TP_STR("Overlap");
  plugin.version = TP_STR("1.0.0");
  plugin.create = overlap_create;
  return plugin;
}
constexpr tp_plugin kPlugin = make_plugin();

}  // namespace

const tp_plugin* toolpost_plugin_v1(void) {
  return &kPlugin;
}

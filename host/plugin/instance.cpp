#include "plugin/instance.h"

#include <toolpost/ext/context.h>
#include <toolpost/ext/selftest.h>

#include <cstring>
#include <utility>

#include "base/encoding.h"
#include "json/json.h"
#include "plugin/call_table.h"

namespace host::plugin {
namespace {

constexpr std::uint32_t kSmallestTable =
    offsetof(tp_instance_api, destroy) + sizeof(tp_instance_api::destroy);
constexpr std::size_t kMostLogBytes = 16u << 10u;

thread_local tp_call* current_call = nullptr;  // whose log lines these are

CallTable& table() {
  return CallTable::of_process();
}

bool readable(tp_str text) {
  return text.len == 0 || text.ptr != nullptr;
}
std::string_view view(tp_str text) {
  return {text.ptr, text.len};
}
tp_str lend(std::string_view text) {
  return {text.data(), text.size()};
}

std::string printable(tp_str text) {
  if (!readable(text)) return "(a text without bytes)";
  std::string_view bytes = view(text).substr(0, kMostLogBytes);
  while (!bytes.empty() && bytes.size() == kMostLogBytes && !is_utf8(bytes)) bytes.remove_suffix(1);
  return is_utf8(bytes) ? std::string(bytes) : "(a text that is not UTF-8)";
}

// One JSON object, compact, or nothing.
std::string fields_text(tp_str fields) {
  if (!readable(fields) || fields.len == 0 || fields.len > kMostLogBytes) return {};
  const auto tree = json::parse(view(fields));
  return tree && tree->root().IsObject() ? json::write(tree->root()) : std::string();
}

Error fault(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

}  // namespace

// The functions of tp_host_api and of the extensions that the host offers.
struct Instance::HostFunctions {
  static Instance& of(tp_host* host) { return *reinterpret_cast<Instance*>(host); }

  static const void* extension(tp_host*, const char* id) {
    static const tp_context_api context = {sizeof(tp_context_api), 0, &context_get};
    return id && std::strcmp(id, TP_EXT_CONTEXT) == 0 ? &context : nullptr;
  }

  static void log(tp_host* host, std::int32_t level, tp_str message, tp_str fields) {
    of(host).log(level, message, fields);
  }

  // `act` on the call's sink, or TP_E_CANCELLED where the call has ended.
  template <class Act>
  static tp_status on_sink(tp_call* call, Act act) {
    const auto status = table().with(call, [&](CallSink& sink, CallInfo&) { return act(sink); });
    if (!status) return TP_E_CANCELLED;
    return *status == TP_OK && table().cancelled(call) ? TP_E_CANCELLED : *status;
  }

  static tp_status result(tp_call* call, std::uint32_t kind, tp_str mime, tp_str bytes) {
    if (!readable(mime) || !readable(bytes)) return TP_E_INVALID;
    return on_sink(call, [&](CallSink& sink) { return sink.push(kind, view(mime), view(bytes)); });
  }

  static tp_status error(tp_call* call, std::int32_t code, tp_str message, tp_str data) {
    if (!readable(message) || !readable(data)) return TP_E_INVALID;
    return on_sink(call,
                   [&](CallSink& sink) { return sink.error(code, view(message), view(data)); });
  }

  static tp_status progress(tp_call* call, double done, double total, tp_str message) {
    if (!readable(message) || !is_utf8(view(message))) return TP_E_INVALID;
    return on_sink(call, [&](CallSink& sink) {
      sink.progress(done, total, view(message));
      return TP_OK;
    });
  }

  static std::int32_t cancelled(const tp_call* call) { return table().cancelled(call) ? 1 : 0; }

  static std::int64_t deadline_ns(const tp_call* call) {
    return table()
        .with(call, [](CallSink&, CallInfo& info) { return info.deadline_ns; })
        .value_or(0);
  }

  static void complete(tp_call* call, tp_status status) { table().complete(call, status); }

  static tp_str context_get(const tp_call* call, const char* key) {
    const auto pick = [key](CallSink&, CallInfo& info) -> tp_str {
      const std::string_view wanted = key ? key : "";
      const std::string* text = wanted == "principal"     ? &info.principal
                                : wanted == "session"     ? &info.session
                                : wanted == "request"     ? &info.request
                                : wanted == "traceparent" ? &info.traceparent
                                                          : nullptr;
      return text && !text->empty() ? lend(*text) : tp_str{nullptr, 0};
    };
    return table().with(call, pick).value_or(tp_str{nullptr, 0});
  }

  static constexpr tp_host_api kApi = {sizeof(tp_host_api),         TP_ABI_MINOR,
                                       &HostFunctions::extension,   &HostFunctions::log,
                                       &HostFunctions::result,      &HostFunctions::error,
                                       &HostFunctions::progress,    &HostFunctions::cancelled,
                                       &HostFunctions::deadline_ns, &HostFunctions::complete};
};

Instance::Instance(Log log) : log_(std::move(log)) {}

Result<std::unique_ptr<Instance>> Instance::create(const Library& library,
                                                   std::string_view settings, Log log) {
  std::unique_ptr<Instance> instance(new Instance(std::move(log)));
  HOST_TRY(instance->make(library, settings));
  return instance;
}

Result<void> Instance::make(const Library& library, std::string_view settings) {
  tp_instance* self = nullptr;
  const tp_status status = library.descriptor().create(
      &HostFunctions::kApi, reinterpret_cast<tp_host*>(this), lend(settings), &api_, &self);
  if (status != TP_OK) {
    api_ = nullptr;
    return fault("create() refused with status " + std::to_string(status) + last_words());
  }
  self_ = self;
  const Result<void> checked = check_table();
  if (!checked) api_ = nullptr;
  return checked;
}

Result<void> Instance::check_table() const {
  if (!api_) return fault("create() set no tp_instance_api");
  if (api_->struct_size < kSmallestTable) {
    return fault("its tp_instance_api has " + std::to_string(api_->struct_size) +
                 " bytes, at least " + std::to_string(kSmallestTable) + " are needed");
  }
  if (!api_->call || !api_->destroy) return fault("its tp_instance_api lacks call() or destroy()");
  if (api_->concurrency > TP_CONCURRENT)
    return fault("its tp_instance_api has an unknown concurrency");
  return {};
}

Instance::~Instance() {
  if (api_) api_->destroy(self_);
}

std::string Instance::last_words() const {
  const std::lock_guard lock(last_mutex_);
  return last_message_.empty() ? std::string() : ": " + last_message_;
}

void Instance::log(int level, tp_str message, tp_str json_fields) {
  const std::string text = printable(message);
  const std::string fields = fields_text(json_fields);
  if (level >= TP_LOG_WARNING) {
    const std::lock_guard lock(last_mutex_);
    last_message_ = text;
  }
  const auto to_call = [&](CallSink& sink, CallInfo&) {
    sink.log(level, text, fields);
    return true;
  };
  if (current_call && table().with(current_call, to_call)) return;
  log_(level, text, fields);
}

Result<void> Instance::activate() {
  if (!api_->activate) return {};
  const tp_status status = api_->activate(self_);
  if (status == TP_OK) return {};
  return fault("activate() refused with status " + std::to_string(status) + last_words());
}

Result<void> Instance::selftest() {
  if (!TP_HAS(tp_instance_api, api_, extension) || !api_->extension) return {};
  const auto* test = static_cast<const tp_selftest_api*>(api_->extension(self_, TP_EXT_SELFTEST));
  if (!test || !TP_HAS(tp_selftest_api, test, run) || !test->run) return {};
  const tp_status status = test->run(self_);
  if (status == TP_OK) return {};
  return fault("its self-test failed with status " + std::to_string(status) + last_words());
}

void Instance::quiesce(std::chrono::milliseconds grace) {
  if (api_->quiesce) api_->quiesce(self_, static_cast<std::uint32_t>(grace.count()));
}

bool Instance::serial() const {
  return api_->concurrency == TP_SERIAL;
}

bool Instance::has(Entry entry) const {
  switch (entry) {
    case Entry::Call:
      return true;
    case Entry::CheckPermissions:
      return TP_HAS(tp_instance_api, api_, check_permissions) && api_->check_permissions;
    case Entry::MatchRule:
      return TP_HAS(tp_instance_api, api_, match_rule) && api_->match_rule;
    case Entry::GenerateSuggestions:
      return TP_HAS(tp_instance_api, api_, generate_suggestions) && api_->generate_suggestions;
    case Entry::CheckReadOnly:
      return TP_HAS(tp_instance_api, api_, check_read_only) && api_->check_read_only;
    case Entry::ReadResource:
    case Entry::GetPrompt:
    case Entry::Complete:
      return false;
  }
  return false;
}

tp_call* Instance::open(CallInfo info, std::shared_ptr<CallSink> sink) {
  return table().open(std::move(info), std::move(sink));
}

tp_status Instance::dispatch(Entry entry, std::uint32_t tool, tp_str arguments, tp_str context,
                             tp_call* call) {
  if (!has(entry)) return TP_E_UNSUPPORTED;
  switch (entry) {
    case Entry::Call:
      return api_->call(self_, tool, arguments, call);
    case Entry::CheckPermissions:
      return api_->check_permissions(self_, tool, arguments, context, call);
    case Entry::MatchRule:
      return api_->match_rule(self_, tool, arguments, context, call);
    case Entry::GenerateSuggestions:
      return api_->generate_suggestions(self_, tool, arguments, context, call);
    case Entry::CheckReadOnly:
      return api_->check_read_only(self_, tool, arguments, context, call);
    case Entry::ReadResource:
    case Entry::GetPrompt:
    case Entry::Complete:
      break;
  }
  return TP_E_UNSUPPORTED;
}

void Instance::run(tp_call* call, Entry entry, std::uint32_t tool, std::string_view arguments,
                   std::string_view context) {
  if (!table().start(call)) {
    table().returned(call, TP_E_CANCELLED);
    return;
  }
  tp_call* const outer = std::exchange(current_call, call);
  const tp_status status = dispatch(entry, tool, lend(arguments), lend(context), call);
  current_call = outer;
  // Only call() may be pending.
  const bool odd = status == TP_PENDING && entry != Entry::Call;
  table().returned(call, odd ? TP_E_INTERNAL : status);
}

void Instance::cancel(tp_call* call) {
  if (table().cancel(call) && api_->cancel) api_->cancel(self_, call);
}

}  // namespace host::plugin

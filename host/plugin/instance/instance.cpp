#include "plugin/instance/instance.h"

#include <toolpost/ext/selftest.h>

#include <cmath>
#include <utility>

#include "base/text/encoding.h"
#include "json/json.h"
#include "plugin/instance/abi_text.h"
#include "plugin/instance/call_table.h"
#include "plugin/instance/extensions/host_extensions.h"
#include "plugin/instance/may_wait.h"
#include "plugin/wire/fault.h"
#include "plugin/wire/worker_messages.h"
#include "tool/call/intercepted.h"

namespace host::plugin {
namespace {

using tool::Function;

constexpr std::uint32_t kSmallestTable =
    offsetof(tp_instance_api, destroy) + sizeof(tp_instance_api::destroy);

constexpr std::string_view kNotUtf8 = "\xff";

thread_local tp_call* current_call = nullptr;  // whose log lines these are

std::string printable(tp_str text, const Redactor& redact) {
  if (!readable(text)) return "(a text without bytes)";
  std::string shown = redact.begin_of(view(text), kMostReportBytes);
  return is_utf8(shown) ? shown : "(a text that is not UTF-8)";
}

bool may_pend(Function function) {
  return function == Function::Call || function == Function::ReadResource ||
         function == Function::GetPrompt || function == Function::Complete ||
         tool::is_interception(function);
}

}  // namespace

// The functions of tp_host_api.
struct Instance::HostFunctions {
  static const void* extension(tp_host*, const char* id) {
    return id ? host_extension(id) : nullptr;
  }

  static void log(tp_host* host, std::int32_t level, tp_str message, tp_str fields) {
    Instance::of(host).log(level, message, fields);
  }

  // `act` on the call's sink, or TP_E_CANCELLED where the call has ended.
  template <class Act>
  static tp_status on_sink(tp_call* call, Act act) {
    const auto status =
        CallTable::of_process().with(call, [&](CallSink& sink, CallInfo&) { return act(sink); });
    if (!status) return TP_E_CANCELLED;
    return *status == TP_OK && CallTable::of_process().cancelled(call) ? TP_E_CANCELLED : *status;
  }

  // The sink also refuses a text without bytes, because it must know about every refused answer and
  // every refused error.
  static tp_status result(tp_call* call, std::uint32_t kind, tp_str mime, tp_str bytes) {
    if (!readable(mime) || !readable(bytes)) {
      static_cast<void>(on_sink(call, [](CallSink& sink) { return sink.push(0, {}, {}); }));
      return TP_E_INVALID;
    }
    return on_sink(call, [&](CallSink& sink) { return sink.push(kind, view(mime), view(bytes)); });
  }

  static tp_status error(tp_call* call, std::int32_t code, tp_str message, tp_str data) {
    const bool whole = readable(message) && readable(data);
    return on_sink(call, [&](CallSink& sink) {
      return whole ? sink.error(code, view(message), view(data)) : sink.error(code, kNotUtf8, {});
    });
  }

  static tp_status progress(tp_call* call, double done, double total, tp_str message) {
    if (!readable(message) || !is_utf8(view(message))) return TP_E_INVALID;
    if (!std::isfinite(done) || !std::isfinite(total)) return TP_E_INVALID;
    return on_sink(call, [&](CallSink& sink) {
      sink.progress(done, total, utf8_begin(view(message), kMostReportBytes));
      return TP_OK;
    });
  }

  static std::int32_t cancelled(const tp_call* call) {
    return CallTable::of_process().cancelled(call) ? 1 : 0;
  }

  static std::int64_t deadline_ns(const tp_call* call) {
    return CallTable::of_process()
        .with(call, [](CallSink&, CallInfo& info) { return info.deadline_ns; })
        .value_or(0);
  }

  static void complete(tp_call* call, tp_status status) {
    CallTable::of_process().complete(call, status);
  }

  static constexpr tp_host_api kApi = {sizeof(tp_host_api),         TP_ABI_MINOR,
                                       &HostFunctions::extension,   &HostFunctions::log,
                                       &HostFunctions::result,      &HostFunctions::error,
                                       &HostFunctions::progress,    &HostFunctions::cancelled,
                                       &HostFunctions::deadline_ns, &HostFunctions::complete};
};

Instance::Instance(Given given, Roads roads)
    : given_(std::move(given)),
      redact_(given_.secrets),
      log_(std::move(roads.log)),
      news_(std::move(roads.news)),
      host_calls_(std::make_shared<HostCalls>(std::move(roads.services), callbacks_)),
      metrics_([this](std::string report) { return send_metrics(std::move(report)); }) {}

Result<std::unique_ptr<Instance>> Instance::create(const Library& library, Given given,
                                                   Roads roads) {
  std::unique_ptr<Instance> instance(new Instance(std::move(given), std::move(roads)));
  HOST_TRY(instance->make(library));
  return instance;
}

Result<void> Instance::make(const Library& library) {
  tool_count_ = library.descriptor().tool_count;
  tp_instance* self = nullptr;
  const tp_status status = library.descriptor().create(
      &HostFunctions::kApi, reinterpret_cast<tp_host*>(this), lend(given_.settings), &api_, &self);
  if (status != TP_OK) {
    api_ = nullptr;
    return fault("create() refused with status " + std::to_string(status) + last_words());
  }
  self_ = self;
  const Result<void> checked = check_table();
  if (!checked) {
    api_ = nullptr;
    return checked;
  }
  return find_offers();
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

// The tables of the plugin's own, each whole or a fault.
Result<void> Instance::find_offers() {
  const auto lacks = [](const char* id) {
    return fault("its table of " + std::string(id) + " lacks a function");
  };
  resources_ = table_of<tp_resources_api>(TP_EXT_RESOURCES);
  if (resources_ &&
      !(TP_HAS(tp_resources_api, resources_, read) && resources_->list && resources_->read)) {
    return lacks(TP_EXT_RESOURCES);
  }
  prompts_ = table_of<tp_prompts_api>(TP_EXT_PROMPTS);
  if (prompts_ && !(TP_HAS(tp_prompts_api, prompts_, get) && prompts_->list && prompts_->get)) {
    return lacks(TP_EXT_PROMPTS);
  }
  completion_ = table_of<tp_completion_api>(TP_EXT_COMPLETION);
  if (completion_ && !(TP_HAS(tp_completion_api, completion_, complete) && completion_->complete)) {
    return lacks(TP_EXT_COMPLETION);
  }
  state_ = table_of<tp_state_api>(TP_EXT_STATE);
  if (state_ && !(TP_HAS(tp_state_api, state_, restore) && state_->save && state_->restore)) {
    return lacks(TP_EXT_STATE);
  }
  interceptor_ = table_of<tp_interceptor_api>(TP_EXT_INTERCEPTOR);
  if (interceptor_ && !TP_HAS(tp_interceptor_api, interceptor_, leave))
    return lacks(TP_EXT_INTERCEPTOR);
  if (interceptor_ && !interceptor_->before && !interceptor_->enter && !interceptor_->message &&
      !interceptor_->leave) {
    return fault("its table of " TP_EXT_INTERCEPTOR " has no function");
  }
  return {};
}

bool Instance::intercepts(std::uint32_t flag) const {
  return interceptor_ && (interceptor_->flags & flag) != 0;
}

template <class Table>
const Table* Instance::table_of(const char* id) const {
  if (!TP_HAS(tp_instance_api, api_, extension) || !api_->extension) return nullptr;
  return static_cast<const Table*>(api_->extension(self_, id));
}

Instance::~Instance() {
  stop_callbacks();  // again where it was never asked to quiesce: nothing comes after destroy()
  if (api_) api_->destroy(self_);
}

const std::string* Instance::setting(std::string_view pointer) {
  const std::lock_guard lock(settings_mutex_);
  const auto told = told_.find(pointer);
  if (told != told_.end()) return &told->second;
  if (settings_.root().IsNull()) {
    auto tree = json::parse(given_.settings);
    if (!tree) return nullptr;
    settings_ = *std::move(tree);
  }
  const json::Value* const value = json::at(settings_.root(), pointer);
  if (!value) return nullptr;
  return &told_.emplace(pointer, json::write(*value)).first->second;
}

const std::string* Instance::secret(std::string_view name) const {
  for (const auto& [known, value] : given_.secrets) {
    if (known == name) return &value;
  }
  return nullptr;
}

void Instance::stop_callbacks() {
  if (const std::size_t timers = callbacks_.timers(); timers > 0) {
    log_(TP_LOG_DEBUG, std::to_string(timers) + " timers that were left are dropped", {});
  }
  metrics_.close();
  host_calls_->close();
  callbacks_.stop();
}

// The answer comes while this lives: HostCalls gives all of them until it is closed.
bool Instance::send_metrics(std::string report) {
  const auto heard = [this](const HostAnswer& answer) { metrics_.heard(answer.status); };
  return host_calls_->tell(ServiceId::ReportMetrics, std::move(report), heard) == TP_OK;
}

std::string Instance::last_words() const {
  const std::lock_guard lock(last_mutex_);
  return last_message_.empty() ? std::string() : ": " + last_message_;
}

void Instance::log(int level, tp_str message, tp_str json_fields) {
  const std::string text = printable(message, redact_);
  // What replaces a secret can make the text longer, or take a quotation mark with it.
  std::string fields;
  if (readable(json_fields)) fields = log_fields(redact_(log_fields(view(json_fields))));
  if (level >= TP_LOG_WARNING) {
    const std::lock_guard lock(last_mutex_);
    last_message_ = text;
  }
  const auto to_call = [&](CallSink& sink, CallInfo&) {
    sink.log(level, text, fields);
    return true;
  };
  if (current_call && CallTable::of_process().with(current_call, to_call)) return;
  log_(level, text, fields);
}

namespace {

// Where a plugin's save() writes.
struct StateSink {
  tp_state_sink table;
  std::string bytes;
  bool over_limit = false;

  static tp_status write(const tp_state_sink* sink, tp_str bytes) {
    // The table is its first member, and the object is ours: only its type in the ABI is const.
    auto& self = *reinterpret_cast<StateSink*>(const_cast<tp_state_sink*>(sink));
    if (!readable(bytes)) return TP_E_INVALID;
    self.over_limit |= bytes.len > SavedState::kMostBytes - self.bytes.size();
    if (self.over_limit) return TP_E_NOMEM;
    self.bytes.append(view(bytes));
    return TP_OK;
  }
};

}  // namespace

Result<SavedState> Instance::save() const {
  if (!state_) return fault("offers no " TP_EXT_STATE);
  if (!readable(state_->schema_id) || state_->schema_id.len > SavedState::kMostIdBytes ||
      !is_utf8(view(state_->schema_id))) {
    return fault("its schema_id of " TP_EXT_STATE " is no text of at most 256 bytes");
  }
  StateSink sink{{sizeof(tp_state_sink), 0, &StateSink::write}, {}, false};
  const tp_status status = state_->save(self_, &sink.table);
  if (sink.over_limit) return fault("its state is larger than 16 MiB");
  if (status != TP_OK)
    return fault("save() refused with status " + std::to_string(status) + last_words());
  return SavedState{std::string(view(state_->schema_id)), std::move(sink.bytes)};
}

Result<void> Instance::restore(const SavedState& state) {
  if (!state_) return fault("takes no state, for it offers no " TP_EXT_STATE);
  const tp_status status = state_->restore(self_, lend(state.schema_id), lend(state.bytes));
  if (status == TP_OK) return {};
  return fault("restore() refused \"" + state.schema_id + "\" with status " +
               std::to_string(status) + last_words());
}

Result<void> Instance::activate() {
  const tp_status status = api_->activate ? api_->activate(self_) : TP_OK;
  if (status != TP_OK) {
    return fault("activate() refused with status " + std::to_string(status) + last_words());
  }
  return {};
}

void Instance::open_services() {
  host_calls_->open();
  metrics_.open();
}

Result<void> Instance::selftest() {
  const auto* test = table_of<tp_selftest_api>(TP_EXT_SELFTEST);
  if (!test || !TP_HAS(tp_selftest_api, test, run) || !test->run) return {};
  const tp_status status = test->run(self_);
  if (status == TP_OK) return {};
  return fault("its self-test failed with status " + std::to_string(status) + last_words());
}

void Instance::quiesce(std::chrono::milliseconds grace) {
  stop_callbacks();  // first: its threads may wait for answers, and it will wait for its threads
  if (api_->quiesce) api_->quiesce(self_, static_cast<std::uint32_t>(grace.count()));
}

bool Instance::serial() const {
  return api_->concurrency == TP_SERIAL;
}

bool Instance::has(Function function) const {
  switch (function) {
    case Function::Call:
      return true;
    case Function::CheckPermissions:
      return TP_HAS(tp_instance_api, api_, check_permissions) && api_->check_permissions;
    case Function::MatchRule:
      return TP_HAS(tp_instance_api, api_, match_rule) && api_->match_rule;
    case Function::GenerateSuggestions:
      return TP_HAS(tp_instance_api, api_, generate_suggestions) && api_->generate_suggestions;
    case Function::CheckReadOnly:
      return TP_HAS(tp_instance_api, api_, check_read_only) && api_->check_read_only;
    case Function::ReadResource:
    case Function::ListResources:
      return resources_ != nullptr;
    case Function::GetPrompt:
    case Function::ListPrompts:
      return prompts_ != nullptr;
    case Function::Complete:
      return completion_ != nullptr;
    case Function::BeforeCall:
      return interceptor_ && interceptor_->before;
    case Function::EnterCall:
      return interceptor_ && interceptor_->enter;
    case Function::CallMessage:
      return interceptor_ && interceptor_->message;
    case Function::LeaveCall:
      return interceptor_ && interceptor_->leave;
  }
  return false;
}

tp_call* Instance::open(CallInfo info, std::shared_ptr<CallSink> sink) {
  return CallTable::of_process().open(std::move(info), std::move(sink));
}

tp_call* Instance::open_running(CallInfo info, std::shared_ptr<CallSink> sink) {
  return CallTable::of_process().open_running(std::move(info), std::move(sink));
}

tp_status Instance::dispatch(Function function, std::uint32_t tool, tp_str input, tp_str context,
                             tp_call* call) {
  if (!has(function)) return TP_E_UNSUPPORTED;
  switch (function) {
    case Function::Call:
      return api_->call(self_, tool, input, call);
    case Function::CheckPermissions:
      return api_->check_permissions(self_, tool, input, context, call);
    case Function::MatchRule:
      return api_->match_rule(self_, tool, input, context, call);
    case Function::GenerateSuggestions:
      return api_->generate_suggestions(self_, tool, input, context, call);
    case Function::CheckReadOnly:
      return api_->check_read_only(self_, tool, input, context, call);
    case Function::ReadResource:
      return resources_->read(self_, input, call);
    case Function::GetPrompt:
      return get_prompt(view(input), call);
    case Function::Complete:
      return completion_->complete(self_, input, call);
    case Function::ListResources:
      return resources_->list(self_, call);
    case Function::ListPrompts:
      return prompts_->list(self_, call);
    case Function::BeforeCall:
    case Function::EnterCall:
    case Function::CallMessage:
    case Function::LeaveCall: {
      const auto of = tool::read_intercepted(view(context));
      return of ? intercept(function, input, *of, call) : TP_E_INVALID;
    }
  }
  return TP_E_UNSUPPORTED;
}

tp_status Instance::intercept(Function function, tp_str input, const tool::Intercepted& of,
                              tp_call* call) {
  const tp_intercepted about{sizeof(tp_intercepted), 0, lend(of.tool), lend(of.provider),
                             lend(of.state)};
  switch (function) {
    case Function::BeforeCall:
      return interceptor_->before(self_, input, &about, call);
    case Function::EnterCall:
      return interceptor_->enter(self_, input, &about, call);
    case Function::CallMessage:
      return interceptor_->message(self_, input, &about, call);
    case Function::LeaveCall:
      return interceptor_->leave(self_, input, &about, call);
    default:
      return TP_E_UNSUPPORTED;
  }
}

tp_status Instance::get_prompt(std::string_view arguments, tp_call* call) {
  const auto tree = json::parse(arguments);
  if (!tree) return TP_E_INVALID;
  const json::Value* const given = json::find(tree->root(), "arguments");
  const std::string text = given && given->IsObject() ? json::write(*given) : "{}";
  return prompts_->get(self_, lend(json::find_text(tree->root(), "name")), lend(text), call);
}

void Instance::run(tp_call* call, Function function, std::uint32_t tool, std::string_view input,
                   std::string_view context) {
  if (!CallTable::of_process().start(call, input)) {
    CallTable::of_process().returned(call, TP_E_CANCELLED);
    return;
  }
  tp_call* const outer = std::exchange(current_call, call);
  const tp_status status = dispatch(function, tool, lend(input), lend(context), call);
  current_call = outer;
  const bool odd = status == TP_PENDING && !may_pend(function);
  CallTable::of_process().returned(call, odd ? TP_E_INTERNAL : status);
}

void Instance::run_interception(tp_call* call, Function function, std::string_view input,
                                const tool::Intercepted& of) {
  tp_call* const outer = std::exchange(current_call, call);
  const tp_status status =
      has(function) ? intercept(function, lend(input), of, call) : TP_E_UNSUPPORTED;
  current_call = outer;
  CallTable::of_process().returned(call, status);
}

void Instance::cancel(tp_call* call) {
  const auto number =
      CallTable::of_process().with(call, [](CallSink&, CallInfo& info) { return info.number; });
  if (!CallTable::of_process().cancel(call)) {
    CallTable::of_process().end_unstarted(call);
    return;
  }
  if (number) host_calls_->call_ended(*number);  // whoever waits for an answer need not any more
  const MayNotWait here;  // this thread may be the one that brings the answers
  if (api_->cancel) api_->cancel(self_, call);
}

}  // namespace host::plugin

// The bodies of library.hpp.
#pragma once

#include <cstdio>
#include <deque>
#include <exception>
#include <new>

#include "toolpost/detail/library.hpp"
#include "toolpost/ext/completion.h"
#include "toolpost/ext/interceptor.h"
#include "toolpost/ext/prompts.h"
#include "toolpost/ext/resources.h"
#include "toolpost/ext/selftest.h"
#include "toolpost/ext/state.h"

namespace toolpost {
inline namespace v1 {
namespace detail {

// The C tables that the host reads. The tables point to texts in this object.
struct Library::Tables {
  explicit Tables(Description from);

  tp_tool describe_tool(const ToolEntry& entry);
  tp_strs strings(const Strings& from);

  // create() gets no pointer to the Tables, so they are static. A shared library has only one
  // Library object.
  static inline Tables* only = nullptr;

  Description of;
  std::vector<tp_tool> tools;
  std::deque<std::vector<tp_str>> lists;  // the tp_strs in the tables point to these texts
  std::vector<const char*> required, optional;
  std::string config_schema;
  tp_instance_api api = {};
  tp_state_api state_api = {};
  tp_interceptor_api interceptor_api = {};
  tp_plugin plugin = {};
};

struct Library::Instance {
  Host host;
  const Tables* tables;
  void* state;

  static Instance& from(tp_instance* self) { return *reinterpret_cast<Instance*>(self); }

  // Runs body(). If body() throws, the exception is logged and becomes a status.
  static tp_status controlled(const Host& host, tp_status failure,
                              FunctionRef<void()> body) noexcept {
    try {
      body();
      return TP_OK;
    } catch (const std::bad_alloc&) {
      return TP_E_NOMEM;
    } catch (const std::exception& error) {
      host.log(LogLevel::Error, error.what());
    } catch (...) {
      host.log(LogLevel::Error, "the plugin threw something that is no std::exception");
    }
    return failure;
  }

  // Runs body(functions, state). `functions` are the functions of the author's State.
  static tp_status with_state(
      tp_instance* self, FunctionRef<void(const StateFunctions& of, void* state)> body) noexcept {
    Instance& me = from(self);
    return controlled(me.host, TP_E_INTERNAL, [&] { body(me.tables->of.state, me.state); });
  }

  static tp_status create(const tp_host_api* host_api, tp_host* host_handle, tp_str config,
                          const tp_instance_api** api, tp_instance** out) noexcept {
    const Host host(host_api, host_handle);
    return controlled(host, TP_E_INVALID, [&] {
      auto instance = std::make_unique<Instance>(Instance{host, Tables::only, nullptr});
      instance->state = Tables::only->of.state.make(view(config), host);
      *api = &Tables::only->api;
      *out = reinterpret_cast<tp_instance*>(instance.release());
    });
  }

  static void destroy(tp_instance* self) noexcept {
    const std::unique_ptr<Instance> me(&from(self));
    me->tables->of.state.destroy(me->state);
  }

  static tp_status activate(tp_instance* self) noexcept {
    return with_state(self, [](const StateFunctions& of, void* state) {
      if (of.activate != nullptr) of.activate(state);
    });
  }

  static void cancel(tp_instance* self, tp_call* call) noexcept {
    with_state(self, [&](const StateFunctions& of, void* state) {
      if (of.on_cancel != nullptr) of.on_cancel(state, call);
    });
  }

  static tp_status quiesce(tp_instance* self, uint32_t grace_ms) noexcept {
    return with_state(self, [&](const StateFunctions& of, void* state) {
      if (of.quiesce != nullptr) of.quiesce(state, std::chrono::milliseconds(grace_ms));
    });
  }

  static tp_status selftest(tp_instance* self) noexcept {
    return with_state(self, [](const StateFunctions& of, void* state) { of.selftest(state); });
  }

  static tp_status save_state(tp_instance* self, const tp_state_sink* sink) noexcept {
    Instance& me = from(self);
    tp_status written = TP_OK;
    const tp_status saved = controlled(me.host, TP_E_INTERNAL, [&] {
      written = sink->write(sink, str(me.tables->of.handover.save(me.state)));
    });
    return saved == TP_OK ? written : saved;
  }

  static tp_status restore_state(tp_instance* self, tp_str schema_id, tp_str bytes) noexcept {
    Instance& me = from(self);
    return controlled(me.host, TP_E_INVALID, [&] {
      me.tables->of.handover.restore(me.state, view(schema_id), view(bytes));
    });
  }

  static const void* extension(tp_instance* self, const char* name) noexcept {
    static constexpr tp_selftest_api selftest_api = {sizeof(tp_selftest_api), 0, &selftest};
    const Instance& me = from(self);
    const Description& of = me.tables->of;
    const std::string_view id(name);
    if (id == TP_EXT_SELFTEST && of.state.selftest != nullptr) return &selftest_api;
    const bool hands_over = of.handover.save && of.handover.restore;
    if (id == TP_EXT_STATE && hands_over) return &me.tables->state_api;
    if (id == TP_EXT_INTERCEPTOR && of.interceptor.any()) return &me.tables->interceptor_api;
    if (const void* table = offer_table(of.offers, id)) return table;
    const void* table = nullptr;
    with_state(self, [&](const StateFunctions& functions, void* state) {
      if (functions.extension != nullptr) table = functions.extension(state, id);
    });
    return table;
  }

  // ---- calls

  // Runs body(description, state, context). If the body throws, the exception ends the call.
  static tp_status on_call(
      tp_instance* self, tp_call* call,
      FunctionRef<tp_status(const Description& of, void* state, Context& context)> body) noexcept {
    Instance& me = from(self);
    Context context(me.host, call);
    return guarded(context, [&] { return body(me.tables->of, me.state, context); });
  }

  static tp_status run(tp_instance* self, ToolFunctionPtr ToolEntry::*which, uint32_t tool,
                       tp_str args, tp_str check, tp_call* call) noexcept {
    const std::vector<ToolEntry>& tools = from(self).tables->of.tools;
    if (tool >= tools.size() || tools[tool].*which == nullptr) return TP_E_UNSUPPORTED;
    return on_call(self, call, [&](const Description&, void* state, Context& context) {
      return (tools[tool].*which)->run(state, view(args), view(check), context);
    });
  }

  static tp_status call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) noexcept {
    return run(self, &ToolEntry::call, tool, args, {}, call);
  }

  template <ToolFunctionPtr ToolEntry::*Which>
  static tp_status check(tp_instance* self, uint32_t tool, tp_str args, tp_str check_context,
                         tp_call* call) noexcept {
    return run(self, Which, tool, args, check_context, call);
  }

  template <InterceptorFunction InterceptorEntry::*Which>
  static tp_status intercept(tp_instance* self, tp_str input, const tp_intercepted* about,
                             tp_call* call) noexcept {
    return on_call(self, call, [&](const Description& of, void* state, Context& context) {
      const Intercepted intercepted{view(about->tool), view(about->provider), view(about->state)};
      const std::string answer = (of.interceptor.*Which)(state, intercepted, view(input), context);
      if (!answer.empty()) context.push(TP_JSON, {}, answer);
      return TP_OK;
    });
  }

  // ---- resources, prompts and completions

  static const void* offer_table(const Offers& offers, std::string_view id) noexcept {
    static constexpr tp_resources_api resources = {sizeof(tp_resources_api), 0, &list_resources,
                                                   &read_resource};
    static constexpr tp_prompts_api prompts = {sizeof(tp_prompts_api), 0, &list_prompts,
                                               &get_prompt};
    static constexpr tp_completion_api completion = {sizeof(tp_completion_api), 0, &complete};
    const bool has_resources = !offers.resources.empty() || !offers.templates.empty();
    if (id == TP_EXT_RESOURCES && has_resources) return &resources;
    if (id == TP_EXT_PROMPTS && !offers.prompts.empty()) return &prompts;
    if (id == TP_EXT_COMPLETION && offers.completes) return &completion;
    return nullptr;
  }

  static tp_status list_resources(tp_instance* self, tp_call* call) noexcept {
    return on_call(self, call, [](const Description& of, void* state, Context& context) {
      const auto list = [&](const std::vector<OfferEntry>& entries, std::string_view uri_key) {
        return describe_offers(entries, uri_key, state, context);
      };
      context.push(TP_JSON, {},
                   R"({"resources":)" + list(of.offers.resources, "uri") +
                       R"(,"resourceTemplates":)" + list(of.offers.templates, "uriTemplate") + "}");
      return TP_OK;
    });
  }

  static tp_status read_resource(tp_instance* self, tp_str uri, tp_call* call) noexcept {
    return on_call(self, call, [&](const Description& of, void* state, Context& context) {
      return read_offered(of.offers, view(uri), state, context) ? TP_OK : TP_E_UNSUPPORTED;
    });
  }

  static tp_status list_prompts(tp_instance* self, tp_call* call) noexcept {
    return on_call(self, call, [](const Description& of, void* state, Context& context) {
      context.push(TP_JSON, {}, describe_offers(of.offers.prompts, {}, state, context));
      return TP_OK;
    });
  }

  static tp_status get_prompt(tp_instance* self, tp_str name, tp_str arguments,
                              tp_call* call) noexcept {
    return on_call(self, call, [&](const Description& of, void* state, Context& context) {
      const bool found = get_offered(of.offers, view(name), view(arguments), state, context);
      return found ? TP_OK : TP_E_UNSUPPORTED;
    });
  }

  static tp_status complete(tp_instance* self, tp_str request, tp_call* call) noexcept {
    return on_call(self, call, [&](const Description& of, void* state, Context& context) {
      context.push(TP_JSON, {}, complete_offered(of.offers, view(request), state, context));
      return TP_OK;
    });
  }
};

TOOLPOST_INLINE const char* const* ids(const Strings& from, std::vector<const char*>& to) {
  if (from.empty()) return nullptr;
  for (const std::string& id : from) to.push_back(id.c_str());
  to.push_back(nullptr);
  return to.data();
}

TOOLPOST_INLINE uint64_t flags_of(const ToolEntry& entry) {
  const ToolOptions& o = entry.options;
  uint64_t flags = 0;
  const auto set = [&](bool on, uint64_t flag) { flags |= on ? flag : 0; };
  set(o.read_only, TP_TOOL_READ_ONLY);
  set(o.serial, TP_TOOL_SERIAL);
  set(o.external, TP_TOOL_EXTERNAL);
  set(o.state_injected, TP_TOOL_STATE_INJECTED);
  set(o.strict.has_value(), o.strict.value_or(false) ? TP_TOOL_STRICT : TP_TOOL_NOT_STRICT);
  set(o.idempotent, TP_TOOL_IDEMPOTENT);
  set(o.not_destructive, TP_TOOL_NOT_DESTRUCTIVE);
  set(o.closed_world, TP_TOOL_CLOSED_WORLD);
  set(o.nonblocking, TP_TOOL_NONBLOCKING);
  set(o.long_running, TP_TOOL_LONG_RUNNING);
  set(o.needs_task, TP_TOOL_NEEDS_TASK);
  set(o.asks_first, TP_TOOL_ASKS_FIRST);
  set(entry.check_permissions != nullptr, TP_TOOL_HAS_CHECK_PERMISSIONS);
  set(entry.match_rule != nullptr, TP_TOOL_HAS_MATCH_RULE);
  set(entry.generate_suggestions != nullptr, TP_TOOL_HAS_GENERATE_SUGGESTIONS);
  set(entry.check_read_only != nullptr, TP_TOOL_HAS_CHECK_READ_ONLY);
  return flags;
}

TOOLPOST_INLINE Library::Tables::Tables(Description from) : of(std::move(from)) {
  config_schema = of.state.config_schema();
  for (const ToolEntry& entry : of.tools) tools.push_back(describe_tool(entry));

  const PluginOptions& options = of.options;
  api.struct_size = sizeof api;
  api.concurrency = options.concurrent ? TP_CONCURRENT : TP_SERIAL;
  api.activate = Instance::activate;
  api.call = Instance::call;
  api.cancel = Instance::cancel;
  api.quiesce = Instance::quiesce;
  api.destroy = Instance::destroy;
  api.extension = Instance::extension;
  api.check_permissions = Instance::check<&ToolEntry::check_permissions>;
  api.match_rule = Instance::check<&ToolEntry::match_rule>;
  api.generate_suggestions = Instance::check<&ToolEntry::generate_suggestions>;
  api.check_read_only = Instance::check<&ToolEntry::check_read_only>;

  state_api = {sizeof state_api, 0, str(of.handover.schema_id), Instance::save_state,
               Instance::restore_state};

  const InterceptorEntry& around = of.interceptor;
  interceptor_api.struct_size = sizeof interceptor_api;
  interceptor_api.flags = (around.nonblocking ? TP_INTERCEPTOR_NONBLOCKING : 0) |
                          (around.reads_arguments ? 0 : TP_INTERCEPTOR_NO_ARGUMENTS);
  if (around.before) interceptor_api.before = Instance::intercept<&InterceptorEntry::before>;
  if (around.enter) interceptor_api.enter = Instance::intercept<&InterceptorEntry::enter>;
  if (around.message) interceptor_api.message = Instance::intercept<&InterceptorEntry::message>;
  if (around.leave) interceptor_api.leave = Instance::intercept<&InterceptorEntry::leave>;

  plugin.struct_size = sizeof plugin;
  plugin.abi_major = TP_ABI_MAJOR;
  plugin.abi_minor = TP_ABI_MINOR;
  plugin.flags = (options.pin ? TP_PLUGIN_PIN : 0) |
                 (options.needs_inline ? TP_PLUGIN_NEEDS_INLINE : 0) |
                 (options.no_inline ? TP_PLUGIN_NO_INLINE : 0);
  plugin.host_api_min_size = sizeof(tp_host_api);
  plugin.tool_count = static_cast<uint32_t>(tools.size());
  plugin.tool_stride = sizeof(tp_tool);
  plugin.tools = tools.data();
  plugin.id = str(options.id);
  plugin.name = str(options.name);
  plugin.version = str(options.version);
  plugin.vendor = str(options.vendor);
  plugin.license = str(options.license);
  plugin.build_info = str(options.build_info);
  plugin.required_ext = ids(options.required_extensions, required);
  plugin.optional_ext = ids(options.optional_extensions, optional);
  plugin.permissions = strings(options.permissions);
  plugin.create = Instance::create;
  plugin.config_schema = str(config_schema);
}

TOOLPOST_INLINE tp_tool Library::Tables::describe_tool(const ToolEntry& entry) {
  const ToolOptions& options = entry.options;
  tp_tool tool{};
  tool.struct_size = sizeof tool;
  tool.default_timeout_ms = static_cast<uint32_t>(options.timeout.count());
  tool.flags = flags_of(entry);
  tool.name = str(entry.name);
  tool.title = str(options.title);
  tool.description = str(entry.description);
  tool.input_schema = str(entry.input_schema);
  tool.output_schema = str(entry.output_schema);
  tool.max_inflight = options.max_inflight;
  tool.exclusive = str(options.exclusive);
  tool.group = str(options.group);
  tool.presets = str(options.presets.text);
  tool.dangerous_paths = strings(options.dangerous_paths);
  tool.path_args = strings(options.path_args);
  tool.command_arg = str(options.command_arg);
  tool.after = strings(options.after);
  tool.icons = str(options.icons.text);
  return tool;
}

TOOLPOST_INLINE tp_strs Library::Tables::strings(const Strings& from) {
  std::vector<tp_str>& items = lists.emplace_back();
  for (const std::string& text : from) items.push_back(str(text));
  return {items.data(), items.size()};
}

TOOLPOST_INLINE Library::Library(FunctionRef<Description()> make) noexcept {
  try {
    tables_ = std::make_unique<Tables>(make());
    Tables::only = tables_.get();
  } catch (const std::exception& error) {  // the host refuses a library without a description
    std::fprintf(stderr, "the plugin cannot describe itself: %s\n", error.what());
  } catch (...) {  // the same
  }
}
TOOLPOST_INLINE Library::~Library() = default;

TOOLPOST_INLINE const tp_plugin* Library::table() const noexcept {
  return tables_ == nullptr ? nullptr : &tables_->plugin;
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

// The C tables behind a Plugin<State>, the last part of toolpost.hpp.
#pragma once

#include <cstdio>
#include <exception>

#include "toolpost/toolpost.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

template <class State>
struct Instance {
  State state;
  Host host;
  const std::vector<ToolEntry<State>>* tools;
  const Offers<State>* offers;
  const Handover<State>* handover;
  const tp_state_api* state_api;

  static Instance& of(tp_instance* self) { return *static_cast<Instance*>(self); }

  // Runs body(); a failure is logged and becomes a status.
  template <class F>
  static tp_status controlled(const Host& host, tp_status failure, F&& body) noexcept {
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

  static tp_status activate(tp_instance* self) noexcept {
    return controlled(of(self).host, TP_E_INTERNAL, [&] {
      if constexpr (requires(State & s) { s.activate(); }) of(self).state.activate();
    });
  }

  static tp_status call(tp_instance* self, uint32_t tool, tp_str args, tp_call* call) noexcept {
    Instance& me = of(self);
    if (tool >= me.tools->size() || !(*me.tools)[tool].call) return TP_E_UNSUPPORTED;
    Context context(me.host, call);
    return guarded(context, [&] { return (*me.tools)[tool].call(me.state, view(args), context); });
  }

  static void cancel(tp_instance* self, tp_call* call) noexcept {
    controlled(of(self).host, TP_E_INTERNAL, [&] {
      if constexpr (requires(State & s) { s.on_cancel(call); }) of(self).state.on_cancel(call);
    });
  }

  static tp_status quiesce(tp_instance* self, uint32_t grace_ms) noexcept {
    return controlled(of(self).host, TP_E_INTERNAL, [&] {
      const std::chrono::milliseconds grace(grace_ms);
      if constexpr (requires(State & s) { s.quiesce(grace); }) of(self).state.quiesce(grace);
    });
  }

  static void destroy(tp_instance* self) noexcept { delete static_cast<Instance*>(self); }

  static tp_status selftest(tp_instance* self) noexcept {
    return controlled(of(self).host, TP_E_INTERNAL, [&] {
      if constexpr (requires(State & s) { s.selftest(); }) of(self).state.selftest();
    });
  }

  static tp_status save_state(tp_instance* self, const tp_state_sink* sink) noexcept {
    Instance& me = of(self);
    tp_status written = TP_OK;
    const tp_status saved = controlled(me.host, TP_E_INTERNAL, [&] {
      written = sink->write(sink, str(me.handover->save(me.state)));
    });
    return saved == TP_OK ? written : saved;
  }

  static tp_status restore_state(tp_instance* self, tp_str schema_id, tp_str bytes) noexcept {
    Instance& me = of(self);
    return controlled(me.host, TP_E_INVALID,
                      [&] { me.handover->restore(me.state, view(schema_id), view(bytes)); });
  }

  static const void* extension(tp_instance* self, const char* id) noexcept {
    static constexpr tp_selftest_api selftest_api = {sizeof(tp_selftest_api), 0,
                                                     &Instance::selftest};
    if constexpr (requires(State & s) { s.selftest(); }) {
      if (std::string_view(id) == TP_EXT_SELFTEST) return &selftest_api;
    }
    const bool hands_over = of(self).handover->save && of(self).handover->restore;
    if (std::string_view(id) == TP_EXT_STATE && hands_over) return of(self).state_api;
    if (const void* table = offer_table(*of(self).offers, id)) return table;
    const void* table = nullptr;
    controlled(of(self).host, TP_E_INTERNAL, [&] {
      if constexpr (requires(State & s) { s.extension(std::string_view()); }) {
        table = of(self).state.extension(std::string_view(id));
      }
    });
    return table;
  }

  // ---- what it offers beside tools

  static const void* offer_table(const Offers<State>& offers, std::string_view id) noexcept {
    static constexpr tp_resources_api resources = {
        sizeof(tp_resources_api), 0, &Instance::list_resources, &Instance::read_resource};
    static constexpr tp_prompts_api prompts = {sizeof(tp_prompts_api), 0, &Instance::list_prompts,
                                               &Instance::get_prompt};
    static constexpr tp_completion_api completion = {sizeof(tp_completion_api), 0,
                                                     &Instance::complete};
    const bool has_resources = !offers.resources.empty() || !offers.templates.empty();
    if (id == TP_EXT_RESOURCES && has_resources) return &resources;
    if (id == TP_EXT_PROMPTS && !offers.prompts.empty()) return &prompts;
    if (id == TP_EXT_COMPLETION && offers.completes) return &completion;
    return nullptr;
  }

  static tp_status list_resources(tp_instance* self, tp_call* call) noexcept {
    Instance& me = of(self);
    Context context(me.host, call);
    return guarded(context, [&] {
      const auto list = [&](const auto& entries, std::string_view uri_key) {
        return describe_offers(entries, uri_key, me.state, context);
      };
      context.push(TP_JSON, {},
                   R"({"resources":)" + list(me.offers->resources, "uri") +
                       R"(,"resourceTemplates":)" + list(me.offers->templates, "uriTemplate") +
                       "}");
      return TP_OK;
    });
  }

  static tp_status read_resource(tp_instance* self, tp_str uri, tp_call* call) noexcept {
    Instance& me = of(self);
    Context context(me.host, call);
    return guarded(context, [&] {
      return read_offered(*me.offers, view(uri), me.state, context) ? TP_OK : TP_E_UNSUPPORTED;
    });
  }

  static tp_status list_prompts(tp_instance* self, tp_call* call) noexcept {
    Instance& me = of(self);
    Context context(me.host, call);
    return guarded(context, [&] {
      context.push(TP_JSON, {}, describe_offers(me.offers->prompts, {}, me.state, context));
      return TP_OK;
    });
  }

  static tp_status get_prompt(tp_instance* self, tp_str name, tp_str arguments,
                              tp_call* call) noexcept {
    Instance& me = of(self);
    Context context(me.host, call);
    return guarded(context, [&] {
      const bool found = get_offered(*me.offers, view(name), view(arguments), me.state, context);
      return found ? TP_OK : TP_E_UNSUPPORTED;
    });
  }

  static tp_status complete(tp_instance* self, tp_str request, tp_call* call) noexcept {
    Instance& me = of(self);
    Context context(me.host, call);
    return guarded(context, [&] {
      context.push(TP_JSON, {}, complete_offered(*me.offers, view(request), me.state, context));
      return TP_OK;
    });
  }

  template <ToolCheck<State> ToolEntry<State>::*Which>
  static tp_status check(tp_instance* self, uint32_t tool, tp_str args, tp_str check_context,
                         tp_call* call) noexcept {
    Instance& me = of(self);
    if (tool >= me.tools->size() || !((*me.tools)[tool].*Which)) return TP_E_UNSUPPORTED;
    Context context(me.host, call);
    const auto run = [&] {
      return ((*me.tools)[tool].*Which)(me.state, view(args), view(check_context), context);
    };
    return guarded(context, run);
  }
};

// A plugin and the tables that describe it. It lives as long as the library is loaded, and never
// moves.
template <class P>
class Library;

template <class State>
class Library<Plugin<State>> {
 public:
  explicit Library(Plugin<State> (*make)()) noexcept {
    try {
      plugin_.emplace(make());
      describe();
    } catch (const std::exception& error) {  // the host refuses a library without a description
      std::fprintf(stderr, "the plugin cannot describe itself: %s\n", error.what());
      plugin_.reset();
    } catch (...) {
      plugin_.reset();
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const tp_plugin* table() const noexcept { return plugin_ ? &table_ : nullptr; }

 private:
  using Entry = ToolEntry<State>;

  void describe() {
    self_ = this;
    config_schema_ = closed_schema_of<typename SettingsOf<State>::type>();
    for (const Entry& entry : plugin_->tools()) tools_.push_back(describe_tool(entry));

    const PluginOptions& options = plugin_->options();
    api_.struct_size = sizeof api_;
    api_.concurrency = options.concurrent ? TP_CONCURRENT : TP_SERIAL;
    api_.activate = Instance<State>::activate;
    api_.call = Instance<State>::call;
    api_.cancel = Instance<State>::cancel;
    api_.quiesce = Instance<State>::quiesce;
    api_.destroy = Instance<State>::destroy;
    api_.extension = Instance<State>::extension;
    api_.check_permissions = Instance<State>::template check<&Entry::check_permissions>;
    api_.match_rule = Instance<State>::template check<&Entry::match_rule>;
    api_.generate_suggestions = Instance<State>::template check<&Entry::generate_suggestions>;
    api_.check_read_only = Instance<State>::template check<&Entry::check_read_only>;

    state_api_ = {sizeof state_api_, 0, str(plugin_->handover().schema_id),
                  Instance<State>::save_state, Instance<State>::restore_state};

    table_.struct_size = sizeof table_;
    table_.abi_major = TP_ABI_MAJOR;
    table_.abi_minor = TP_ABI_MINOR;
    table_.flags = (options.pin ? TP_PLUGIN_PIN : 0) |
                   (options.needs_inline ? TP_PLUGIN_NEEDS_INLINE : 0) |
                   (options.no_inline ? TP_PLUGIN_NO_INLINE : 0);
    table_.host_api_min_size = sizeof(tp_host_api);
    table_.tool_count = static_cast<uint32_t>(tools_.size());
    table_.tool_stride = sizeof(tp_tool);
    table_.tools = tools_.data();
    table_.id = str(options.id);
    table_.name = str(options.name);
    table_.version = str(options.version);
    table_.vendor = str(options.vendor);
    table_.license = str(options.license);
    table_.build_info = str(options.build_info);
    table_.required_ext = ids(options.required_extensions, required_);
    table_.optional_ext = ids(options.optional_extensions, optional_);
    table_.permissions = strings(options.permissions);
    table_.create = create;
    table_.config_schema = str(config_schema_);
  }

  static uint64_t flags_of(const Entry& entry) {
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

  tp_tool describe_tool(const Entry& entry) {
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

  tp_strs strings(const Strings& from) {
    std::vector<tp_str>& items = lists_.emplace_back();
    for (const std::string& text : from) items.push_back(str(text));
    return {items.data(), items.size()};
  }

  static const char* const* ids(const Strings& from, std::vector<const char*>& to) {
    if (from.empty()) return nullptr;
    for (const std::string& id : from) to.push_back(id.c_str());
    to.push_back(nullptr);
    return to.data();
  }

  static tp_status create(const tp_host_api* host_api, tp_host* host_handle, tp_str config,
                          const tp_instance_api** api, tp_instance** out) noexcept {
    const Host host(host_api, host_handle);
    return Instance<State>::controlled(host, TP_E_INVALID, [&] {
      *out = new Instance<State>{make_state<State>(view(config), host),
                                 host,
                                 &self_->plugin_->tools(),
                                 &self_->plugin_->offers(),
                                 &self_->plugin_->handover(),
                                 &self_->state_api_};
      *api = &self_->api_;
    });
  }

  // create() gets no pointer of the plugin's own; there is one Library in a library.
  static inline const Library* self_ = nullptr;

  std::optional<Plugin<State>> plugin_;
  std::vector<tp_tool> tools_;
  std::deque<std::vector<tp_str>> lists_;  // what the tables' tp_strs point to
  std::vector<const char*> required_, optional_;
  std::string config_schema_;
  tp_instance_api api_{};
  tp_state_api state_api_{};
  tp_plugin table_{};
};

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

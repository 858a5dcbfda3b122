#include "plugin/instance/manifest_writer.h"

#include "base/text/encoding.h"
#include "json/json.h"
#include "plugin/wire/fault.h"
#include "plugin/wire/news.h"

namespace host::plugin {
namespace {

constexpr std::uint64_t kMostTextBytes = 1u << 20u;
constexpr std::uint64_t kMostListItems = 1024;
constexpr std::size_t kMostWrittenBytes = 8u << 20u;
constexpr std::uint32_t kSmallestTool =
    offsetof(tp_tool, input_schema) + sizeof(tp_tool::input_schema);

// Builds one JSON object; the first bad text is kept as the reason.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view key, tp_str value) {
    member(key);
    append(key, value);
  }
  void number(std::string_view key, std::uint64_t value) {
    member(key);
    out_ += std::to_string(value);
  }
  void list(std::string_view key, tp_strs values) {
    member(key);
    out_ += '[';
    if (values.count > kMostListItems || (values.count > 0 && !values.items)) {
      complain(key, "is a list too long, or without items");
      values.count = 0;
    }
    for (std::uint64_t i = 0; i < values.count; ++i) {
      if (i > 0) out_ += ',';
      append(key, values.items[i]);
    }
    out_ += ']';
  }
  void close() { out_ += '}'; }
  const std::string& complaint() const { return complaint_; }

 private:
  void member(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    json::write_string(key, out_);
    out_ += ':';
  }
  void append(std::string_view key, tp_str value) {
    std::string_view bytes;
    if (value.len > kMostTextBytes) {
      complain(key, "is longer than 1 MiB");
    } else if (value.len > 0 && !value.ptr) {
      complain(key, "has a length and no bytes");
    } else if (!is_utf8({value.ptr, value.len})) {
      complain(key, "is not UTF-8");
    } else {
      bytes = {value.ptr, value.len};
    }
    json::write_string(bytes, out_);
  }
  void complain(std::string_view key, std::string_view what) {
    if (complaint_.empty()) complaint_ = "\"" + std::string(key) + "\" " + std::string(what);
  }

  std::string& out_;
  std::string complaint_;
};

Result<void> check_functions(const tp_tool& tool, std::uint32_t index, const Instance& instance) {
  struct Need {
    std::uint64_t flag;
    tool::Function function;
    const char* name;
  };
  static constexpr Need kNeeds[] = {
      {TP_TOOL_HAS_CHECK_PERMISSIONS, tool::Function::CheckPermissions, "check_permissions"},
      {TP_TOOL_HAS_MATCH_RULE, tool::Function::MatchRule, "match_rule"},
      {TP_TOOL_HAS_GENERATE_SUGGESTIONS, tool::Function::GenerateSuggestions,
       "generate_suggestions"},
      {TP_TOOL_HAS_CHECK_READ_ONLY, tool::Function::CheckReadOnly, "check_read_only"}};
  for (const Need& need : kNeeds) {
    if ((tool.flags & need.flag) && !instance.has(need.function)) {
      return fault("tool " + std::to_string(index) + " says that it has " + need.name +
                   ", but the instance's table has no such function");
    }
  }
  return {};
}

Result<void> write_tool(const tp_tool& tool, std::uint32_t index, std::string& out) {
  ObjectWriter object(out);
  object.text("name", tool.name);
  object.text("title", tool.title);
  object.text("description", tool.description);
  object.text("input_schema", tool.input_schema);
  object.number("flags", tool.flags);
  object.number("timeout_ms", tool.default_timeout_ms);
  // What follows came later in the struct: an older or smaller one lacks it.
  if (TP_HAS(tp_tool, &tool, output_schema)) object.text("output_schema", tool.output_schema);
  if (TP_HAS(tp_tool, &tool, max_inflight)) object.number("max_inflight", tool.max_inflight);
  if (TP_HAS(tp_tool, &tool, exclusive)) object.text("exclusive", tool.exclusive);
  if (TP_HAS(tp_tool, &tool, group)) object.text("group", tool.group);
  if (TP_HAS(tp_tool, &tool, presets)) object.text("presets", tool.presets);
  if (TP_HAS(tp_tool, &tool, dangerous_paths)) object.list("dangerous_paths", tool.dangerous_paths);
  if (TP_HAS(tp_tool, &tool, path_args)) object.list("path_args", tool.path_args);
  if (TP_HAS(tp_tool, &tool, command_arg)) object.text("command_arg", tool.command_arg);
  if (TP_HAS(tp_tool, &tool, after)) object.list("after", tool.after);
  if (TP_HAS(tp_tool, &tool, icons)) object.text("icons", tool.icons);
  object.close();
  if (object.complaint().empty()) return {};
  return fault("tool " + std::to_string(index) + ": " + object.complaint());
}

Result<void> write_tools(const tp_plugin& plugin, const Instance& instance, std::string& out) {
  if (plugin.tool_count > News::kMostTools) return fault("describes more than 1024 tools");
  if (plugin.tool_count > 0 && !plugin.tools) return fault("counts tools and has none");
  if (plugin.tool_count > 0 && plugin.tool_stride < kSmallestTool) {
    return fault("its tool_stride is " + std::to_string(plugin.tool_stride) +
                 ": set it to sizeof(tp_tool)");
  }
  const char* at = reinterpret_cast<const char*>(plugin.tools);
  for (std::uint32_t i = 0; i < plugin.tool_count; ++i, at += plugin.tool_stride) {
    const tp_tool& tool = *reinterpret_cast<const tp_tool*>(at);
    if (tool.struct_size < kSmallestTool || tool.struct_size > plugin.tool_stride) {
      return fault("tool " + std::to_string(i) + ": its struct_size is " +
                   std::to_string(tool.struct_size) + ", which no tp_tool in a stride of " +
                   std::to_string(plugin.tool_stride) + " can have");
    }
    HOST_TRY(check_functions(tool, i, instance));
    if (i > 0) out += ',';
    HOST_TRY(write_tool(tool, i, out));
    if (out.size() > kMostWrittenBytes)
      return fault("its descriptions are longer than 8 MiB together");
  }
  return {};
}

// Absent members mean 0: most plugins intercept nothing.
void write_interceptor(const Instance& instance, ObjectWriter& object) {
  const auto add = [&](std::string_view key, bool has) {
    if (has) object.number(key, 1);
  };
  add("intercepts_before", instance.has(tool::Function::BeforeCall));
  add("intercepts_enter", instance.has(tool::Function::EnterCall));
  add("intercepts_message", instance.has(tool::Function::CallMessage));
  add("intercepts_leave", instance.has(tool::Function::LeaveCall));
  add("intercepts_nonblocking", instance.intercepts(TP_INTERCEPTOR_NONBLOCKING));
  add("intercepts_no_arguments", instance.intercepts(TP_INTERCEPTOR_NO_ARGUMENTS));
}

}  // namespace

Result<std::string> write_manifest(const tp_plugin& plugin, const Instance& instance) {
  std::string out;
  ObjectWriter object(out);
  object.text("id", plugin.id);
  object.text("name", plugin.name);
  object.text("version", plugin.version);
  object.text("vendor", plugin.vendor);
  object.text("license", plugin.license);
  object.text("build_info", plugin.build_info);
  object.number("flags", plugin.flags);
  object.number("serial", instance.serial() ? 1 : 0);
  object.number("resources", instance.has(tool::Function::ReadResource) ? 1 : 0);
  object.number("prompts", instance.has(tool::Function::GetPrompt) ? 1 : 0);
  object.number("completes", instance.has(tool::Function::Complete) ? 1 : 0);
  object.number("state", instance.has_state() ? 1 : 0);
  write_interceptor(instance, object);
  object.list("permissions", plugin.permissions);
  if (TP_HAS(tp_plugin, &plugin, config_schema)) object.text("config_schema", plugin.config_schema);
  if (!object.complaint().empty()) return fault("its descriptor's " + object.complaint());
  out += R"(,"tools":[)";
  HOST_TRY(write_tools(plugin, instance, out));
  out += "]";
  object.close();
  return out;
}

}  // namespace host::plugin

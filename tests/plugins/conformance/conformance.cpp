// The fixtures of the MCP conformance suite, under the names that it calls.
#include <atomic>

#include <toolpost/toolpost.hpp>

#include "content.h"
#include "offers.h"
#include "questions.h"
#include "tasks.h"

namespace {

// What a trigger changes is put back by the next one.
class Fixtures {
 public:
  explicit Fixtures(toolpost::Host host) : host_(host) {}

  std::string trigger_tool_change() {
    const bool on = !(tool_withdrawn_ = !tool_withdrawn_);
    host_.announce().offer_tool("test_changing_tool", on);
    return on ? "The tool is back" : "The tool is gone";
  }
  std::string trigger_prompt_change() {
    const bool on = !(prompt_withdrawn_ = !prompt_withdrawn_);
    host_.announce().prompts_changed();
    return on ? "The prompt is back" : "The prompt is gone";
  }
  bool has_changing_prompt() const { return !prompt_withdrawn_; }

  std::string touch_watched_resource() {
    ++version_;
    host_.announce().resource_updated("test://watched-resource");
    return "Touched";
  }
  std::string watched_resource() const {
    return "Version " + std::to_string(version_) + " of the watched resource";
  }

 private:
  toolpost::Host host_;
  std::atomic<bool> tool_withdrawn_{false};
  std::atomic<bool> prompt_withdrawn_{false};
  std::atomic<int> version_{1};
};

using Plugin = toolpost::Plugin<Fixtures>;

Plugin with_content(Plugin plugin) {
  return std::move(plugin)
      .tool("test_simple_text", "Give a text", simple_text)
      .tool("test_image_content", "Give an image", image_content)
      .tool("test_audio_content", "Give a sound", audio_content)
      .tool("test_embedded_resource", "Give a resource", embedded_resource)
      .tool("test_multiple_content_types", "Give content of several kinds", multiple_content_types)
      .tool("test_error_handling", "Fail", error_handling)
      .tool("test_tool_with_progress", "Tell how far it is", tool_with_progress)
      .tool("test_tool_with_logging", "Log three times", tool_with_logging)
      .tool("test_logging_tool", "Log once", logging_tool)
      .tool("test_reconnection", "Take longer than a connection is kept", reconnection)
      .tool("json_schema_2020_12_tool", "Take arguments of a rich schema", [] { return "taken"; },
            {.input_schema = schema_2020_12()})
      .tool("test_routed_tool", "Have an argument in a header too", routed)
      .tool("test_streaming_elicitation", "Ask nothing", streaming_elicitation);
}

Plugin with_questions(Plugin plugin) {
  return std::move(plugin)
      .tool("test_sampling", "Ask the model", sampling)
      .tool("test_elicitation", "Ask the person", elicitation)
      .tool("test_elicitation_sep1034_defaults", "Ask by a form with defaults",
            elicitation_defaults)
      .tool("test_elicitation_sep1330_enums", "Ask by a form with choices", elicitation_enums)
      .tool("test_missing_capability", "Need the model", missing_capability)
      .tool("test_input_required_result_elicitation", "Greet by name", ask_name)
      .tool("test_input_required_result_sampling", "Ask for a capital", ask_model)
      .tool("test_input_required_result_list_roots", "Ask for the roots", ask_roots)
      .tool("test_input_required_result_request_state", "Keep a state", ask_with_state)
      .tool("test_input_required_result_tampered_state", "Keep a state", ask_with_state)
      .tool("test_input_required_result_multiple_inputs", "Ask three at once", ask_three_at_once)
      .tool("test_input_required_result_multi_round", "Ask in two rounds", ask_in_two_rounds)
      .tool("test_input_required_result_capabilities", "Ask what can be asked",
            ask_what_can_be_asked)
      .prompt("test_input_required_result_prompt", "A prompt that asks first", prompt_with_context);
}

Plugin with_changes(Plugin plugin) {
  return std::move(plugin)
      .tool("test_changing_tool", "Be there, or not", [] { return "here"; })
      .tool("test_trigger_tool_change", "Change the list of tools", &Fixtures::trigger_tool_change)
      .tool("test_trigger_prompt_change", "Change the list of prompts",
            &Fixtures::trigger_prompt_change)
      .tool("test_touch_watched_resource", "Change the watched resource",
            &Fixtures::touch_watched_resource)
      .prompt("test_changing_prompt", "Is there, or not", [] { return "here"; })
      .listed_if(&Fixtures::has_changing_prompt)
      .resource("test://watched-resource", "watched-resource", "A resource that changes",
                "text/plain", &Fixtures::watched_resource);
}

Plugin with_offers(Plugin plugin) {
  return std::move(plugin)
      .resource("test://static-text", "static-text", "A static text", "text/plain", static_text)
      .resource("test://static-binary", "static-binary", "A static image", "image/png",
                static_binary)
      .resource_template("test://template/{id}/data", "template-data", "Data of an id",
                         "application/json", template_data)
      .prompt("test_simple_prompt", "A prompt without arguments", simple_prompt)
      .prompt("test_prompt_with_arguments", "A prompt with two arguments", prompt_with_arguments)
      .completion("arg1", complete_arg1)
      .prompt("test_prompt_with_embedded_resource", "A prompt with a resource",
              prompt_with_embedded_resource)
      .prompt("test_prompt_with_image", "A prompt with an image", prompt_with_image);
}

Plugin with_tasks(Plugin plugin) {
  using std::chrono::minutes;
  return std::move(plugin)
      .tool("greet", "Greet", greet)
      .tool("slow_compute", "Take a while", slow_compute,
            {.long_running = true, .timeout = minutes(2)})
      .tool("failing_job", "Take a while and fail", failing_job, {.needs_task = true})
      .tool("protocol_error_job", "Break", protocol_error_job, {.long_running = true})
      .tool("confirm_delete", "Delete, once confirmed", confirm_delete, {.long_running = true})
      .tool("multi_input", "Ask two at once", multi_input, {.long_running = true})
      .tool("test_tool_with_task", "Ask, then take a while", tool_with_task,
            {.needs_task = true, .asks_first = true});
}

Plugin fixtures() {
  Plugin plugin({.id = "io.toolpost.test.conformance",
                 .name = "Conformance fixtures",
                 .version = TOOLPOST_VERSION,
                 .concurrent = true});
  return with_offers(with_tasks(with_changes(with_questions(with_content(std::move(plugin))))));
}

}  // namespace

TOOLPOST_PLUGIN(fixtures())

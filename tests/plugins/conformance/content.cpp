#include "content.h"

#include <chrono>
#include <thread>

#include "media.h"

namespace {

// A little more than what the host may fold into one.
void rest(const toolpost::Context& call) {
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  call.check();
}

}  // namespace

std::string simple_text() {
  return "This is a simple text response for testing.";
}

toolpost::Content image_content() {
  return toolpost::Content().blob("image/png", red_pixel_png());
}

toolpost::Content audio_content() {
  return toolpost::Content().blob("audio/wav", short_silence_wav());
}

toolpost::Content embedded_resource() {
  return toolpost::Content().resource("test://embedded-resource", "text/plain",
                                      "This is an embedded resource content.");
}

toolpost::Content multiple_content_types() {
  return toolpost::Content()
      .text("Multiple content types test:")
      .blob("image/png", red_pixel_png())
      .resource("test://mixed-content-resource", "application/json",
                R"({"test":"data","value":123})");
}

std::string error_handling() {
  throw toolpost::Error("This tool intentionally returns an error for testing");
}

std::string tool_with_progress(toolpost::Context& call) {
  for (int done = 0; done <= 100; done += 50) {
    call.progress(done, 100, "Completed " + std::to_string(done) + " of 100");
    rest(call);
  }
  return "All of 100 done";
}

std::string tool_with_logging(toolpost::Context& call) {
  call.log(toolpost::LogLevel::Info, "Tool execution started");
  rest(call);
  call.log(toolpost::LogLevel::Info, "Tool processing data");
  rest(call);
  call.log(toolpost::LogLevel::Info, "Tool execution completed");
  return "Tool with logging executed successfully";
}

std::string logging_tool(toolpost::Context& call) {
  call.log(toolpost::LogLevel::Info, "Logged once");
  return "Logged once";
}

// Long enough for the host to let the connection go (mcp.poll_after_s).
std::string reconnection(toolpost::Context& call) {
  for (int i = 0; i < 12; ++i) rest(call);
  return "Reconnection test completed";
}

toolpost::Json schema_2020_12() {
  return {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
          R"("$defs":{"address":{"$anchor":"addressDef","type":"object",)"
          R"("properties":{"street":{"type":"string"},"city":{"type":"string"}}}},)"
          R"("properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
          R"("contactMethod":{"type":"string","enum":["phone","email"]},)"
          R"("phone":{"type":"string"},"email":{"type":"string"}},)"
          R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
          R"("if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},)"
          R"("then":{"required":["phone"]},"else":{"required":["email"]},)"
          R"("additionalProperties":false})"};
}

std::string routed(const Routed& args) {
  return std::to_string(args.limit) + " rows from " + args.region;
}

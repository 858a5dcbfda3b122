#include "offers.h"

#include "media.h"

using toolpost::Role;

std::string static_text() {
  return "This is the content of the static text resource.";
}

toolpost::Contents static_binary() {
  return toolpost::Contents().blob(red_pixel_png());
}

TemplateData template_data(const Variables& variables) {
  return {variables.id, true, "Data for ID: " + variables.id};
}

std::string simple_prompt() {
  return "This is a simple prompt for testing.";
}

std::string prompt_with_arguments(const TwoArguments& args) {
  return "Prompt with arguments: arg1='" + args.arg1 + "', arg2='" + args.arg2 + "'";
}

toolpost::Messages prompt_with_embedded_resource(const ResourceArgument& args) {
  return toolpost::Messages()
      .resource(Role::user, args.resourceUri, "text/plain",
                "Embedded resource content for testing.")
      .text(Role::user, "Please process the embedded resource above.");
}

toolpost::Messages prompt_with_image() {
  return toolpost::Messages()
      .image(Role::user, "image/png", red_pixel_png())
      .text(Role::user, "Please analyze the image above.");
}

std::vector<std::string> complete_arg1(const toolpost::Typed& typed) {
  std::vector<std::string> values;
  for (const char* value : {"hello", "help", "test1", "test2"}) {
    if (std::string_view(value).starts_with(typed.value)) values.emplace_back(value);
  }
  return values;
}

// Resources and prompts.
#pragma once

#include <toolpost/toolpost.hpp>

std::string static_text();
toolpost::Contents static_binary();

struct Variables {
  std::string id;
  TOOLPOST_FIELDS(Variables, TOOLPOST_FIELD(id))
};
struct TemplateData {
  std::string id;
  bool templateTest;
  std::string data;
  TOOLPOST_FIELDS(TemplateData, TOOLPOST_FIELD(id), TOOLPOST_FIELD(templateTest),
                  TOOLPOST_FIELD(data))
};
TemplateData template_data(const Variables& variables);

std::string simple_prompt();

struct TwoArguments {
  std::string arg1;
  std::string arg2;
  TOOLPOST_FIELDS(TwoArguments, TOOLPOST_FIELD(arg1, "First test argument"),
                  TOOLPOST_FIELD(arg2, "Second test argument"))
};
std::string prompt_with_arguments(const TwoArguments& args);

struct ResourceArgument {
  std::string resourceUri;
  TOOLPOST_FIELDS(ResourceArgument, TOOLPOST_FIELD(resourceUri, "URI of the resource to embed"))
};
toolpost::Messages prompt_with_embedded_resource(const ResourceArgument& args);
toolpost::Messages prompt_with_image();

std::vector<std::string> complete_arg1(const toolpost::Typed& typed);

// The inputs of the bench: what a host sees in a day.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct TextCase {
  std::string name;
  std::string text;
};

struct SchemaCase {
  std::string name;
  std::string schema;
  std::string instance;
};

std::vector<TextCase> text_cases();
std::vector<SchemaCase> schema_cases();

}  // namespace bench

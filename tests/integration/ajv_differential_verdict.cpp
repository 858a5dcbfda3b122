// Reads {"schema": ..., "instance": ...} a line and answers `valid`, `invalid` or `refused: <why>`.
#include <iostream>
#include <string>

#include "json/json.h"
#include "json/schema/schema.h"

int main() {
  namespace json = host::json;
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto pair = json::parse(line);
    if (!pair) {
      std::cout << "refused: " << pair.error().message << '\n';
      continue;
    }
    const auto schema = json::schema::Schema::compile(*json::find(pair->root(), "schema"));
    if (!schema) {
      std::cout << "refused: " << schema.error().message << '\n';
      continue;
    }
    const bool valid = schema->accepts(*json::find(pair->root(), "instance"));
    std::cout << (valid ? "valid" : "invalid") << '\n';
  }
  return 0;
}

// A schema, a NUL, an instance: both verdicts must agree, in bounded time and without a fault.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "json/schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = host::json;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t nul = input.find('\0');
  const auto schema = json::schema::Schema::compile(input.substr(0, nul), {.assert_formats = true});
  if (!schema) {
    if (schema.error().message.empty()) std::abort();
    return 0;
  }
  if (nul == std::string_view::npos) return 0;
  const auto instance = json::parse(input.substr(nul + 1));
  if (!instance) return 0;
  std::vector<json::schema::Violation> violations;
  const bool valid = schema->validate(instance->root(), violations);
  if (valid != violations.empty()) std::abort();
  if (violations.size() > json::schema::kMaxViolations) std::abort();
  // Time alone may make two runs differ: a pattern on the edge of its budget.
  const bool budget = !valid && violations[0].keyword.empty();
  if (!budget && schema->accepts(instance->root()) != valid) std::abort();
  return 0;
}

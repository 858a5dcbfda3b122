#include "cases.h"

namespace bench {
namespace {

// A tools/call of some 400 bytes.
std::string request() {
  return R"({"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"orders_search",)"
         R"("arguments":{"customer":"Müller & Söhne","status":["open","paid"],"limit":25,)"
         R"("min_total":99.5,"since":"2026-11-01T00:00:00Z","note":"deliver to the back door, \"ring twice\""},)"
         R"("_meta":{"progressToken":"p-4711","io.modelcontextprotocol/protocolVersion":"2025-11-25",)"
         R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}})";
}

std::string rows(int count) {
  std::string text = R"({"table":"orders","rows":[)";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(100000 + i) +
            R"(,"name":"customer number )" + std::to_string(i) + R"(","amount":)" +
            std::to_string(i) + ".25,\"paid\":" + (i % 2 == 0 ? "true" : "false") +
            R"(,"tags":["a","b"],"parent":null})";
  }
  return text + "]}";
}

// A series of measurements: whole numbers, and ones with three places behind the point.
std::string numbers(int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(i * 7919 % 100003) + (i % 2 == 0 ? "" : ".125");
  }
  return text + "]";
}

std::string prose(int paragraphs) {
  std::string text = R"({"content":[{"type":"text","text":")";
  for (int i = 0; i < paragraphs; ++i) {
    text += R"(The quick brown fox jumps over the lazy dog; \"grüße\" from line )" +
            std::to_string(i) + R"(.\n)";
  }
  return text + R"("}]})";
}

constexpr const char* kCallSchema = R"({
  "type": "object",
  "properties": {
    "customer": {"type": "string", "minLength": 1, "maxLength": 200},
    "status": {"type": "string", "enum": ["open", "paid", "cancelled"]},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000},
    "dry_run": {"type": "boolean"},
    "rows": {"type": "array", "maxItems": 100, "items": {
      "type": "object",
      "properties": {
        "sku": {"type": "string", "minLength": 3},
        "count": {"type": "integer", "minimum": 1},
        "price": {"type": "number", "exclusiveMinimum": 0}
      },
      "required": ["sku", "count"],
      "additionalProperties": false
    }}
  },
  "required": ["customer", "rows"],
  "additionalProperties": false
})";

std::string call(bool valid) {
  std::string text =
      R"({"customer":"Müller & Söhne","status":"open","limit":25,"dry_run":false,"rows":[)";
  for (int i = 0; i < 10; ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"sku":"A-)") + std::to_string(1000 + i) +
            R"(","count":)" + (i == 9 && !valid ? "\"2\"" : std::to_string(i + 1)) +
            R"(,"price":9.95})";
  }
  return text + "]}";
}

}  // namespace

std::vector<TextCase> text_cases() {
  return {{"request, 0.4 KB", request()},
          {"rows, 1 KB", rows(10)},
          {"rows, 1 MB", rows(10'000)},
          {"numbers, 30 KB", numbers(4000)},
          {"prose, 10 KB", prose(140)}};
}

std::vector<SchemaCase> schema_cases() {
  return {
      {"tool call, 5 properties, 10 objects", kCallSchema, call(true)},
      {"the same, the last row wrong", kCallSchema, call(false)},
      {"one string",
       R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})",
       R"({"text":"hello"})"},
      {"a pattern and a choice",
       R"({"type":"object","properties":{"id":{"type":"string","pattern":"^[a-z]{2}-[0-9]{4}$"},)"
       R"("to":{"oneOf":[{"type":"string"},{"type":"object","required":["mail"]}]}}})",
       R"({"id":"ab-1234","to":{"mail":"x"}})"},
      {"what is left is refused",
       R"({"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"string"}}}],)"
       R"("unevaluatedProperties":false})",
       R"({"a":1,"b":"x"})"},
  };
}

}  // namespace bench

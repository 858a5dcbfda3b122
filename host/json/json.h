// Defines names for RapidJSON's tree types, and the host's only parser for untrusted JSON texts.
// Only host/json uses RapidJSON.
//
// RapidJSON 1.1.0 crashes on short hostile numbers and on deep nesting, and accepts invalid UTF-8
// by default. So parse() reads texts itself (reader.h) and only stores them in RapidJSON's tree.
// scripts/check refuses any call of RapidJSON's own parser.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::json {

using Allocator = rapidjson::MemoryPoolAllocator<>;
using Value = rapidjson::GenericValue<rapidjson::UTF8<>, Allocator>;

// A Document is a tree together with its memory. Moving a Document moves no node, so references
// into the tree stay valid.
class Document {
 public:
  Document();  // a document whose root is null
  Document(std::unique_ptr<Allocator> allocator, Value root);

  Value& root() { return root_; }
  const Value& root() const { return root_; }
  Allocator& allocator() { return *allocator_; }

  Document clone() const;

 private:
  std::unique_ptr<Allocator> allocator_;  // root_ points into this memory
  Value root_;
};

struct Limits {
  std::uint32_t depth = 128;                // maximum depth of nested arrays and objects
  std::uint32_t nodes = 1'000'000;          // maximum number of values, without the keys
  std::uint32_t string_bytes = 16u << 20u;  // maximum size of one string value, decoded
  std::uint32_t key_bytes = 1024;           // maximum size of one member name, decoded
};

// A ParseError gives the position of an error in a JSON text. `line` and `column` count from 1, and
// `byte` counts from 0. `column` is counted in bytes.
struct ParseError {
  std::size_t byte = 0;
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;

  std::string describe() const;  // `line 1, column 7 (byte 6): expected ...`
};

// Parses one JSON text (RFC 8259) strictly. parse() refuses invalid UTF-8, duplicate keys, text
// after the value, integers that need more than 64 bits, and numbers that are too large for a
// double. Numbers that are too small for a double become 0. parse() copies the text, which does not
// have to end with NUL. The message of the returned Error is ParseError::describe().
Result<Document> parse(std::string_view text, const Limits& limits = {});

// Parses a text as parse(text) does, but returns the position of a fault as numbers. On failure the
// function fills `error` and returns nullptr.
std::unique_ptr<Document> parse(std::string_view text, const Limits& limits, ParseError& error);

// Writes compact text. Every tree from parse() can be written, because its depth is limited.
std::string write(const Value& value);
void write(const Value& value, std::string& append_to);
void write_string(std::string_view text, std::string& append_to);  // writes it quoted and escaped

// Returns nullptr if `object` is not an object or has no member of this name.
const Value* find(const Value& object, std::string_view key);
Value* find(Value& object, std::string_view key);

// Returns the text of a string value, or an empty text for any other kind of value.
std::string_view text(const Value& value);
std::string_view find_text(const Value& object, std::string_view key);

// Finds a value by its JSON Pointer (RFC 6901). Returns nullptr if no value has this JSON Pointer,
// or if `pointer` is not valid.
const Value* at(const Value& root, std::string_view pointer);
std::string escape_pointer_token(std::string_view token);

// Copies `text` into `allocator`.
Value string(std::string_view text, Allocator& allocator);
// Returns a deep copy. All memory of the copy, also of its strings, is from `allocator`.
Value copy(const Value& value, Allocator& allocator);
// Adds or replaces a member of an object. set() copies the key.
void set(Value& object, std::string_view key, Value value, Allocator& allocator);

}  // namespace host::json

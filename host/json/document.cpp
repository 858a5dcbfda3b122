#include <utility>

#include "json/json.h"

namespace host::json {
namespace {

// Most trees that the host makes itself are small.
constexpr std::size_t kChunkBytes = 2048;

using Builder = rapidjson::GenericDocument<rapidjson::UTF8<>, Allocator>;

// Copies every string, also those that the original only refers to: a clone outlives them.
struct StringCopier {
  Builder& builder;

  bool Null() { return builder.Null(); }
  bool Bool(bool value) { return builder.Bool(value); }
  bool Int(int value) { return builder.Int(value); }
  bool Uint(unsigned value) { return builder.Uint(value); }
  bool Int64(std::int64_t value) { return builder.Int64(value); }
  bool Uint64(std::uint64_t value) { return builder.Uint64(value); }
  bool Double(double value) { return builder.Double(value); }
  bool String(const char* data, rapidjson::SizeType length, bool) {
    return builder.String(data, length, true);
  }
  bool StartObject() { return builder.StartObject(); }
  bool Key(const char* data, rapidjson::SizeType length, bool) {
    return builder.Key(data, length, true);
  }
  bool EndObject(rapidjson::SizeType count) { return builder.EndObject(count); }
  bool StartArray() { return builder.StartArray(); }
  bool EndArray(rapidjson::SizeType count) { return builder.EndArray(count); }
};

}  // namespace

Document::Document() : allocator_(std::make_unique<Allocator>(kChunkBytes)) {}

Document::Document(std::unique_ptr<Allocator> allocator, Value root)
    : allocator_(std::move(allocator)), root_(std::move(root)) {}

Document Document::clone() const {
  auto allocator = std::make_unique<Allocator>(kChunkBytes);
  Value root = copy(root_, *allocator);
  return Document(std::move(allocator), std::move(root));
}

Value copy(const Value& value, Allocator& allocator) {
  Builder builder(&allocator);
  const auto generate = [&value](Builder& target) {
    StringCopier copier{target};
    return value.Accept(copier);
  };
  builder.Populate(generate);
  return std::move(static_cast<Value&>(builder));
}

const Value* find(const Value& object, std::string_view key) {
  if (!object.IsObject()) return nullptr;
  for (auto member = object.MemberBegin(); member != object.MemberEnd(); ++member) {
    if (text(member->name) == key) return &member->value;
  }
  return nullptr;
}

Value* find(Value& object, std::string_view key) {
  return const_cast<Value*>(find(std::as_const(object), key));
}

std::string_view text(const Value& value) {
  if (!value.IsString()) return {};
  return {value.GetString(), value.GetStringLength()};
}

std::string_view find_text(const Value& object, std::string_view key) {
  const Value* const value = find(object, key);
  return value == nullptr ? std::string_view() : text(*value);
}

Value string(std::string_view text, Allocator& allocator) {
  return Value(text.data() == nullptr ? "" : text.data(),
               static_cast<rapidjson::SizeType>(text.size()), allocator);
}

void set(Value& object, std::string_view key, Value value, Allocator& allocator) {
  if (Value* const present = find(object, key)) {
    *present = std::move(value);
    return;
  }
  object.AddMember(string(key, allocator), std::move(value), allocator);
}

}  // namespace host::json

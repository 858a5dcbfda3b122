// minLength, maxLength, pattern, format
#include <limits>

#include "json/schema/format/format.h"
#include "json/schema/keyword/keywords.h"
#include "json/schema/run.h"
#include "json/schema/values.h"

namespace host::json::schema {
namespace {

// In characters, that is code points: bytes that do not continue one.
std::uint64_t length_of(std::string_view string) {
  std::uint64_t length = 0;
  for (const char c : string) length += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u ? 1 : 0;
  return length;
}

class Length : public Rule {
 public:
  Length(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    const std::string_view string = name_of(place.value);
    // A character has one to four bytes: often the bytes alone decide.
    if (string.size() <= most_ && string.size() / 4 >= least_) return true;
    if (!run.spend(string.size() / 64)) return false;
    const std::uint64_t length = length_of(string);
    if (length < least_) return too(run, place, "minLength", "at least ", least_, length);
    if (length > most_) return too(run, place, "maxLength", "at most ", most_, length);
    return true;
  }

 private:
  bool too(Run& run, const Place& place, std::string_view keyword, std::string_view words,
           std::uint64_t limit, std::uint64_t length) const {
    return run.fail(*this, place, keyword, [&] {
      return "expected " + std::string(words) + std::to_string(limit) + " characters, got " +
             std::to_string(length) + " in " + shown(place.value);
    });
  }

  std::uint64_t least_;
  std::uint64_t most_;
};

class Matches : public Rule {
 public:
  explicit Matches(std::shared_ptr<const Pattern> pattern) : pattern_(std::move(pattern)) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    if (pattern_->matches(name_of(place.value), run)) return true;
    return run.fail(*this, place, "pattern", [&] {
      return "expected a string that matches the pattern " + quoted(pattern_->text()) + ", got " +
             shown(place.value);
    });
  }

 private:
  std::shared_ptr<const Pattern> pattern_;
};

class Formatted : public Rule {
 public:
  explicit Formatted(const Format& format) : format_(format) {}

  bool check(Run& run, const Place& place, Evaluated*) const override {
    const std::string_view string = name_of(place.value);
    if (!run.spend(1 + string.size() / 16)) return false;
    if (format_.accepts(string)) return true;
    return run.fail(*this, place, "format", [&] {
      return "expected " + std::string(format_.words) + ", got " + shown(place.value);
    });
  }

 private:
  const Format& format_;
};

Result<void> add_length(Builder& builder) {
  const Value* const least = builder.keyword("minLength", Vocabulary::Validation);
  const Value* const most = builder.keyword("maxLength", Vocabulary::Validation);
  if (least == nullptr && most == nullptr) return {};
  std::uint64_t least_count = 0;
  std::uint64_t most_count = kNoLimit;
  if (least != nullptr) {
    HOST_TRY_ASSIGN(least_count, builder.count("minLength", *least));
  }
  if (most != nullptr) {
    HOST_TRY_ASSIGN(most_count, builder.count("maxLength", *most));
  }
  builder.add(kString, std::make_unique<Length>(least_count, most_count));
  return {};
}

Result<void> add_pattern(Builder& builder) {
  const Value* const pattern = builder.keyword("pattern", Vocabulary::Validation);
  if (pattern == nullptr) return {};
  if (!pattern->IsString()) {
    return builder.wrong("pattern", "must be a string, got " + describe_value(*pattern));
  }
  auto compiled = builder.compiler().pattern(text(*pattern));
  if (!compiled) return builder.wrong("pattern", compiled.error().message);
  builder.add(kString, std::make_unique<Matches>(*std::move(compiled)));
  return {};
}

}  // namespace

Result<void> add_string_rules(Builder& builder) {
  HOST_TRY(add_length(builder));
  HOST_TRY(add_pattern(builder));
  const Value* const format = builder.keyword("format", Vocabulary::Core);
  if (format == nullptr) return {};
  if (!format->IsString()) {
    return builder.wrong("format", "must be a string, got " + describe_value(*format));
  }
  // A name that nobody knows asserts nothing.
  const Format* const known = find_format(text(*format), builder.draft7());
  if (known != nullptr && builder.dialect().has(Vocabulary::FormatAssertion)) {
    builder.add(kString, std::make_unique<Formatted>(*known));
  }
  return {};
}

}  // namespace host::json::schema

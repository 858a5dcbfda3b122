#include "yaml/json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "json/schema/time_budget.h"
#include "yaml/documents.h"

namespace host::yaml {
namespace {

constexpr std::chrono::seconds kMostYamlTime{1};
constexpr std::size_t kStepsOfEvent = 10;  // of TimeBudget
constexpr std::size_t kShownTagBytes = 60;
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// Stops the library from inside its own calls. to_json_text() catches it.
struct NotJson {
  YAML::Mark mark;
  std::string message;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::size_t digits_at(std::string_view text, std::size_t from) {
  const std::size_t end = text.find_first_not_of("0123456789", from);
  return std::min(end, text.size()) - from;
}

std::string without_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
}

// Of 0x1F and 0o17.
std::string based_integer(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (!is_hexadecimal && !text.starts_with("0o")) return {};
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 2, end, value, is_hexadecimal ? 16 : 8);
  return read.ec == std::errc() && read.ptr == end ? std::to_string(value) : std::string();
}

// The JSON number for a plain scalar. Empty: it is no number.
std::string number_of(std::string_view text) {
  if (std::string based = based_integer(text); !based.empty()) return based;
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t whole = digits_at(text, sign);
  std::size_t at = sign + whole;
  std::string out = (text.starts_with('-') ? "-" : "") + without_zeros(text.substr(sign, whole));
  if (at < text.size() && text[at] == '.') {
    const std::size_t part = digits_at(text, ++at);
    if (whole + part == 0) return {};
    out += "." + (part > 0 ? std::string(text.substr(at, part)) : "0");
    at += part;
  } else if (whole == 0) {
    return {};
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t from = at++;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const std::size_t exponent = digits_at(text, at);
    if (exponent == 0) return {};
    at += exponent;
    out += text.substr(from, at - from);
  }
  return at == text.size() ? out : std::string();
}

// The core schema of YAML 1.2.
std::string json_of_plain(const std::string& text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return "null";
  if (is_one_of(text, {"true", "True", "TRUE"})) return "true";
  if (is_one_of(text, {"false", "False", "FALSE"})) return "false";
  std::string out = number_of(text);
  if (out.empty()) json::write_string(text, out);
  return out;
}

// Writes JSON as events come, so that nothing beyond the limits is ever made.
class JsonWriter final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(mark, "null", "null"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw NotJson{mark, "an alias (*name), which the host does not follow"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag, "str");
    const bool is_text = tag == "!" || tag == std::string(kTagPrefix) + "str";
    std::string out;
    if (is_text) json::write_string(value, out);
    add(mark, is_text ? out : json_of_plain(value), value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag, "seq");
    open(mark, '[');
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag, "map");
    open(mark, '{');
  }
  void OnMapEnd() override { close('}'); }

  std::string text;

 private:
  struct Level {
    bool is_map;
    bool wants_key;
    bool is_empty;
  };

  static void check_tag(const YAML::Mark& mark, const std::string& tag, const char* own) {
    if (is_one_of(tag, {"", "?", "!"}) || tag == std::string(kTagPrefix) + own) return;
    throw NotJson{mark,
                  "a tag (" + tag.substr(0, kShownTagBytes) + "), which the host does not know"};
  }

  void open(const YAML::Mark& mark, char bracket) {
    if (!levels_.empty() && levels_.back().wants_key)
      throw NotJson{mark, "a key that is a map or a list"};
    if (levels_.size() == kMostJsonLevels) {
      throw NotJson{mark,
                    "more than " + std::to_string(kMostJsonLevels) + " levels of maps and lists"};
    }
    begin_value(mark);
    text += bracket;
    const bool is_map = bracket == '{';
    levels_.push_back({is_map, is_map, true});
  }

  void close(char bracket) {
    levels_.pop_back();
    text += bracket;
    end_value();
  }

  // `plain`: its text, if it is a key.
  void add(const YAML::Mark& mark, const std::string& json, const std::string& plain) {
    if (levels_.empty() || !levels_.back().wants_key) {
      begin_value(mark);
      text += json;
      return end_value();
    }
    begin_value(mark);
    json::write_string(plain, text);
    text += ':';
    levels_.back().wants_key = false;
  }

  void begin_value(const YAML::Mark& mark) {
    if (!time_.spend(kStepsOfEvent)) throw NotJson{mark, "it takes too long to read"};
    if (levels_.empty()) return;
    Level& level = levels_.back();
    const bool follows_key = level.is_map && !level.wants_key;
    if (!follows_key && !std::exchange(level.is_empty, false)) text += ',';
  }

  void end_value() {
    if (!levels_.empty() && levels_.back().is_map) levels_.back().wants_key = true;
  }

  std::vector<Level> levels_;
  json::schema::TimeBudget time_{kMostYamlTime, nullptr};
};

std::string convert(std::string_view text) {
  Documents documents(text);
  JsonWriter writer;
  if (!documents.read(writer)) return "null";
  if (!documents.at_end()) throw NotJson{YAML::Mark::null_mark(), "a second document"};
  return std::move(writer.text);
}

Error not_json(const YAML::Mark& mark, const std::string& why) {
  std::string at = mark.is_null() ? "" : "line " + std::to_string(mark.line + 1) + ": ";
  return Error{ErrorKind::InvalidArgument, at + why};
}

}  // namespace

Result<std::string> to_json_text(std::string_view text) {
  if (text.size() > kMostJsonBytes) {
    return Error{ErrorKind::InvalidArgument,
                 "more than " + std::to_string(kMostJsonBytes) + " bytes of YAML"};
  }
  try {
    return convert(text);
  } catch (const NotJson& refused) {
    return not_json(refused.mark, refused.message);
  } catch (const YAML::Exception& fault) {
    return not_json(fault.mark, fault.msg);
  }
}

}  // namespace host::yaml

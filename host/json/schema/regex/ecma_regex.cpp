#include "json/schema/regex/ecma_regex.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "json/schema/regex/characters.h"
#include "json/schema/regex/unicode_property.h"

namespace host::json::schema {
namespace {

// ECMA-262's WhiteSpace and LineTerminator; PCRE2's own \s knows only ASCII.
constexpr std::string_view kSpace =
    "\\x09-\\x0d\\x20\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"
    "\\x{3000}\\x{feff}";
constexpr std::string_view kNotSpace =
    "\\x00-\\x08\\x0e-\\x1f\\x21-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"
    "\\x{ff00}-\\x{10ffff}";
constexpr std::string_view kNotLineEnd = "[^\\n\\r\\x{2028}\\x{2029}]";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> run() {
    while (!at_end()) HOST_TRY(term());
    if (open_groups_ != 0) return wrong("a group is not closed");
    return std::move(out_);
  }

 private:
  bool at_end() const { return at_ == pattern_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    if (!starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  Error wrong(std::string_view why) const {
    return Error{ErrorKind::InvalidArgument,
                 std::string(why) + " (at byte " + std::to_string(at_) + ")"};
  }

  Result<void> term() {
    const char c = peek();
    switch (c) {
      case '(':
        return open_group();
      case ')':
        if (open_groups_ == 0) return wrong("a `)` without its `(`");
        --open_groups_;
        return emit_atom(")");
      case '[':
        return character_class();
      case '\\':
        return escape(Where::Outside);
      case '.':
        ++at_;
        out_ += kNotLineEnd;
        return after_atom();
      case '|':
      case '^':
      case '$':
        out_ += c;
        ++at_;
        return {};
      case '*':
      case '+':
      case '?':
        return wrong("nothing to repeat");
      case '{':
        if (quantifier_length() != 0) return wrong("nothing to repeat");
        return emit_literal();
      default:
        return emit_literal();
    }
  }

  Result<void> open_group() {
    ++at_;
    ++open_groups_;
    out_ += '(';
    if (peek() == '*') return wrong("nothing to repeat");
    if (peek() != '?') return {};
    for (const std::string_view form : {"?:", "?=", "?!", "?<=", "?<!"}) {
      if (!take(form)) continue;
      out_ += form;
      return {};
    }
    if (!starts_with("?<")) return wrong("a kind of group that ECMA-262 does not have");
    at_ += 2;
    out_ += "?<";
    return group_name();
  }

  // Up to and with the `>`.
  Result<void> group_name() {
    const std::size_t length = std::min(pattern_.substr(at_).find('>'), pattern_.size() - at_);
    const std::string_view name = pattern_.substr(at_, length);
    const bool good = !name.empty() && !is_digit(name[0]) && name.size() <= 32 &&
                      std::all_of(name.begin(), name.end(),
                                  [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
    if (!good || at_ + length == pattern_.size()) return wrong("a group's name is not usable");
    out_.append(name).append(">");
    at_ += length + 1;
    return {};
  }

  Result<void> emit_atom(std::string_view text) {
    ++at_;
    out_ += text;
    return after_atom();
  }

  Result<void> emit_literal() {
    const char c = peek();
    ++at_;
    if (static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_digit(c)) {
      append_code(static_cast<unsigned char>(c));
      return after_atom();
    }
    out_ += c;
    while (!at_end() && (static_cast<unsigned char>(peek()) & 0xC0u) == 0x80u) {
      out_ += pattern_[at_++];
    }
    return after_atom();
  }

  // `{2}`, `{2,}`, `{2,5}`; 0 if it is none.
  std::size_t quantifier_length() const {
    std::size_t length = 1;
    const auto digits = [&] {
      const std::size_t before = length;
      while (is_digit(peek(length))) ++length;
      return length != before;
    };
    if (peek() != '{' || !digits()) return 0;
    if (peek(length) == ',') {
      ++length;
      digits();
    }
    return peek(length) == '}' ? length + 1 : 0;
  }

  Result<void> after_atom() {
    const std::size_t length = is_one_of(peek(), "*+?") ? 1 : quantifier_length();
    if (length == 0) return {};
    out_ += pattern_.substr(at_, length);
    at_ += length;
    if (peek() == '?') {
      out_ += '?';
      ++at_;
    }
    // PCRE2 would read a second one as possessive.
    if (is_one_of(peek(), "*+?") || quantifier_length() != 0) return wrong("nothing to repeat");
    return {};
  }

  Result<void> character_class() {
    ++at_;
    out_ += '[';
    if (take("^")) out_ += '^';
    while (!at_end() && peek() != ']') {
      if (peek() == '\\') {
        HOST_TRY(escape(Where::InClass));
      } else if (peek() == '-') {
        out_ += '-';
        ++at_;
      } else {
        class_literal();
      }
    }
    if (at_end()) return wrong("a character class is not closed");
    return emit_atom("]");
  }

  // By its number: `[`, `&&` and the like mean more to PCRE2 than to ECMA-262.
  void class_literal() {
    const char c = peek();
    ++at_;
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      out_ += c;
    } else {
      append_code(static_cast<unsigned char>(c));
    }
  }

  enum class Where { Outside, InClass };

  Result<void> escape(Where where) {
    ++at_;
    if (at_end()) return wrong("a `\\` at the end");
    const char c = peek();
    if (is_one_of(c, "bB") && where == Where::Outside) {  // a place, no atom
      out_.append("\\").append(1, c);
      ++at_;
      return {};
    }
    if (c == 'k' || (c >= '1' && c <= '9')) {
      if (where == Where::InClass) return wrong("a back reference in a class");
      HOST_TRY(back_reference());
    } else if (is_one_of(c, "dDwW")) {
      out_.append("\\").append(1, c);
      ++at_;
    } else if (is_one_of(c, "sS")) {
      ++at_;
      space(c == 's', where);
    } else if (is_one_of(c, "pP")) {
      HOST_TRY(property());
    } else {
      HOST_TRY_ASSIGN(const unsigned code, character_escape(where));
      append_code(code);
    }
    return where == Where::Outside ? after_atom() : Result<void>();
  }

  void space(bool positive, Where where) {
    if (where == Where::InClass) {
      out_ += positive ? kSpace : kNotSpace;
    } else {
      out_.append(positive ? "[" : "[^").append(kSpace).append("]");
    }
  }

  Result<void> back_reference() {
    if (peek() == 'k') {
      if (!take("k<")) return wrong("expected a name after \\k");
      out_ += "\\k<";
      return group_name();
    }
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    out_.append("\\g{").append(pattern_.substr(start, at_ - start)).append("}");
    return {};
  }

  Result<void> property() {
    const char kind = peek();
    const std::size_t end = pattern_.find('}', at_);
    if (peek(1) != '{' || end == std::string_view::npos) return wrong("expected `{` after \\p");
    const std::string_view name = pattern_.substr(at_ + 2, end - at_ - 2);
    const std::string known = pcre2_property(name);
    if (known.empty()) return wrong("an unknown Unicode property");
    out_.append("\\").append(1, kind).append("{").append(known).append("}");
    at_ = end + 1;
    return {};
  }

  Result<unsigned> character_escape(Where where) {
    constexpr std::array<std::pair<char, unsigned>, 5> kControls = {
        {{'t', 9}, {'n', 10}, {'v', 11}, {'f', 12}, {'r', 13}}};
    const char c = peek();
    for (const auto& [letter, code] : kControls) {
      if (letter != c) continue;
      ++at_;
      return code;
    }
    if (c == 'b' && where == Where::InClass) {
      ++at_;
      return 8u;
    }
    if (c == '0' && !is_digit(peek(1))) {
      ++at_;
      return 0u;
    }
    if (c == 'c' && is_letter(peek(1))) {
      at_ += 2;
      return static_cast<unsigned>(pattern_[at_ - 1]) % 32u;
    }
    if (c == 'x') return hex(at_ + 1, 2);
    if (c == 'u') return unicode_escape();
    if (is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80 || c == '_') {
      return wrong("an escape that ECMA-262 does not have");
    }
    ++at_;
    return static_cast<unsigned>(c);
  }

  Result<unsigned> unicode_escape() {
    if (peek(1) == '{') {
      const std::size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos) return wrong("expected `}` after \\u{");
      HOST_TRY_ASSIGN(const unsigned code, hex(at_ + 2, end - at_ - 2));
      ++at_;
      if (code > 0x10FFFF) return wrong("beyond U+10FFFF");
      return code;
    }
    HOST_TRY_ASSIGN(const unsigned code, hex(at_ + 1, 4));
    if (code < 0xD800 || code > 0xDFFF) return code;
    if (code > 0xDBFF || !starts_with("\\u")) return wrong("half of a surrogate pair");
    HOST_TRY_ASSIGN(const unsigned low, hex(at_ + 2, 4));
    if (low < 0xDC00 || low > 0xDFFF) return wrong("half of a surrogate pair");
    return 0x10000 + ((code - 0xD800) << 10u) + (low - 0xDC00);
  }

  Result<unsigned> hex(std::size_t from, std::size_t length) {
    unsigned code = 0;
    if (length == 0 || length > 8 || from + length > pattern_.size()) {
      return wrong("expected hex digits");
    }
    const char* const end = pattern_.data() + from + length;
    const auto [stop, error] = std::from_chars(pattern_.data() + from, end, code, 16);
    if (error != std::errc{} || stop != end) return wrong("expected hex digits");
    at_ = from + length;
    return code;
  }

  void append_code(unsigned code) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr;
    out_.append("\\x{").append(digits.data(), end).append("}");
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t open_groups_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> translate_ecma_regex(std::string_view pattern) {
  return Translator(pattern).run();
}

}  // namespace host::json::schema

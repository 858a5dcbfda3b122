#include "readable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

namespace {

constexpr std::size_t kMaxLinkBytes = 300;

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool is_letter(char c) {
  return small(c) >= 'a' && small(c) <= 'z';
}

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// A blank line around them.
constexpr std::string_view kParagraphs[] = {
    "p",   "h1",         "h2",    "h3",      "h4",      "h5",   "h6", "ul",     "ol",  "dl",
    "pre", "blockquote", "table", "section", "article", "main", "hr", "figure", "form"};
// A new line.
constexpr std::string_view kLines[] = {"br",         "div",     "li",     "tr",  "dt",
                                       "dd",         "header",  "footer", "nav", "aside",
                                       "figcaption", "address", "option", "body"};
// What is in them is not for reading.
constexpr std::string_view kHidden[] = {"script", "style",  "template", "svg",
                                        "iframe", "object", "noscript"};

struct Entity {
  std::string_view name, text;
};
constexpr Entity kEntities[] = {
    {"amp", "&"},         {"lt", "<"},          {"gt", ">"},          {"quot", "\""},
    {"apos", "'"},        {"nbsp", " "},        {"copy", "\u00a9"},   {"reg", "\u00ae"},
    {"trade", "\u2122"},  {"hellip", "\u2026"}, {"mdash", "\u2014"},  {"ndash", "\u2013"},
    {"lsquo", "\u2018"},  {"rsquo", "\u2019"},  {"ldquo", "\u201c"},  {"rdquo", "\u201d"},
    {"laquo", "\u00ab"},  {"raquo", "\u00bb"},  {"bull", "\u2022"},   {"middot", "\u00b7"},
    {"times", "\u00d7"},  {"deg", "\u00b0"},    {"euro", "\u20ac"},   {"pound", "\u00a3"},
    {"sect", "\u00a7"},   {"para", "\u00b6"},   {"larr", "\u2190"},   {"rarr", "\u2192"},
    {"auml", "\u00e4"},   {"ouml", "\u00f6"},   {"uuml", "\u00fc"},   {"Auml", "\u00c4"},
    {"Ouml", "\u00d6"},   {"Uuml", "\u00dc"},   {"szlig", "\u00df"},  {"eacute", "\u00e9"},
    {"egrave", "\u00e8"}, {"agrave", "\u00e0"}, {"ccedil", "\u00e7"}, {"ntilde", "\u00f1"}};

std::string utf8(std::uint32_t code) {
  if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

// The character that `name`, between & and ;, stands for; empty for one that is not known.
std::string character(std::string_view name) {
  if (name.starts_with('#')) {
    const bool hex = name.size() > 1 && small(name[1]) == 'x';
    name.remove_prefix(hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    return error == std::errc() && end == name.data() + name.size() ? utf8(code) : std::string();
  }
  for (const Entity& entity : kEntities) {
    if (entity.name == name) return std::string(entity.text);
  }
  return {};
}

std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, 32).find(';');
    std::string found = end == text.npos ? "" : character(text.substr(1, end - 1));
    text.remove_prefix(found.empty() ? 1 : end + 1);
    out += found.empty() ? "&" : found;
  }
  return out;
}

// Text with spaces folded, at most one blank line in a row.
class Writer {
 public:
  void add(std::string_view text, bool as_it_is) {
    if (as_it_is) {
      flush();
      out_ += text;
      return;
    }
    for (const char c : text) {
      if (is_space(c)) {
        space_ = true;
      } else {
        flush();
        out_ += c;
      }
    }
  }
  void line(int count) { lines_ = std::max(lines_, count); }
  void prefix(std::string_view text) {
    flush();
    out_ += text;
  }
  std::string take() { return std::move(out_); }

 private:
  void flush() {
    if (out_.empty()) {
      // nothing above it
    } else if (lines_ > 0) {
      while (!out_.empty() && (out_.back() == ' ' || out_.back() == '\n')) out_.pop_back();
      out_.append(static_cast<std::size_t>(lines_), '\n');
    } else if (space_ && out_.back() != ' ' && out_.back() != '\n') {
      out_ += ' ';
    }
    lines_ = 0;
    space_ = false;
  }

  std::string out_;
  int lines_ = 0;
  bool space_ = false;
};

struct Tag {
  std::string name;  // in small letters; empty: no tag
  bool closes = false;
  std::string href;
};

class Reader {
 public:
  explicit Reader(std::string_view html) : rest_(html) {}

  Readable read() {
    while (!rest_.empty()) {
      const std::size_t at = std::min(rest_.find('<'), rest_.size());
      text(rest_.substr(0, at));
      rest_.remove_prefix(at);
      if (!rest_.empty()) markup();
    }
    return {std::move(title_), out_.take()};
  }

 private:
  void text(std::string_view raw) {
    if (!raw.empty()) out_.add(decoded(raw), pre_);
  }

  void markup() {
    if (rest_.starts_with("<!--")) return skip_behind("-->");
    if (rest_.starts_with("<!") || rest_.starts_with("<?")) return skip_behind(">");
    const bool closes = rest_.starts_with("</");
    const std::size_t name_at = closes ? 2 : 1;
    if (rest_.size() <= name_at || !is_letter(rest_[name_at])) {  // a bare <
      text(rest_.substr(0, 1));
      return rest_.remove_prefix(1);
    }
    rest_.remove_prefix(name_at);
    Tag tag = read_tag();
    tag.closes = closes;
    act(tag);
  }

  void skip_behind(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + mark.size());
  }

  Tag read_tag() {
    Tag tag;
    while (!rest_.empty() && !is_space(rest_[0]) && rest_[0] != '>' && rest_[0] != '/')
      tag.name += small(take());
    for (;;) {
      while (!rest_.empty() && (is_space(rest_[0]) || rest_[0] == '/')) take();
      if (rest_.empty()) return tag;
      if (rest_[0] == '>') return take(), tag;
      std::string attribute;
      do {
        attribute += small(take());
      } while (!rest_.empty() && !is_space(rest_[0]) && rest_[0] != '>' && rest_[0] != '=' &&
               rest_[0] != '/');
      while (!rest_.empty() && is_space(rest_[0])) take();
      if (rest_.empty() || rest_[0] != '=') continue;
      take();
      const std::string_view value = read_value();
      if (attribute == "href" && tag.href.empty()) tag.href = decoded(value);
    }
  }

  std::string_view read_value() {
    while (!rest_.empty() && is_space(rest_[0])) take();
    if (rest_.empty()) return {};
    const char quote = rest_[0] == '"' || rest_[0] == '\'' ? take() : '\0';
    const std::size_t end = std::min(
        quote != '\0' ? rest_.find(quote) : rest_.find_first_of(" \t\r\n\f>"), rest_.size());
    const std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + (quote != '\0' ? 1 : 0), rest_.size()));
    return value;
  }

  // What is in an element whose text is none of the page's: its raw bytes.
  std::string_view raw_until_end(const std::string& name) {
    const std::string end = "</" + name;
    const auto at = std::search(rest_.begin(), rest_.end(), end.begin(), end.end(),
                                [](char a, char b) { return small(a) == b; });
    const auto size = static_cast<std::size_t>(at - rest_.begin());
    const std::string_view raw = rest_.substr(0, size);
    rest_.remove_prefix(size);
    skip_behind(">");
    return raw;
  }

  void act(const Tag& tag) {
    const std::string& name = tag.name;
    if (!tag.closes && is_one_of(kHidden, name)) {
      raw_until_end(name);
    } else if (!tag.closes && name == "title") {
      Writer words;
      words.add(decoded(raw_until_end(name)), false);
      if (title_.empty()) title_ = words.take();
    } else if (name == "a") {
      link(tag);
    } else {
      block(tag);
    }
  }

  void block(const Tag& tag) {
    const std::string& name = tag.name;
    if (is_one_of(kParagraphs, name)) out_.line(2);
    if (is_one_of(kLines, name)) out_.line(1);
    if (name == "pre") pre_ = !tag.closes;
    if (tag.closes) return;
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6')
      out_.prefix(std::string(static_cast<std::size_t>(name[1] - '0'), '#') + " ");
    if (name == "li") out_.prefix("- ");
    if (name == "td" || name == "th") out_.add(" | ", false);
  }

  void link(const Tag& tag) {
    if (!tag.closes) {
      href_ = tag.href;
      return;
    }
    const bool leads = !href_.empty() && href_.size() <= kMaxLinkBytes && href_[0] != '#' &&
                       href_.find_first_of(" \t\r\n") == href_.npos &&
                       (href_.find(':') == href_.npos || href_.starts_with("http"));
    if (leads) out_.add(" (" + href_ + ")", false);
    href_.clear();
  }

  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  Writer out_;
  std::string title_;
  std::string href_;
  bool pre_ = false;
};

}  // namespace

Readable readable(std::string_view html) {
  return Reader(html).read();
}

#include "permission/shell/words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "permission/shell/locale_trouble.h"

namespace host::permission::shell {
namespace {

constexpr std::string_view kReserved[] = {
    "for", "while", "until", "if", "case", "select",   "then",   "do", "else", "elif",
    "fi",  "done",  "esac",  "[[", "]]",   "function", "coproc", "{",  "}"};

constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
constexpr bool is_operator(char c) {
  return c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}
constexpr bool ends_word(char c) {
  return is_blank(c) || c == '\n' || is_operator(c);
}
constexpr bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

// Behind these words, a command begins.
constexpr std::string_view kLeads[] = {"then",  "do", "else", "elif", "if", "while",
                                       "until", "!",  "time", "-p",   "--", "coproc"};

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t"));
}

std::string_view without_leads(std::string_view piece) {
  for (;;) {
    const std::string_view word = first_word(piece);
    const bool assigns = word.find('=') != word.npos && is_name_start(word.front());
    if (!assigns && !is_one_of(kLeads, word)) return piece;
    piece = trim(piece.substr(word.size()));
  }
}

void add_piece(std::vector<std::string_view>& pieces, std::string_view piece) {
  if (piece.empty()) return;
  pieces.push_back(piece);
  const std::string_view command = without_leads(piece);
  if (!command.empty() && command.size() < piece.size()) pieces.push_back(command);
}

// A command can follow the file of a redirection. The file's name can have a few blanks.
void add_pieces_behind_file(std::vector<std::string_view>& pieces, std::string_view piece) {
  constexpr int kMostBlanks = 8;
  for (int blanks = 0; blanks < kMostBlanks && !piece.empty(); ++blanks) {
    piece = trim(piece.substr(first_word(piece).size()));
    add_piece(pieces, piece);
  }
}

class Scanner {
 public:
  Scanner(std::string_view command, const Place& place) : text_(command), place_(place) {}

  Script run() {
    if (text_.size() > kMaxCommandBytes) {
      fail("it is longer than " + std::to_string(kMaxCommandBytes) + " bytes");
    } else if (std::any_of(text_.begin(), text_.end(), is_control)) {
      fail("it holds a control character");
    }
    fail(std::string(locale_trouble(text_)));
    while (good() && at_ < text_.size()) step();
    if (good()) end_segment(After::End);
    return std::move(script_);
  }

 private:
  enum class After { End, Semicolon, Newline, Chain };

  bool good() const { return script_.trouble.empty(); }
  void fail(std::string why) {
    if (good()) script_.trouble = std::move(why);
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(std::string_view token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  // True if the line continues here. A shell removes the two bytes before it looks at the next one,
  // so what is before them and what is behind them can be one operator, expansion or name.
  bool continues(std::size_t ahead = 0) const {
    return peek(ahead) == '\\' && peek(ahead + 1) == '\n';
  }
  void fail_continued(std::string_view in) {
    fail("a line is continued within " + std::string(in));
  }

  void step() {
    if (is_blank(peek())) {
      ++at_;
    } else if (continues()) {
      continue_between_words();
    } else if (peek() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (!take_operator()) {
      take_piece();
    }
  }

  void continue_between_words() {
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    while (take("\\\n")) {
    }
    if (is_operator(before) && is_operator(peek())) fail_continued("an operator");
  }

  bool take_operator() {
    if (peek() == '|' && at_ > 0 && is_beyond_ascii(text_[at_ - 1]))
      return fail("shells read | behind a letter beyond ASCII differently"), true;
    if (take("\n")) return end_segment(After::Newline), true;
    if (take("&&") || take("||")) return end_segment(After::Chain), true;
    if (take("|&") || (peek() == '|' && take("|"))) {
      end_segment(After::Chain);
      segment_.reads_pipe = true;
      return true;
    }
    if (take(";;") || take(";&")) return fail("it holds a case clause"), true;
    if (take(";")) return end_segment(After::Semicolon), true;
    if (take("&>")) return fail_both(), true;
    if (take("&")) return end_segment(After::Semicolon), true;
    if (peek() == '(' || peek() == ')') return fail("it holds a subshell or a function"), true;
    return false;
  }

  // One redirection, or the end of a command and then a redirection.
  void fail_both() { fail("it redirects by &>, which shells read differently: write >file 2>&1"); }

  void take_piece() {
    if (!open_) {
      open_ = true;
      start_ = at_;
    }
    if (!take_redirect()) take_word();
    end_ = at_;
  }

  bool take_redirect() {
    std::size_t digits = 0;
    while (is_digit(peek(digits))) ++digits;
    const char next = peek(digits);
    if (next != '<' && next != '>') return false;
    if (digits > 1) return fail("shells read the number before a redirection differently"), true;
    at_ += digits;
    take_redirect_operator();
    return true;
  }

  void take_redirect_operator() {
    if (take("<<<")) return take_target(false);
    if (take("<<")) return fail("it holds a here-document");
    if (take("<(") || take(">(")) return fail("it holds a process substitution");
    if (take("<&")) return take_descriptor(false);
    if (take("<>")) return take_target(true);
    if (take("<")) return take_target(false);
    if (take(">>") || take(">|")) return take_target(true);
    if (take(">&")) return take_descriptor(true);
    take(">");
    take_target(true);
  }

  void take_descriptor(bool writes) {
    while (is_blank(peek())) ++at_;
    // For bash, a word begins behind `<&-` and `<& -`.
    if (peek() == '-' && at_ + 1 < text_.size() && !ends_word(peek(1)))
      return fail("shells read what follows <&- or >&- differently");
    take_target(writes);
    if (!good()) return;
    // bash expands such a word again after it has removed the quotes: >&'$(x)' runs x.
    const Word& word = segment_.redirects.back().target;
    if (word.quoted || !word.literal || word.wildcard)
      return fail("shells read a quoted word behind >& or <& differently");
    if (!writes) return;
    // >&2 and >&- name a descriptor; >&file writes.
    Redirect& last = segment_.redirects.back();
    const std::string& name = last.target.text;
    last.writes = name != "-" && !(last.target.literal && !name.empty() &&
                                   std::all_of(name.begin(), name.end(), is_digit));
  }

  void take_target(bool writes) {
    while (is_blank(peek())) ++at_;
    if (continues()) return fail_continued("a redirection");
    if (at_ >= text_.size() || ends_word(peek())) return fail("a redirection names no file");
    Redirect redirect{read_word(), writes};
    segment_.redirects.push_back(std::move(redirect));
    count_word();
  }

  void count_word() {
    if (++words_ > kMaxWords) fail("it has more than " + std::to_string(kMaxWords) + " words");
  }

  void take_word() {
    const std::size_t from = at_;
    Word word = read_word();
    if (!good()) return;
    count_word();
    if (segment_.words.empty() && take_assignment(text_.substr(from, at_ - from), word)) return;
    if (segment_.words.empty() || led_) {
      check_command(word);
      led_ = leads(word);
    }
    segment_.words.push_back(std::move(word));
  }

  // True if another keyword may follow: `! coproc`, `time -p coproc`.
  bool leads(const Word& word) const {
    if (word.quoted) return false;
    const bool option = word.text == "-p" || word.text == "--";
    return word.text == "!" || word.text == "time" || (option && !segment_.words.empty());
  }

  // NAME=value before a command.
  bool take_assignment(std::string_view source, const Word& word) {
    std::size_t size = 0;
    if (source.empty() || !is_name_start(source[0])) return false;
    while (size < source.size() && is_name(source[size])) ++size;
    const std::size_t equals = size;
    const std::size_t sign = source.find('=');
    if (sign != std::string_view::npos && source.find("\\\n") < sign) {
      fail_continued("an assignment");
      return true;
    }
    if (equals < source.size() && source[equals] == '[') {
      fail("it assigns to an array");
      return true;
    }
    if (source.substr(equals).starts_with("+=")) {
      fail("it adds to a variable, which some shells take for a command");
      return true;
    }
    if (equals >= source.size() || source[equals] != '=') return false;
    segment_.variables.emplace_back(source.substr(0, size));
    Word value = word;
    value.text.erase(0, std::min(equals + 1, value.text.size()));
    value.shape.erase(0, std::min(equals + 1, value.shape.size()));
    segment_.values.push_back(std::move(value));
    return true;
  }

  void check_command(const Word& word) {
    if (!word.literal || word.wildcard) return fail("the name of a command is not written out");
    if (word.quoted) return;
    const auto* const found = std::find(std::begin(kReserved), std::end(kReserved), word.text);
    if (found != std::end(kReserved)) fail("it holds the shell keyword " + word.text);
  }

  Word read_word() {
    Word word;
    brace_open_ = false;
    rest_open_ = false;
    continued_ = false;
    while (good() && at_ < text_.size() && !ends_word(peek())) read_part(word);
    // `1` and `2>` on two lines are one redirection.
    if (continued_ && (peek() == '<' || peek() == '>')) fail_continued("a redirection");
    // `{NAME}>file` of bash stores the descriptor's number in the variable NAME.
    if (word.text.starts_with('{') && word.text.ends_with('}') && (peek() == '<' || peek() == '>'))
      fail("its redirection sets a variable");
    return word;
  }

  void read_part(Word& word) {
    const char c = peek();
    switch (c) {
      case '\'':
        read_single(word);
        break;
      case '"':
        read_double(word);
        break;
      case '\\':
        read_escape(word);
        break;
      case '$':
        read_dollar(word);
        break;
      case '`':
        fail("it holds a command substitution");
        break;
      default:
        read_plain(word, c);
    }
  }

  void read_plain(Word& word, char c) {
    const bool wildcard = c == '*' || c == '?' || c == '[';
    const bool tilde = c == '~' && may_begin_home(word);
    if (wildcard) word.wildcard = true;
    // Only the user's own home folder is known, not that of `~name`, `~+` and `~-`.
    const bool unknown = tilde && peek(1) != '/' && peek(1) != '\0' && !ends_word(peek(1));
    if (unknown) word.literal = false;
    if (c == '{') brace_open_ = true;
    if (brace_open_ && (c == ',' || (c == '.' && peek(1) == '.'))) {
      return fail("it holds a brace expansion");
    }
    word.text += c;
    add_shape(word, wildcard || tilde ? kHole : c);
    // Shells differ in what a set matches, and where it ends.
    if (c == '[' || unknown) rest_open_ = true;
    ++at_;
  }

  static bool may_begin_home(const Word& word) {
    return word.text.empty() || word.text.back() == '=' || word.text.back() == ':';
  }

  void add_shape(Word& word, char c) const {
    if (!rest_open_) word.shape += c;
  }
  void add_plain(Word& word, std::string_view text) const {
    word.text += text;
    if (!rest_open_) word.shape += text;
  }
  void add_unknown(Word& word, std::string_view guess) const {
    word.literal = false;
    word.text += guess;
    add_shape(word, kHole);
  }

  void read_single(Word& word) {
    const std::size_t close = text_.find('\'', at_ + 1);
    if (close == std::string_view::npos) return fail("a quote is not closed");
    add_plain(word, text_.substr(at_ + 1, close - at_ - 1));
    word.quoted = true;
    at_ = close + 1;
  }

  void read_double(Word& word) {
    word.quoted = true;
    ++at_;
    while (good() && at_ < text_.size() && peek() != '"') {
      const char c = peek();
      if (c == '`') {
        fail("it holds a command substitution");
      } else if (c == '$') {
        read_dollar(word);
      } else if (c == '\\' && is_escaped_in_quotes(peek(1))) {
        if (peek(1) != '\n') add_plain(word, text_.substr(at_ + 1, 1));
        at_ += 2;
      } else {
        add_plain(word, text_.substr(at_, 1));
        ++at_;
      }
    }
    if (!good()) return;
    if (at_ >= text_.size()) return fail("a quote is not closed");
    ++at_;
  }

  static bool is_escaped_in_quotes(char c) {
    return c == '$' || c == '`' || c == '"' || c == '\\' || c == '\n';
  }

  void read_escape(Word& word) {
    if (at_ + 1 >= text_.size()) return fail("it ends in a backslash");
    if (continues()) {
      if (brace_open_) return fail_continued("a brace expansion");
      continued_ = true;
    } else {
      add_plain(word, text_.substr(at_ + 1, 1));
      word.quoted = true;
    }
    at_ += 2;
  }

  void read_dollar(Word& word) {
    const char next = peek(1);
    if (continues(1)) return fail_continued("an expansion");
    if (next == '(') return fail("it holds a command substitution");
    if (next == '\'' || next == '"') return fail("it holds a $-quoted string");
    if (next == '[') return fail("it holds an arithmetic expansion");
    if (next == '{') return read_braced(word);
    std::size_t size = 0;
    while (is_name_start(next) && is_name(peek(1 + size))) ++size;
    if (is_beyond_ascii(peek(1 + size)))
      return fail("shells read the name of a variable with a letter beyond ASCII differently");
    if (size > 0) {
      if (continues(1 + size)) return fail_continued("the name of a variable");
      add_variable(word, text_.substr(at_ + 1, size));
      at_ += 1 + size;
    } else if (is_digit(next) ||
               (next != '\0' && std::string_view("@*#?-$!").find(next) != std::string_view::npos)) {
      add_unknown(word, text_.substr(at_, 2));
      at_ += 2;
    } else {
      add_plain(word, "$");  // a literal dollar
      ++at_;
    }
  }

  void read_braced(Word& word) {
    std::size_t size = 0;
    while (is_name(peek(2 + size))) ++size;
    if (size == 0 || peek(2 + size) != '}') return fail("it holds a parameter expansion");
    add_variable(word, text_.substr(at_ + 2, size));
    at_ += size + 3;
  }

  // The value of a variable is not certain. The two that begin paths are assumed to have their
  // usual values, so that a dangerous path is recognised.
  void add_variable(Word& word, std::string_view name) {
    if (name == "HOME") {
      add_unknown(word, place_.home);
    } else if (name == "PWD") {
      add_unknown(word, place_.cwd);
    } else {
      add_unknown(word, "$" + std::string(name));
    }
  }

  void end_segment(After after) {
    const bool needed = after == After::Chain || after == After::Semicolon || chained_;
    if (!open_) {
      // A line may end, and go on, after && || and |.
      if (needed && !(chained_ && after == After::Newline)) fail("a command is missing");
      return;
    }
    if (segment_.words.empty() && segment_.variables.empty() && segment_.redirects.empty()) {
      return fail("a command is missing");
    }
    segment_.source = trim(text_.substr(start_, end_ - start_));
    script_.segments.push_back(std::move(segment_));
    segment_ = Segment{};
    open_ = false;
    chained_ = after == After::Chain;
    if (script_.segments.size() > kMaxSegments) {
      fail("it has more than " + std::to_string(kMaxSegments) + " commands");
    }
  }

  std::string_view text_;
  const Place& place_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the open segment
  std::size_t end_ = 0;
  std::size_t words_ = 0;
  bool open_ = false;
  bool chained_ = false;  // after && || or |, which need a right side
  bool brace_open_ = false;
  bool continued_ = false;  // the open word has a continued line outside quotes
  bool rest_open_ = false;  // behind a `[` or `~name`: the rest of the word's shape is a hole
  bool led_ = false;        // a keyword may follow the words of the open segment
  Segment segment_;
  Script script_;
};

}  // namespace

Script scan(std::string_view command, const Place& place) {
  return Scanner(command, place).run();
}

std::vector<std::string_view> crude_pieces(std::string_view command) {
  constexpr std::string_view kCuts("\n;&|(){}`\"'<>\0", 14);
  std::vector<std::string_view> pieces;
  command = command.substr(0, kMaxCommandBytes);
  bool redirected = false;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t cut = std::min(command.find_first_of(kCuts, at), command.size());
    const std::string_view piece = trim(command.substr(at, cut - at));
    add_piece(pieces, piece);
    if (redirected) add_pieces_behind_file(pieces, piece);
    redirected = cut < command.size() && (command[cut] == '<' || command[cut] == '>');
    at = cut + 1;
  }
  return pieces;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace host::permission::shell

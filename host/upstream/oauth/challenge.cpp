#include "upstream/oauth/challenge.h"

#include <algorithm>

#include "base/text/letters.h"

namespace host::upstream::oauth {
namespace {

constexpr std::size_t kMostHeaderBytes = 8u << 10u;
constexpr std::size_t kMostScopes = 64;
constexpr std::size_t kMostScopeBytes = 4096;

bool is_token_char(char c) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
         kAlso.find(c) != std::string_view::npos;
}

// Reads the header from its beginning to its end. A scheme is a word without `=`; what follows are
// its parameters, or one word (token68).
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Challenge> first_bearer() {
    while (!text_.empty()) {
      skip(" \t,");
      const std::string_view word = take_word();
      if (word.empty()) {
        skip_broken();
        continue;
      }
      if (is_parameter()) {
        take_value(word);
        continue;
      }
      if (found_) break;  // the next challenge begins
      if (same_letters(word, "Bearer")) found_.emplace();
    }
    return found_;
  }

 private:
  void skip(std::string_view characters) {
    text_.remove_prefix(std::min(text_.find_first_not_of(characters), text_.size()));
  }

  std::string_view take_word() {
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_token_char);
    const std::string_view word = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    text_.remove_prefix(word.size());
    return word;
  }

  // After a character that belongs to no word.
  void skip_broken() {
    if (text_.starts_with('"')) {
      take_quoted();
    } else if (!text_.empty()) {
      text_.remove_prefix(1);
    }
  }

  bool is_parameter() const {
    const std::size_t at = text_.find_first_not_of(" \t");
    return at != std::string_view::npos && text_[at] == '=';
  }

  void take_value(std::string_view name) {
    skip(" \t");
    skip("=");  // also the padding of a token68
    skip(" \t");
    const std::string value = text_.starts_with('"') ? take_quoted() : std::string(take_word());
    if (!found_) return;
    if (same_letters(name, "resource_metadata") && found_->resource_metadata.empty()) {
      found_->resource_metadata = value;
    } else if (same_letters(name, "error") && found_->error.empty()) {
      found_->error = value;
    } else if (same_letters(name, "scope") && found_->scopes.empty()) {
      found_->scopes = read_scopes(value);
    }
  }

  // Without its end, the value is not valid, and empty.
  std::string take_quoted() {
    std::string out;
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        text_.remove_prefix(i + 1);
        return out;
      }
      if (text_[i] == '\\' && i + 1 < text_.size()) ++i;
      out += text_[i];
    }
    text_ = {};
    return {};
  }

  std::string_view text_;
  std::optional<Challenge> found_;
};

}  // namespace

std::optional<Challenge> read_challenge(std::string_view header) {
  return Reader(header.substr(0, kMostHeaderBytes)).first_bearer();
}

std::vector<std::string> read_scopes(std::string_view text) {
  std::vector<std::string> out;
  text = text.substr(0, kMostScopeBytes);
  while (!text.empty() && out.size() < kMostScopes) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return c > ' ' && c < '\x7F' && c != '"' && c != '\\';
    });
    if (fits) unite(out, {std::string(word)});
  }
  return out;
}

std::string join_scopes(const std::vector<std::string>& scopes) {
  std::string out;
  for (const std::string& scope : scopes) out += (out.empty() ? "" : " ") + scope;
  return out;
}

bool is_in(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void unite(std::vector<std::string>& scopes, const std::vector<std::string>& more) {
  for (const std::string& scope : more) {
    const std::size_t bytes = join_scopes(scopes).size() + 1 + scope.size();
    const bool fits = scopes.size() < kMostScopes && bytes <= kMostScopeBytes;
    if (fits && !is_in(scopes, scope)) scopes.push_back(scope);
  }
}

}  // namespace host::upstream::oauth

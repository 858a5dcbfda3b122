#include "permission/shell/options.h"

#include <algorithm>
#include <utility>

namespace host::permission::shell {
namespace {

bool is_number_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) {
  return text.size() > 1 && text[0] == '-' &&
         std::all_of(text.begin() + 1, text.end(), is_number_digit);
}

// Whether, and in which form, an option without its value is on the list.
enum class Found { No, Plain, Valued, Optional };

// Looks up `name`, which has no `=` and no value.
Found find_word(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t blank = std::min(list.find(' '), list.size());
    std::string_view entry = list.substr(0, blank);
    list.remove_prefix(std::min(blank + 1, list.size()));
    Found found = Found::Plain;
    if (entry.ends_with("[=]")) {
      found = Found::Optional;
      entry.remove_suffix(3);
    } else if (entry.ends_with('=')) {
      found = Found::Valued;
      entry.remove_suffix(1);
    }
    if (!entry.empty() && entry == name) return found;
  }
  return Found::No;
}

class Reader {
 public:
  Reader(std::span<const Word> words, const OptionList& list, Operands operands)
      : words_(words), list_(list), operands_(operands) {
    read_.first_operand = words.size();
  }

  std::optional<Arguments> run() {
    while (at_ < words_.size()) {
      const Word& word = words_[at_++];
      const bool option = !ended_ && word.text.size() > 1 && word.text[0] == '-';
      if (!option) {
        take_operand(word);
      } else if (word.text == "--") {
        ended_ = true;
      } else if (!word.literal || !take_option(word)) {
        return std::nullopt;
      }
    }
    return std::move(read_);
  }

 private:
  void take_operand(const Word& word) {
    if (read_.operands.empty()) read_.first_operand = at_ - 1;
    read_.operands.push_back(&word);
    if (operands_ == Operands::EndOptions) ended_ = true;
  }

  bool take_option(const Word& word) {
    const std::string_view text = word.text;
    if (find_word(list_.words, text) == Found::Plain) return add(text);
    if (text.starts_with("--")) return take_long(word);
    if (list_.number && is_number(text)) return add(text);
    return take_cluster(word);
  }

  bool take_long(const Word& word) {
    const std::string_view text = word.text;
    const std::size_t equals = text.find('=');
    const Found found = find_word(list_.words, text.substr(0, equals));
    if (found == Found::No || found == Found::Plain) return false;
    if (equals != std::string_view::npos)
      return add(text.substr(0, equals), rest_of(word, equals + 1));
    return found == Found::Optional ? add(text) : take_value(text);
  }

  bool take_cluster(const Word& word) {
    const std::string_view text = word.text;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::string_view letter = text.substr(i, 1);
      if (list_.valued.find(text[i]) != std::string_view::npos) {
        if (i + 1 == text.size()) return take_value(letter);
        if (!list_.attached && !is_number("-" + std::string(text.substr(i + 1)))) return false;
        return add(letter, rest_of(word, i + 1));
      }
      if (list_.flags.find(text[i]) == std::string_view::npos) return false;
      add(letter);
    }
    return true;
  }

  bool take_value(std::string_view name) {
    if (at_ >= words_.size()) return false;
    const Word& value = words_[at_++];
    const bool like_option = value.text.starts_with('-') && value.text != "-";
    if (like_option && !is_number(value.text) && operands_ == Operands::Anywhere) return false;
    return add(name, value);
  }

  static Word rest_of(const Word& word, std::size_t from) {
    Word rest = word;
    rest.text.erase(0, from);
    return rest;
  }

  bool add(std::string_view name, Word value = {}) {
    read_.options.push_back({name, std::move(value)});
    return true;
  }

  std::span<const Word> words_;
  const OptionList& list_;
  const Operands operands_;
  std::size_t at_ = 0;
  bool ended_ = false;
  Arguments read_;
};

}  // namespace

std::optional<Arguments> read_arguments(std::span<const Word> words, const OptionList& list,
                                        Operands operands) {
  return Reader(words, list, operands).run();
}

bool may_expand_to_option(const Word& word) {
  if (!word.wildcard) return false;
  const std::string_view text = word.text;
  const std::size_t wild = text.find_first_of("*?[");
  if (wild == 0 || wild == std::string_view::npos) return true;
  // The option's name ends at `=`. Its value may be anything.
  return text[0] == '-' && std::min(text.find('='), text.size()) > wild;
}

}  // namespace host::permission::shell

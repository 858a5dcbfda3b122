#include "plugin/wire/redactor.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "json/json.h"

namespace host::plugin {
namespace {

std::string escaped(std::string_view value) {
  std::string json;
  json::write_string(value, json);
  return json.substr(1, json.size() - 2);
}

}  // namespace

Redactor::Redactor(const Secrets& secrets) {
  for (const auto& [name, value] : secrets) {
    if (value.size() < kLeastBytes) continue;
    words_.emplace_back(value, "[" + name + "]");
    if (std::string json = escaped(value); json != value) {
      words_.emplace_back(std::move(json), "[" + name + "]");
    }
  }
  std::sort(words_.begin(), words_.end(),
            [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string Redactor::operator()(std::string_view text) const {
  std::string clean(text);
  for (const auto& [word, instead] : words_) {
    for (std::size_t at = clean.find(word); at != std::string::npos;
         at = clean.find(word, at + instead.size())) {
      clean.replace(at, word.size(), instead);
    }
  }
  return clean;
}

std::string Redactor::begin_of(std::string_view text, std::size_t most) const {
  const bool cut = text.size() > most + reach();
  std::string clean = (*this)(text.substr(0, most + reach()));
  // The begin of a secret that goes on beyond what was looked at.
  if (cut)
    clean.resize(utf8_begin(clean, clean.size() - std::min(clean.size(), reach() - 1)).size());
  clean.resize(utf8_begin(clean, most).size());
  return clean;
}

}  // namespace host::plugin

#include "upstream/connection/secrets.h"

#include <algorithm>
#include <utility>

#include "json/json.h"

namespace host::upstream {
namespace {

constexpr std::string_view kHidden = "[secret]";
constexpr std::size_t kLeastBytes = 4;
constexpr std::size_t kLeastBeginning = 16;
// Values change when they are rotated: those of so many connections are kept.
constexpr std::size_t kMostValues = 256;

// In one pass: an answer can have a secret many times.
void hide_one(const std::string& value, std::string& text) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(value, from)) != std::string::npos;) {
    out.append(text, from, at - from).append(kHidden);
    from = at + value.size();
  }
  if (from == 0) return;
  text = std::move(out.append(text, from, std::string::npos));
}

bool ends_a_quote(std::string_view rest) {
  return rest.empty() || rest.front() == '"' || rest.starts_with("...");
}

void hide_beginnings(std::string_view value, std::string& text) {
  if (value.size() <= kLeastBeginning) return;
  const std::string_view least = value.substr(0, kLeastBeginning);
  for (std::size_t at = 0; (at = text.find(least, at)) != std::string::npos;) {
    const std::string_view rest = std::string_view(text).substr(at);
    const auto differs = std::mismatch(rest.begin(), rest.end(), value.begin(), value.end());
    const auto size = static_cast<std::size_t>(differs.first - rest.begin());
    if (ends_a_quote(rest.substr(size))) {
      text.replace(at, size, kHidden);
      at += kHidden.size();
    } else {
      at += size;
    }
  }
}

}  // namespace

void Secrets::add(std::string_view value) {
  add_one(std::string(value));
  std::string quoted;
  json::write_string(value, quoted);
  add_one(quoted.substr(1, quoted.size() - 2));
  if (value.find('\n') == std::string_view::npos) return;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find('\n', at), value.size());
    add_one(std::string(value.substr(at, end - at)));
    at = end + 1;
  }
}

void Secrets::add_issued(std::string_view value) {
  add(value);
  issued_.emplace(value);
}

Secrets Secrets::of_operator() const {
  Secrets own = *this;
  for (const std::string& value : issued_) own.remove(value);
  return own;
}

void Secrets::remove(std::string_view value) {
  if (const auto issued = issued_.find(value); issued != issued_.end()) issued_.erase(issued);
  std::string quoted;
  json::write_string(value, quoted);
  const std::size_t erased =
      std::erase(values_, value) + std::erase(values_, quoted.substr(1, quoted.size() - 2));
  if (erased > 0) ++version_;
}

void Secrets::add_one(std::string value) {
  if (value.size() < kLeastBytes) return;
  if (std::find(values_.begin(), values_.end(), value) != values_.end()) return;
  if (values_.size() == kMostValues) values_.pop_back();
  const auto at = std::find_if(values_.begin(), values_.end(), [&](const std::string& other) {
    return other.size() < value.size();
  });
  values_.insert(at, std::move(value));
  ++version_;
}

std::string Secrets::hide(std::string_view text, bool is_cut) const {
  std::string out(text);
  for (const std::string& value : values_) hide_one(value, out);
  if (!is_cut) return out;
  for (const std::string& value : values_) {
    for (std::size_t size = std::min(value.size() - 1, out.size()); size >= kLeastBytes; --size) {
      if (!out.ends_with(std::string_view(value).substr(0, size))) continue;
      out.replace(out.size() - size, size, kHidden);
      return out;
    }
  }
  return out;
}

std::string Secrets::hide_json(std::string_view json) const {
  std::string hidden = hide(json);
  if (hidden == json || json::parse(hidden)) return hidden;
  std::string quoted;
  json::write_string(hidden, quoted);
  return quoted;
}

std::string Secrets::hide_in_words(std::string_view words) const {
  std::string out = hide(words);
  for (const std::string& value : values_) hide_beginnings(value, out);
  return out;
}

Error Secrets::hide(Error error) const {
  error.message = hide_in_words(error.message);
  return error;
}

}  // namespace host::upstream

// How one value goes into the slot of its key, and what is said of one that does not fit.
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "base/text/nearest.h"
#include "config/reader/reader.h"

namespace host::config {
namespace {

std::string number(double value) {
  std::ostringstream out;
  out.precision(15);
  out << value;
  return out.str();
}

std::string one_of(const Key& key) {
  std::string out = "one of ";
  for (const std::string_view& word : key.words) {
    if (&word != key.words.data()) out += ", ";
    out += in_quotes(word);
  }
  return out;
}

std::string within(std::string_view what, const Range& range) {
  std::string out(what);
  if (!range.unit.empty()) out += " of " + std::string(range.unit);
  return out + " from " + number(range.low) + " to " + number(range.high);
}

// Puts one value into one slot. Each operator() is one type that a key can have; false: what was
// wrong was reported.
class Take {
 public:
  Take(const Node& value, const Key& key, std::string_view where, Report& report,
       const PathBase& base)
      : value_(value), key_(key), where_(where), report_(report), base_(base) {}

  void operator()(bool* target) const {
    if (is(Node::Kind::Boolean)) *target = value_.boolean;
  }
  void operator()(std::optional<bool>* target) const {
    if (is(Node::Kind::Boolean)) *target = value_.boolean;
  }
  void operator()(std::uint32_t* target) const { whole(*target); }
  void operator()(std::uint64_t* target) const { whole(*target); }
  void operator()(Seconds* target) const {
    if (const auto taken = seconds()) *target = *taken;
  }
  void operator()(std::optional<Seconds>* target) const {
    if (const auto taken = seconds()) *target = *taken;
  }
  void operator()(std::string* target) const {
    if (is(Node::Kind::Text) && fits(value_)) *target = value_.text;
  }
  void operator()(std::optional<std::string>* target) const {
    if (is(Node::Kind::Text) && fits(value_)) *target = value_.text;
  }
  void operator()(std::filesystem::path* target) const {
    if (!is(Node::Kind::Text)) return;
    if (value_.text.empty()) {
      target->clear();
    } else if (const auto path = path_of(value_)) {
      *target = *path;
    }
  }
  void operator()(std::vector<std::string>* target) const {
    std::vector<std::string> taken;
    if (!each([&](const Node& member) {
          taken.push_back(member.text);
          return fits(member);
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(std::optional<std::vector<std::string>>* target) const {
    if (is(Node::Kind::Array)) (*this)(&target->emplace());
  }
  void operator()(std::vector<std::filesystem::path>* target) const {
    std::vector<std::filesystem::path> taken;
    if (!each([&](const Node& member) {
          const auto path = path_of(member);
          if (path) taken.push_back(*path);
          return path.has_value();
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(std::vector<sandbox::FsGrant>* target) const {
    std::vector<sandbox::FsGrant> taken;
    if (!each([&](const Node& member) {
          const auto grant = grant_of(member);
          if (grant) taken.push_back(*grant);
          return grant.has_value();
        })) {
      return;
    }
    *target = std::move(taken);
  }
  void operator()(const EnumSlot& slot) const {
    if (!is(Node::Kind::Text) || !fits(value_)) return;
    const auto word = std::find(key_.words.begin(), key_.words.end(), value_.text);
    slot.set(slot.target, static_cast<std::size_t>(word - key_.words.begin()));
  }
  void operator()(const JsonSlot& slot) const {
    if (!is(Node::Kind::Table)) return;
    TomlError error;
    if (auto text = to_json(value_, error)) {
      *slot.target = *std::move(text);
    } else {
      report_.error(error.at, "C017", name() + ": " + error.message);
    }
  }

 private:
  std::string name() const { return std::string(key_.name) + " in " + std::string(where_); }

  void wrong_type(const Node& value) const {
    report_.error(value.at, "C011",
                  name() + ": expected " + expectation(key_) + ", found " +
                      std::string(describe(value.kind)));
  }

  bool is(Node::Kind kind) const {
    if (value_.kind != kind) wrong_type(value_);
    return value_.kind == kind;
  }

  bool in_range(double found) const {
    if (found >= key_.range.low && found <= key_.range.high) return true;
    report_.error(value_.at, "C012",
                  name() + ": expected " + expectation(key_) + ", found " + number(found));
    return false;
  }

  template <class T>
  void whole(T& target) const {
    if (!is(Node::Kind::Integer)) return;
    if (in_range(static_cast<double>(value_.integer))) target = static_cast<T>(value_.integer);
  }

  std::optional<Seconds> seconds() const {
    const bool integer = value_.kind == Node::Kind::Integer;
    if (!integer && value_.kind != Node::Kind::Float) {
      wrong_type(value_);
      return std::nullopt;
    }
    const double found = integer ? static_cast<double>(value_.integer) : value_.real;
    if (!in_range(found)) return std::nullopt;  // nor is NaN in any range
    return Seconds(std::llround(found * 1000));
  }

  // One text against the words or the form of its key.
  bool fits(const Node& text) const {
    if (!key_.words.empty() &&
        std::find(key_.words.begin(), key_.words.end(), text.text) == key_.words.end()) {
      const std::string near = nearest(text.text, {key_.words.begin(), key_.words.end()});
      report_.error(text.at, "C013",
                    name() + ": expected " + one_of(key_) + ", found " + in_quotes(text.text),
                    near.empty() ? std::string() : "did you mean " + in_quotes(near) + "?");
      return false;
    }
    if (const char* form = key_.form != nullptr ? key_.form(text.text) : nullptr) {
      report_.error(text.at, "C017",
                    name() + ": expected " + form + ", found " + in_quotes(text.text));
      return false;
    }
    return true;
  }

  bool names_folders() const {
    return std::holds_alternative<std::vector<std::filesystem::path>*>(key_.slot);
  }

  std::optional<std::filesystem::path> path_of(const Node& text) const {
    if (text.text == kShipped && names_folders()) return text.text;
    auto path = resolve(text.text, base_);
    if (path) return *std::move(path);
    report_.error(text.at, "C017", name() + ": " + path.error().message);
    return std::nullopt;
  }

  // What a grant opens must not depend on where a file or a process stands.
  std::optional<sandbox::FsGrant> grant_of(const Node& text) const {
    const std::string_view written(text.text);
    const bool write = written.starts_with("rw:");
    const std::string_view path = written.substr(std::min<std::size_t>(3, written.size()));
    const bool rooted =
        path.starts_with('/') || path.starts_with('@') || path == "~" || path.starts_with("~/");
    if ((!write && !written.starts_with("ro:")) || !rooted) {
      report_.error(
          text.at, "C017",
          name() + ": expected ro:PATH or rw:PATH, PATH absolute or from ~/ or @state/, found " +
              in_quotes(written),
          "write \"ro:/folder\" to let it read there, \"rw:/folder\" to let it write too");
      return std::nullopt;
    }
    auto resolved = resolve(path, base_);
    if (resolved) return sandbox::FsGrant{resolved->string(), write};
    report_.error(text.at, "C017", name() + ": " + resolved.error().message);
    return std::nullopt;
  }

  // Every member of a list of texts, so that all faults are told; true where there was none.
  template <class Act>
  bool each(const Act& act) const {
    if (!is(Node::Kind::Array)) return false;
    bool good = true;
    std::set<std::string_view> seen;
    for (const Node& member : value_.array) {
      if (member.kind != Node::Kind::Text) {
        wrong_type(member);
        good = false;
      } else if (!seen.insert(member.text).second && !key_.repeats) {
        report_.error(member.at, "C015",
                      name() + ": " + in_quotes(member.text) + " stands there twice");
        good = false;
      } else {
        good = act(member) && good;
      }
    }
    return good;
  }

  const Node& value_;
  const Key& key_;
  std::string_view where_;
  Report& report_;
  const PathBase& base_;
};

// The words for each type.
struct Expectation {
  const Key& key;

  std::string text() const {
    if (!key.words.empty()) return one_of(key);
    const char* form = key.form != nullptr ? key.form("") : nullptr;
    if (form == nullptr) return "a text";
    return std::string_view(form).starts_with("a text") ? form : std::string("a text: ") + form;
  }
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::optional<bool>*) const { return "true or false"; }
  std::string operator()(const std::uint32_t*) const { return within("a whole number", key.range); }
  std::string operator()(const std::uint64_t*) const { return within("a whole number", key.range); }
  std::string operator()(const Seconds*) const { return within("a number", key.range); }
  std::string operator()(const std::optional<Seconds>*) const {
    return within("a number", key.range);
  }
  std::string operator()(const std::string*) const { return text(); }
  std::string operator()(const std::optional<std::string>*) const { return text(); }
  std::string operator()(const std::filesystem::path*) const { return "a path as text"; }
  std::string operator()(const std::vector<std::string>*) const {
    return key.words.empty() ? "a list of texts" : "a list; each member " + one_of(key);
  }
  std::string operator()(const std::optional<std::vector<std::string>>*) const {
    return "a list of texts";
  }
  std::string operator()(const std::vector<std::filesystem::path>*) const {
    return "a list of paths as texts";
  }
  std::string operator()(const std::vector<sandbox::FsGrant>*) const {
    return "a list of grants, like \"ro:/path\" or \"rw:/path\"";
  }
  std::string operator()(const EnumSlot&) const { return one_of(key); }
  std::string operator()(const JsonSlot&) const { return "a table"; }
};

}  // namespace

std::string expectation(const Key& key) {
  return std::visit(Expectation{key}, key.slot);
}

void Reader::read_key(const Node& value, const Key& key, std::string_view where) {
  std::visit(Take(value, key, where, report_, base_), key.slot);
}

}  // namespace host::config

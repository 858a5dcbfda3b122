#include "upstream/confine/order.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace host::upstream {
namespace {

using sandbox::Profile;

struct Number {
  std::string_view word;  // "memory="
  std::uint64_t Profile::*value;
};
constexpr Number kNumbers[] = {{"memory=", &Profile::memory_bytes},
                               {"file=", &Profile::file_bytes},
                               {"cpu=", &Profile::cpu_seconds}};

struct SmallNumber {
  std::string_view word;
  std::uint32_t Profile::*value;
};
constexpr SmallNumber kSmallNumbers[] = {{"files=", &Profile::open_files},
                                         {"processes=", &Profile::processes},
                                         {"uid=", &Profile::uid},
                                         {"host=", &Profile::host},
                                         {"landlock=", &Profile::landlock_abi}};

constexpr std::string_view kRequired = "require=";

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<T>(value) : std::nullopt;
}

// Takes the number after `name`; nullopt: the word has another name.
template <class T>
std::optional<bool> take_number(std::string_view word, std::string_view name, T& into) {
  if (!word.starts_with(name)) return std::nullopt;
  const auto value = number_in<T>(word.substr(name.size()));
  if (value) into = *value;
  return value.has_value();
}

bool take_word(std::string_view word, Profile& profile) {
  for (const Number& one : kNumbers) {
    if (const auto taken = take_number(word, one.word, profile.*one.value)) return *taken;
  }
  for (const SmallNumber& one : kSmallNumbers) {
    if (const auto taken = take_number(word, one.word, profile.*one.value)) return *taken;
  }
  std::uint32_t required = 0;
  if (const auto taken = take_number(word, kRequired, required)) {
    profile.required = sandbox::LayerSet(required);
    return *taken;
  }
  if (word == "sockets") return profile.sockets = true;
  if (word == "exec") return profile.exec = true;
  const bool write = word.starts_with("rw:/");
  if (!write && !word.starts_with("ro:/")) return false;
  profile.fs.push_back({std::string(word.substr(3)), write});
  return true;
}

}  // namespace

std::vector<std::string> words_of(const Profile& profile) {
  std::vector<std::string> words;
  for (const sandbox::FsGrant& grant : profile.fs)
    words.push_back((grant.write ? "rw:" : "ro:") + grant.path);
  if (profile.sockets) words.emplace_back("sockets");
  if (profile.exec) words.emplace_back("exec");
  for (const Number& one : kNumbers)
    words.push_back(std::string(one.word) + std::to_string(profile.*one.value));
  for (const SmallNumber& one : kSmallNumbers)
    words.push_back(std::string(one.word) + std::to_string(profile.*one.value));
  words.push_back(std::string(kRequired) + std::to_string(profile.required.bits()));
  return words;
}

Result<Profile> profile_in(std::span<const char* const> words) {
  Profile profile;
  profile.server = true;
  for (const char* const word : words) {
    if (take_word(word, profile)) continue;
    return Error{ErrorKind::InvalidArgument, "toolpost-confine does not know the word \"" +
                                                 std::string(word) +
                                                 "\": it is not of this version"};
  }
  return profile;
}

}  // namespace host::upstream
